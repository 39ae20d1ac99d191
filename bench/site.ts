import type { Browser } from 'playwright-core'
import * as z from 'zod'
import { visits } from '../site/pictureVisits.ts'
import { withSite } from '../site/withSite.ts'
import { median, table } from './print.ts'

// How soon a phone on a slow line shows a page: a processor a quarter as fast, 1.6 Mbit/s with 150 ms there and back,
// nothing in the cache. LCP is when the largest thing in sight is painted.

const ASKED = process.argv.slice(2)
const PAGES = ASKED.length > 0 ? ASKED : ['home', 'plans', 'plan', 'subscribe', 'wallet-provider']
const RUNS = 3
const SLOW_PROCESSOR = 4
const LINE = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 94_000 }
const MOST_LCP_MS = 2_500

const Seen = z.object({ lcp: z.number(), shift: z.number(), bytes: z.number(), files: z.number() })

async function measure(browser: Browser, url: string): Promise<z.output<typeof Seen>> {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', LINE)
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOW_PROCESSOR })
  await page.addInitScript({
    content: `window.seen = { lcp: 0, shift: 0 }
      new PerformanceObserver((list) => { for (const { startTime } of list.getEntries()) seen.lcp = startTime })
        .observe({ type: 'largest-contentful-paint', buffered: true })
      new PerformanceObserver((list) => { for (const { value } of list.getEntries()) seen.shift += value })
        .observe({ type: 'layout-shift', buffered: true })`,
  })
  await page.goto(url)
  await page.locator('#content').waitFor()
  // It is told a little after it was painted.
  await page.waitForTimeout(500)
  const seen = await page.evaluate(`(() => {
    const files = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
    return { ...seen, files: files.length, bytes: files.reduce((sum, { transferSize }) => sum + transferSize, 0) }
  })()`)
  await context.close()
  return Seen.parse(seen)
}

await withSite(async ({ url, devnet, browser }) => {
  const rows: string[][] = []
  for (const { name, path } of await visits(url, devnet)) {
    if (!PAGES.includes(name)) continue
    const runs = []
    for (let run = 0; run < RUNS; run += 1) runs.push(await measure(browser, `${url}${path}`))
    rows.push([
      name,
      String(median(runs.map(({ files }) => files))),
      (median(runs.map(({ bytes }) => bytes)) / 1024).toFixed(0),
      (median(runs.map(({ lcp }) => lcp)) / 1000).toFixed(1),
      Math.max(...runs.map(({ shift }) => shift)).toFixed(3),
    ])
  }
  const heads = ['page', 'files', 'KB over the line', 'LCP, s (median)', 'shift (worst)']
  process.stdout.write(`${table(heads, rows)}\nLCP is to be at most ${MOST_LCP_MS / 1000} s.\n`)
})
