import { parseUrl } from '@remit/engine/schema/text'
import type { PageData } from '@remit/site/page/pageContents'
import { escapeHtml } from '../escapeHtml.ts'
import type { PageFiles } from './siteFiles.ts'

/** What WalletConnect's library asks: the relay, the nodes that it reads from, and who vouches for this site to wallets. */
const WALLET_CONNECT = {
  connect: 'wss://relay.walletconnect.org https://rpc.walletconnect.org https://verify.walletconnect.org',
  frame: 'https://verify.walletconnect.org',
}

interface PolicyParts {
  readonly hasWalletConnect: boolean
  /** The node of a development chain, which its test wallet asks; `undefined` everywhere else. */
  readonly testNode: string | undefined
}

/**
 * What pages may load and do: their own files and their own origin's answers. Nothing runs or is styled inline; what
 * becomes code must have passed a policy (Trusted Types); nobody frames them.
 */
export function pagePolicy({ hasWalletConnect, testNode }: PolicyParts): string {
  const connect = [
    "'self'",
    ...(hasWalletConnect ? [WALLET_CONNECT.connect] : []),
    ...(testNode === undefined ? [] : [testNode]),
  ]
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src ${connect.join(' ')}`,
    ...(hasWalletConnect ? [`frame-src ${WALLET_CONNECT.frame}`] : []),
    "font-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ')
}

interface DocumentParts {
  readonly title: string
  readonly description: string
  readonly files: PageFiles
  readonly data: PageData
  /** What is read where the page's files cannot be loaded: a service may refuse those too. */
  readonly plainly?: { readonly title: string; readonly text: string }
}

/** The document of a page: its files, and its data as text that no parser takes for code. */
export function pageDocument({ title, description, files, data, plainly }: DocumentParts): string {
  const root = rootOf(data.publicUrl)
  const at = (file: string) => escapeHtml(`${root}/${file}`)
  const head = [
    ...files.styles.map((file) => `<link rel="stylesheet" href="${at(file)}">`),
    `<script type="module" src="${at(files.script)}"></script>`,
    ...files.preloads.map((file) => `<link rel="modulepreload" href="${at(file)}">`),
  ]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<meta name="description" content="${escapeHtml(description)}">
<link rel="icon" type="image/svg+xml" href="${at(files.icon)}">
${head.join('\n')}
<script type="application/json" id="page">${scriptJson(data)}</script>
</head>
<body>
<div id="site">${plainly === undefined ? '' : plainHtml(plainly)}</div>
<noscript><p>This page needs JavaScript. What it shows can be had as JSON: <a href="${escapeHtml(root)}/docs">the API</a>.</p></noscript>
</body>
</html>
`
}

/** Hidden by the site's style, until the page has taken its place. */
function plainHtml({ title, text }: NonNullable<DocumentParts['plainly']>): string {
  return `<main class="unstyled"><h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p></main>`
}

/** The path that a proxy puts before every other one; mostly empty. */
function rootOf(publicUrl: string): string {
  return parseUrl(publicUrl)?.pathname.replace(/\/+$/, '') ?? ''
}

/** JSON that ends no script element, begins no comment in one, and breaks no line. */
function scriptJson(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('<', '\\u003c')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029')
}
