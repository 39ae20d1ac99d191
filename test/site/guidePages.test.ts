import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { shoot } from '../support/browser/shoot.ts'
import { browserIsInstalled } from '../support/browser/useBrowser.ts'
import { DARK, PHONE, useSite } from '../support/browser/useSite.ts'

const site = await useSite()

it('every link of a guide’s page leads to a page', async () => {
  const seen = new Set<string>()
  const broken: string[] = []
  const read = async (path: string): Promise<void> => {
    const url = new URL(path, site.service.url)
    if (seen.has(url.pathname)) return
    seen.add(url.pathname)
    const response = await fetch(url)
    if (response.status !== 200) broken.push(url.pathname)
    const html = await response.text()
    if (!url.pathname.startsWith('/docs/') || url.pathname.includes('.')) return
    for (const [, href = ''] of html.matchAll(/<a href="([^"#]+)/g)) {
      const next = new URL(href, url)
      if (next.origin === url.origin) await read(next.pathname)
    }
  }
  await read('/docs/start')
  expect(broken).toEqual([])
  expect(seen.size).toBeGreaterThan(12)
})

it('the search knows every heading', async () => {
  const rows = z
    .array(z.object({ guide: z.string(), id: z.string(), text: z.string() }))
    .parse(await (await fetch(`${site.service.url}/docs/search.json`)).json())
  expect(rows).toContainEqual(expect.objectContaining({ guide: 'passes', id: 'check-a-pass' }))
})

describe.skipIf(!browserIsInstalled)('a guide’s page', () => {
  it.each([
    ['light', {}],
    ['dark', DARK],
    ['on a phone', PHONE],
  ])('can be read, searched and copied from, %s', async (how, look) => {
    const visit = await site.visit('/docs/passes', { look })
    const { page } = visit
    await page.getByRole('heading', { name: 'Check a pass' }).waitFor()
    await page.getByRole('button', { name: 'Copy' }).first().waitFor()
    await shoot(page, `guide ${how}`)
    await page.keyboard.press('/')
    await page.keyboard.insertText('grace wallet')
    await page.locator('#found a').first().waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/docs\/[\w-]+#/)
  })
})
