import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename, extname } from 'node:path'
import type { ServedDocument } from '../../core/servedDocument.ts'
import { findPackagePath } from './findPackagePath.ts'

const SWAGGER_UI = 'node_modules/swagger-ui-dist'

/** What the reference page loads, the installed Swagger UI and a few lines of its own; and what the guides load. */
const SOURCES = {
  viewer: `${SWAGGER_UI}/swagger-ui-bundle.js`,
  viewerStyle: `${SWAGGER_UI}/swagger-ui.css`,
  icon: `${SWAGGER_UI}/favicon-32x32.png`,
  script: 'docs/reference/reference.js',
  style: 'docs/reference/reference.css',
  guideScript: 'docs/reference/guides.js',
  guideStyle: 'docs/reference/guides.css',
} as const

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.png': 'image/png',
}

export interface ReferenceAssets {
  readonly documents: readonly ServedDocument[]
  /** Addresses relative to the page's own, so that they hold below any prefix. */
  readonly links: Readonly<Record<keyof typeof SOURCES, string>>
}

/**
 * The page's assets. Their path changes with the service's version and with every byte of their content.
 *
 * They are counted and never refused, so that one view of the page does not use up a caller's minute.
 */
export function readReferenceAssets(version: string): ReferenceAssets {
  const files = Object.entries(SOURCES).map(([role, source]) => {
    const bytes = new Uint8Array(readFileSync(findPackagePath(source)))
    return { role, name: basename(source), bytes }
  })
  const hash = createHash('sha256')
  for (const { bytes } of files) hash.update(bytes)
  const folder = `docs/assets/${version}-${hash.digest('hex').slice(0, 8)}`
  return {
    documents: files.map(({ name, bytes }) => ({
      name: 'docs_asset',
      path: `/${folder}/${name}`,
      contentType: CONTENT_TYPES[extname(name)] ?? 'application/octet-stream',
      cache: 'immutable',
      metering: 'counted',
      render: () => bytes,
    })),
    links: linksOf((role) => `${folder}/${basename(SOURCES[role])}`),
  }
}

function linksOf(link: (role: keyof typeof SOURCES) => string): ReferenceAssets['links'] {
  return {
    viewer: link('viewer'),
    viewerStyle: link('viewerStyle'),
    icon: link('icon'),
    script: link('script'),
    style: link('style'),
    guideScript: link('guideScript'),
    guideStyle: link('guideStyle'),
  }
}
