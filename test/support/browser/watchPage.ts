import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import * as z from 'zod'

/** Collects what no page may have: reports of its policy, and what moves by itself. Call it before the page loads. */
export async function watchPage(page: Page): Promise<void> {
  await page.addInitScript({
    content: `(() => {
      window.siteWatch = { reports: [], shift: 0, moved: [] }
      addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile }) => {
        window.siteWatch.reports.push([violatedDirective, blockedURI, sourceFile].join(' '))
      })
      new PerformanceObserver((list) => {
        for (const { value, hadRecentInput, sources } of list.getEntries()) {
          if (hadRecentInput) continue
          window.siteWatch.shift += value
          window.siteWatch.moved.push(...sources.map(({ node }) => (node?.outerHTML ?? String(node)).slice(0, 100)))
        }
      }).observe({ type: 'layout-shift', buffered: true })
    })()`,
  })
}

const Watched = z.object({ reports: z.array(z.string()), shift: z.number(), moved: z.array(z.string()) })

/** What lighthouse calls good is 0.1; nothing here has a reason to move at all. */
const MOST_SHIFT = 0.01

/**
 * Nothing was forbidden by the page's policy, nothing has moved under the reader, and nothing, nor a part of a
 * navigation, hangs over the side.
 */
export async function expectStill(page: Page): Promise<void> {
  const { reports, shift, moved } = Watched.parse(await page.evaluate('window.siteWatch'))
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
  const cut =
    '[...document.querySelectorAll("nav")].filter((nav) => nav.scrollWidth > nav.clientWidth).length'
  expect(await page.evaluate(cut)).toBe(0)
  expect(reports).toEqual([])
  expect(shift, moved.join('\n')).toBeLessThanOrEqual(MOST_SHIFT)
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const Found = z.object({
  violations: z.array(
    z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string(), failureSummary: z.string() })) }),
  ),
})

const THEMES = ['light', 'dark'] as const
/** What the theme can change. */
const COLOURS = 'runOnly: ["color-contrast", "link-in-text-block"]'

/**
 * axe finds nothing on the page as it stands, in both themes. It says what, where it does. The theme that the page is
 * not in is held to the rules about colour only: nothing else changes with it.
 */
export async function expectAccessible(page: Page): Promise<void> {
  // Past the page's own policy, as the browser's console is.
  await page.evaluate(AXE)
  const told = await violations(page, '')
  const isDark = await page.evaluate('matchMedia("(prefers-color-scheme: dark)").matches')
  const [own, other] = isDark ? THEMES.toReversed() : THEMES
  await page.emulateMedia({ colorScheme: other })
  // A page that follows by script hears of it in the next frame.
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
  told.push(...(await violations(page, COLOURS)).map((one) => `${other}: ${one}`))
  await page.emulateMedia({ colorScheme: own })
  expect(told).toEqual([])
}

async function violations(page: Page, options: string): Promise<string[]> {
  const found = Found.parse(
    await page.evaluate(`axe.run({ resultTypes: ["violations"], ${options} })`),
  ).violations
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  )
}
