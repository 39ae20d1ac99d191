import { Marked, type Tokens } from 'marked'
import type { ServedDocument } from '../../calls/servedDocument.ts'
import type { FramedDocument } from './docsFrame.ts'
import { escapeHtml } from './escapeHtml.ts'
import type { Guide } from './readGuides.ts'
import type { ReferenceAssets } from './referencePage.ts'

// The guides (`docs/*.md`) as HTML pages for people, and a JSON file with the words that their search looks through.

/** The Content-Security-Policy of these pages: they may load files and answers of their own origin. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

export const HTML_UTF8_TYPE = 'text/html; charset=utf-8'

/** One part of a guide, from a heading to the next one, for the search. */
interface SearchRow {
  /** The guide's name, as in its address. */
  readonly guide: string
  readonly title: string
  /** The anchor of the heading. */
  readonly id: string
  readonly heading: string
  readonly text: string
}

/** A document whose content may change from release to release at the same address, so browsers ask each time whether it has. */
export function docsPage(path: string, contentType: string, render: () => string): ServedDocument {
  return { name: 'docs', path, contentType, cache: 'revalidate', metering: 'metered', render }
}

/** The guides as pages at `/docs/<name>`, beside the Markdown, with what their search looks through. */
export function guidePages(
  guides: readonly Guide[],
  assets: ReferenceAssets['links'],
  frame: (document: FramedDocument) => string,
): ServedDocument[] {
  return [
    ...guides.map((guide) => ({
      ...docsPage(`/docs/${guide.name}`, HTML_UTF8_TYPE, () => frame(framedGuide(guide, guides, assets))),
      contentSecurityPolicy: POLICY,
    })),
    // Asked for once a reader searches. It is counted and never refused, so a reader's minute is left for calls.
    {
      ...docsPage('/docs/search.json', 'application/json', () => JSON.stringify(searchRows(guides))),
      metering: 'counted',
    },
  ]
}

function framedGuide(
  guide: Guide,
  guides: readonly Guide[],
  assets: ReferenceAssets['links'],
): FramedDocument {
  const { html, headings } = renderGuide(guide.markdown)
  const links = guides.map(({ name, title }) => {
    const current = name === guide.name ? ' aria-current="page"' : ''
    return `<li><a href="${escapeHtml(name)}"${current}>${escapeHtml(title)}</a></li>`
  })
  const next = guides[guides.indexOf(guide) + 1]
  return {
    title: `${guide.title} · Remit`,
    description: guide.note,
    // Relative, so that a path which a proxy puts before all others does no harm.
    up: '../',
    styles: [assets.docsStyle],
    scripts: [assets.docsScript],
    icon: assets.icon,
    body: `<div class="frame__main guide">
<main id="content" class="guide__main">
<p class="guide__tools"><a class="guide__all" href="#guides">All guides</a>
<a href="${escapeHtml(guide.name)}.md">This page as Markdown</a></p>
${html}${next === undefined ? '' : `<p class="guide__next">Next: <a href="${escapeHtml(next.name)}">${escapeHtml(next.title)}</a></p>\n`}</main>
<nav class="guide__nav" id="guides" aria-labelledby="guides-title"><h2 id="guides-title">Guides</h2><ul>${links.join('')}
<li><a href="../docs">API reference</a></li></ul></nav>
${contents(headings)}
</div>`,
  }
}

function contents(headings: RenderedGuide['headings']): string {
  const parts = headings.filter(({ depth }) => depth === 2)
  if (parts.length < 2) return ''
  const rows = parts.map(({ id, text }) => `<li><a href="#${escapeHtml(id)}">${escapeHtml(text)}</a></li>`)
  return `<nav class="guide__contents" aria-labelledby="contents-title"><h2 id="contents-title">On this page</h2><ul>${rows.join('')}</ul></nav>`
}

function searchRows(guides: readonly Guide[]): SearchRow[] {
  return guides.flatMap(({ name, title, markdown }) => {
    const { headings } = renderGuide(markdown)
    const bodies = markdown.split(/^#{1,6} .+$/m).slice(1)
    return headings.map(({ id, text }, place) => ({
      guide: name,
      title,
      id,
      heading: text,
      text: (bodies[place] ?? '').replaceAll(/[`*|#>\s]+/g, ' ').trim(),
    }))
  })
}

/** A heading of a guide, to be found and linked to. */
interface GuideHeading {
  readonly id: string
  readonly text: string
  readonly depth: number
}

interface RenderedGuide {
  readonly html: string
  readonly headings: readonly GuideHeading[]
}

/**
 * A guide as HTML. Tags within the Markdown are shown as text, and links to other guides lead to their pages.
 *
 * Headings get the anchors that Markdown readers give them, so that links work in both forms.
 */
export function renderGuide(markdown: string): RenderedGuide {
  const headings: GuideHeading[] = []
  const marked = new Marked({
    gfm: true,
    renderer: {
      html: ({ text }: Tokens.HTML | Tokens.Tag) => escapeHtml(text),
      heading({ tokens, text, depth }: Tokens.Heading) {
        const id = anchorOf(text)
        const shown = this.parser.parseInline(tokens)
        headings.push({ id, text: text.replaceAll('`', ''), depth })
        return `<h${depth} id="${escapeHtml(id)}">${shown}</h${depth}>\n`
      },
      link({ href, tokens }: Tokens.Link) {
        const shown = this.parser.parseInline(tokens)
        const target = targetOf(href)
        return target === undefined ? shown : `<a href="${escapeHtml(target)}">${shown}</a>`
      },
      image: ({ text }: Tokens.Image) => escapeHtml(text),
      table(token: Tokens.Table) {
        const row = (cells: readonly Tokens.TableCell[], tag: 'th' | 'td') =>
          `<tr>${cells.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>`
        const body = token.rows.map((cells) => row(cells, 'td')).join('')
        // It scrolls within itself, by keyboard too.
        return `<div class="guide__table" tabindex="0" role="group" aria-label="Table"><table><thead>${row(token.header, 'th')}</thead><tbody>${body}</tbody></table></div>\n`
      },
      code({ text, lang }: Tokens.Code) {
        const language = /^[a-z]+/.exec(lang ?? '')?.[0] ?? ''
        return `<div class="guide__code"><pre tabindex="0"><code data-language="${language}">${escapeHtml(text)}</code></pre></div>\n`
      },
    },
  })
  const html = marked.parse(markdown, { async: false })
  return { html, headings }
}

/** The anchor of a heading, as GitHub and Markdown readers make it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-')
}

/** Where a link of a guide leads: another guide's page, or as it is written; `undefined`, so no link, for any other kind of address. */
function targetOf(href: string): string | undefined {
  const [, guide, anchor = ''] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? []
  if (guide !== undefined) return `${guide}${anchor}`
  return /^(https?:\/\/|#|[\w-]+(\/|$))/.test(href) ? href : undefined
}
