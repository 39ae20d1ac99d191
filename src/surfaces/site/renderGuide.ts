import { Marked, type Tokens } from 'marked'
import { escapeHtml } from './escapeHtml.ts'

/** A heading of a guide, to be found and linked to. */
interface GuideHeading {
  readonly id: string
  readonly text: string
  readonly depth: number
}

export interface RenderedGuide {
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

/** What GitHub and every Markdown reader make of a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-')
}

/** Where a link leads; `undefined` for what is no address that a page may have. */
function targetOf(href: string): string | undefined {
  const [, guide, anchor = ''] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? []
  if (guide !== undefined) return `${guide}${anchor}`
  return /^(https?:\/\/|#|[\w-]+(\/|$))/.test(href) ? href : undefined
}
