import { describe, expect, it } from 'vitest'
import { renderGuide } from './guidePages.ts'

describe('a guide as HTML', () => {
  it('has anchors where Markdown readers have them, and links to pages', () => {
    const { html, headings } = renderGuide(
      '# Due days\n\nSee [errors](errors.md#codes-and-`why`) and [x](https://a.example).\n\n## `asOf`, one block\n',
    )
    expect(headings).toEqual([
      { id: 'due-days', text: 'Due days', depth: 1 },
      { id: 'asof-one-block', text: 'asOf, one block', depth: 2 },
    ])
    expect(html).toContain('<h2 id="asof-one-block"><code>asOf</code>, one block</h2>')
    expect(html).toContain('href="errors#')
    expect(html).toContain('<a href="https://a.example">x</a>')
  })

  it('shows what is a tag in the Markdown as text, and follows no address that is code', () => {
    const { html } = renderGuide(
      'A <script>alert(1)</script> <img src=x onerror=alert(1)> [a](javascript:alert(1)) ![p](x.png)\n\n<b>b</b>\n',
    )
    expect(html).not.toMatch(/<(script|img|b)[\s>]/)
    expect(html).not.toContain('javascript:')
    expect(html).toContain('&lt;script&gt;')
  })

  it('escapes code, and names its language', () => {
    const { html } = renderGuide('```ts\nconst a = "<b>" && 1\n```\n')
    expect(html).toContain('<code data-language="ts">const a = &quot;&lt;b&gt;&quot; &amp;&amp; 1</code>')
  })
})
