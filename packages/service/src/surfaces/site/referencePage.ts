import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename, extname } from 'node:path'
import type { ServedDocument } from '../../calls/servedDocument.ts'
import type { FramedDocument } from './docsFrame.ts'
import { escapeHtml } from './escapeHtml.ts'
import { findPackagePath } from './findPackagePath.ts'
import type { Guide } from './readGuides.ts'

/**
 * What the reference page may load: its own assets, and answers of its own origin.
 *
 * Swagger UI styles elements through the DOM, which needs no `unsafe-inline`; its icons are data URLs.
 */
export const REFERENCE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The interactive reference: Swagger UI over the OpenAPI document of wherever this page was opened. */
export function framedReference(guides: readonly Guide[], assets: ReferenceAssets['links']): FramedDocument {
  const links = guides.map(
    ({ name, title, note }) =>
      `<li><a href="docs/${escapeHtml(name)}">${escapeHtml(title)}</a><span class="quiet">${escapeHtml(note.replaceAll('`', ''))}</span></li>`,
  )
  return {
    title: 'Remit: API reference',
    description:
      'Guides, and every call of the API with its input, its answers and its errors, to be tried out.',
    up: '',
    styles: [assets.viewerStyle, assets.docsStyle, assets.style],
    scripts: [assets.viewer, assets.docsScript, assets.script],
    icon: assets.icon,
    body: `<main class="frame__main docs__main" id="content">
<div class="docs__lead">
<h1>Docs</h1>
<p>A service over an on-chain protocol for recurring payments: it reads the chain and prepares unsigned transactions,
proven by simulation. It signs and sends nothing.</p>
<p class="row"><a class="button button--primary" href="docs/start">Start here</a>
<a class="button" href="#api">API reference</a></p>
</div>
<nav aria-labelledby="guides-title"><h2 id="guides-title">Guides</h2>
<ul class="docs__guides">
${links.join('\n')}
</ul></nav>
<h2 id="api">API reference</h2>
<p>Every call can be tried against this service; without a key you are on the free lane. Token quantities, wei and every
uint256 are decimal strings; block numbers, timestamps and counts are numbers. Every answer about a chain was read at the one
block in <code>asOf</code>. What is posted to be prepared can be asked <a href="docs/reading">by GET</a> too.</p>
<ul class="row docs__forms">
<li><a href="docs/api.md">This reference as Markdown</a></li>
<li><a href="openapi.json">OpenAPI</a></li>
<li><a href="llms.txt">For agents: llms.txt</a></li>
</ul>
<div id="reference"><p id="loading">Reading the description of the API…</p></div>
<noscript><p>This page needs JavaScript. The same as text: <a href="docs/api.md">docs/api.md</a>.</p></noscript>
</main>`,
  }
}

const SWAGGER_UI = 'node_modules/swagger-ui-dist'

/** What the reference page loads, the installed Swagger UI and a few lines of its own; and what all documents load. */
const SOURCES = {
  viewer: `${SWAGGER_UI}/swagger-ui-bundle.js`,
  viewerStyle: `${SWAGGER_UI}/swagger-ui.css`,
  icon: `${SWAGGER_UI}/favicon-32x32.png`,
  script: 'docs/reference/reference.js',
  style: 'docs/reference/reference.css',
  docsScript: 'docs/reference/docs.js',
  docsStyle: 'docs/reference/docs.css',
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

/** One link for each source, written out so that the compiler misses none. */
function linksOf(link: (role: keyof typeof SOURCES) => string): ReferenceAssets['links'] {
  return {
    viewer: link('viewer'),
    viewerStyle: link('viewerStyle'),
    icon: link('icon'),
    script: link('script'),
    style: link('style'),
    docsScript: link('docsScript'),
    docsStyle: link('docsStyle'),
  }
}
