import { parseUrl } from '../../../schema/parseUrl.ts'
import { escapeHtml } from '../escapeHtml.ts'
import type { PageAddress, PageAnswers } from './definePage.ts'
import type { PageFiles } from './siteFiles.ts'

/** What a page finds in its document. `site/src/page/pageData.ts` reads it. */
export interface PageData extends PageAddress {
  /** Which page it is. */
  readonly page: string
  readonly version: string
  /** The public address of the service, without a slash at its end. */
  readonly publicUrl: string
  /** The id of WalletConnect's project; `null` where its wallets are not offered. */
  readonly walletConnect: string | null
  /** Those that can be chosen. */
  readonly chains: readonly { readonly chainId: number; readonly name: string }[]
  /** The page's chain. What was read at a block is `null` where the chain could not be read. */
  readonly chain: PageChain | null
  readonly answers: PageAnswers
  /** Why the page could not be had at all. */
  readonly refusal?: Readonly<Record<string, unknown>>
}

export interface PageChain {
  readonly chainId: number
  readonly name: string
  readonly isDefault: boolean
  /** The node that wallets may be told of: `null` but for a development chain. */
  readonly devRpcUrl: string | null
  readonly contract: string | null
  readonly block: {
    readonly blockNumber: number
    readonly blockHash: string
    readonly timestamp: number
  } | null
  /** The day of the chain's clock, unix time / 86400. */
  readonly today: number | null
}

/** What WalletConnect's library asks: the relay, the nodes that it reads from, and who vouches for this site to wallets. */
const WALLET_CONNECT = {
  connect: 'wss://relay.walletconnect.org https://rpc.walletconnect.org https://verify.walletconnect.org',
  frame: 'https://verify.walletconnect.org',
}

/**
 * What pages may load and do: their own files and their own origin's answers. Nothing runs or is styled inline; what
 * becomes code must have passed a policy (Trusted Types); nobody frames them.
 */
export function pagePolicy({ hasWalletConnect }: { readonly hasWalletConnect: boolean }): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    hasWalletConnect ? `connect-src 'self' ${WALLET_CONNECT.connect}` : "connect-src 'self'",
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
}

/** The document of a page: its files, and its data as text that no parser takes for code. */
export function pageDocument({ title, description, files, data }: DocumentParts): string {
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
<div id="site"></div>
<noscript><p>This page needs JavaScript. What it shows can be had as JSON: <a href="${escapeHtml(root)}/docs">the API</a>.</p></noscript>
</body>
</html>
`
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
