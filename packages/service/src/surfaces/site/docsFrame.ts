import { parseUrl } from '@remit/engine/schema/text'
import { PLACES } from '@remit/site/page/places'
import type { ServicePort } from '../../ports/service.ts'
import { escapeHtml } from './escapeHtml.ts'
import type { PageFiles } from './pages/siteFiles.ts'

export interface FramedDocument {
  readonly title: string
  readonly description: string
  /** From the document to the root of the site: `../` or nothing. */
  readonly up: '' | '../'
  /** Below the root of the site. */
  readonly styles: readonly string[]
  readonly scripts: readonly string[]
  readonly icon: string
  /** What stands between the header and the footer, with a `<main id="content">` in it. */
  readonly body: string
}

interface FrameOptions {
  readonly service: Pick<ServicePort, 'publicUrl' | 'version' | 'operator'>
  /** The built site, whose looks the documents have; `undefined` where it was not built. */
  readonly site: PageFiles | undefined
}

/**
 * A document about the API in the frame that the site's pages have, without what needs the site's script.
 *
 * Documents find each other by relative links, so they work below `/api` too; the site's pages are at its root alone.
 */
export function docsFrame(
  { service: { publicUrl, version, operator }, site }: FrameOptions,
  { title, description, up, styles, scripts, icon, body }: FramedDocument,
): string {
  const root = parseUrl(publicUrl)?.pathname.replace(/\/+$/, '') ?? ''
  const styleLinks = [...(site?.styles ?? []), ...styles].map(
    (file) => `<link rel="stylesheet" href="${up}${escapeHtml(file)}">`,
  )
  const page = (path: string) => escapeHtml(`${root}${path}`)
  const places =
    site === undefined
      ? []
      : PLACES.map(([, path, name]) => `<a href="${page(path)}">${escapeHtml(name)}</a>`)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<meta name="description" content="${escapeHtml(description)}">
<link rel="icon" href="${up}${escapeHtml(icon)}">
${styleLinks.join('\n')}
${scripts.map((file) => `<script defer src="${up}${escapeHtml(file)}"></script>`).join('\n')}
</head>
<body>
<div class="frame docs">
<a class="frame__skip button button--small" href="#content">Skip to the content</a>
<header class="frame__head"><div class="frame__bar">
<a class="frame__brand" href="${page('/')}"><img src="${up}${escapeHtml(icon)}" width="28" height="28" alt="">Remit</a>
<a class="docs__home" href="${up}docs"${up === '' ? ' aria-current="page"' : ''}>Docs</a>
<nav class="frame__nav" aria-label="Pages">${places.join('')}</nav>
<search class="search docs__search"><label class="unseen" for="search">Search the guides</label>
<input id="search" class="input" type="search" placeholder="Search the guides" autocomplete="off" aria-controls="found">
<ul id="found" class="docs__found" hidden></ul><p class="unseen" id="found-count" role="status"></p></search>
<div class="frame__tools" id="tools"></div>
</div></header>
${body}
<footer class="frame__foot"><div class="frame__bar">
<span>Remit ${escapeHtml(version)}. It holds no wallet keys: what you sign, you sign in your own wallet.${operatorHtml(operator)}</span>
<span class="row"><a href="${up}docs/subscribers">If you subscribe</a><a href="${up}docs/providers">If you sell</a>${site === undefined ? '' : `<a href="${page('/portal')}">API keys</a>`}<a href="${up}llms.txt">For agents</a><a href="${page('/status')}">Status</a></span>
</div></footer>
</div>
</body>
</html>
`
}

function operatorHtml(operator: ServicePort['operator']): string {
  if (operator === null) return ''
  const { name, contact } = operator
  const link =
    contact === null ? '' : ` (<a href="${escapeHtml(contact.href)}">${escapeHtml(contact.words)}</a>)`
  return ` Run by ${escapeHtml(name)}${link}.`
}
