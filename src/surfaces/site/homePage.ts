import { createHash } from 'node:crypto'
import type { HtmlPage } from '../rest/restApp.ts'
import { escapeHtml } from './escapeHtml.ts'

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem}
dt{font-weight:600}dd{margin:0 0 .75rem}`

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

/** The answer of GET / for people: the same facts as the JSON, and nothing from elsewhere. */
export const homePage: HtmlPage = {
  contentSecurityPolicy: `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  render(body) {
    const title = escapeHtml(textOf(body.name))
    return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><style>${STYLE}</style></head>
<body><h1>${title}</h1>
<p>A JSON API over recurring payments on EVM chains, and the same as MCP tools. It signs and sends nothing.</p>
${definitions(body)}
</body>
</html>
`
  },
}

function definitions(facts: Readonly<Record<string, unknown>>): string {
  const rows = Object.entries(facts).map(([name, value]) => {
    const shown =
      typeof value === 'object' && value !== null ? definitions({ ...value }) : linked(textOf(value))
    return `<dt>${escapeHtml(name)}</dt><dd>${shown}</dd>`
  })
  return `<dl>${rows.join('')}</dl>`
}

function linked(text: string): string {
  const shown = escapeHtml(text)
  return /^https?:\/\//.test(text) ? `<a href="${shown}">${shown}</a>` : shown
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null)
}
