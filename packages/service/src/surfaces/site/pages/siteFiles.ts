import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import * as z from 'zod'
import type { ServedDocument } from '../../../calls/servedDocument.ts'
import { findPackagePath } from '../findPackagePath.ts'

/** Made by `npm run build -w @remit/site`, which npm runs when it installs this repository. */
const MANIFEST = 'packages/site/dist/.vite/manifest.json'

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}

/** As Vite writes it. */
const Manifest = z.record(
  z.string(),
  z.object({
    file: z.string(),
    imports: z.array(z.string()).default([]),
    css: z.array(z.string()).default([]),
  }),
)

/** What a page's document names, as paths below the site's root. */
export interface PageFiles {
  readonly script: string
  readonly preloads: readonly string[]
  readonly styles: readonly string[]
  readonly icon: string
}

export interface SiteFiles {
  readonly documents: readonly ServedDocument[]
  /** Throws RangeError for a page that has no component. */
  of(page: string): PageFiles
}

/** The built site; `undefined` where it was not built, as after `npm ci --omit=dev`. */
export function readSiteFiles(): SiteFiles | undefined {
  const folder = findFolder()
  if (folder === undefined) return undefined
  const manifest = Manifest.parse(JSON.parse(readFileSync(join(folder, '.vite/manifest.json'), 'utf8')))
  const entry = (name: string) => {
    const found = manifest[name]
    if (found === undefined)
      throw new RangeError(`the built site has no ${name}: run npm run build -w @remit/site`)
    return found
  }
  /** A chunk and all that it imports, which the document preloads. */
  const reached = (name: string, seen: Set<string> = new Set()): Set<string> => {
    if (seen.has(name)) return seen
    seen.add(name)
    for (const next of entry(name).imports) reached(next, seen)
    return seen
  }
  return {
    documents: [
      ...readdirSync(join(folder, 'assets')).map((file) => asset(join(folder, 'assets'), file)),
      button(folder),
    ],
    of(page) {
      const names = [...reached('src/main.ts'), ...reached(`src/pages/${page}/page.tsx`)]
      const rows = [...new Set(names)].map(entry)
      const script = entry('src/main.ts').file
      return {
        script,
        preloads: [...new Set(rows.map(({ file }) => file))].filter((file) => file !== script),
        styles: [...new Set(rows.flatMap(({ css }) => css))],
        icon: entry('src/icon.svg').file,
      }
    },
  }
}

/** Their names change with every byte of their content. They are counted and never refused, as other assets are. */
function asset(folder: string, file: string): ServedDocument {
  return {
    name: 'site_asset',
    path: `/assets/${file}`,
    contentType: CONTENT_TYPES[extname(file)] ?? 'application/octet-stream',
    cache: 'immutable',
    metering: 'counted',
    // The page which says that the API is switched off needs them.
    whileDisabled: true,
    render: () => new Uint8Array(readFileSync(join(folder, file))),
  }
}

/** The button for pages of other sites. They name it in their HTML, so its path stays while its bytes change. */
function button(folder: string): ServedDocument {
  return {
    name: 'site_button',
    path: '/button.js',
    contentType: 'text/javascript; charset=utf-8',
    cache: 'revalidate',
    metering: 'counted',
    crossOrigin: true,
    render: () => new Uint8Array(readFileSync(join(folder, 'button.js'))),
  }
}

function findFolder(): string | undefined {
  try {
    const folder = dirname(dirname(findPackagePath(MANIFEST)))
    return existsSync(join(folder, 'assets')) ? folder : undefined
  } catch {
    return undefined
  }
}
