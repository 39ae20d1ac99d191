/**
 * `npm run pictures -w @remit/testing -- [page…]`: each page of the site over the development chain's story, in light and dark, on a
 * desk and on a phone, as PNG files in test/pictures/pictures/, for people to look at.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContextOptions } from 'playwright-core'
import { visits } from './pictureVisits.ts'
import { withSite } from './withSite.ts'

const FOLDER = join(import.meta.dirname, 'pictures')

const LOOKS: Readonly<Record<string, BrowserContextOptions>> = {
  light: { viewport: { width: 1280, height: 900 }, colorScheme: 'light' },
  dark: { viewport: { width: 1280, height: 900 }, colorScheme: 'dark' },
  phone: { viewport: { width: 390, height: 844 }, colorScheme: 'light', deviceScaleFactor: 2 },
  'dark-phone': { viewport: { width: 390, height: 844 }, colorScheme: 'dark', deviceScaleFactor: 2 },
}

const wanted = process.argv.slice(2)

await withSite(async ({ url, devnet, browser }) => {
  mkdirSync(FOLDER, { recursive: true })
  for (const { name, path, act } of await visits(url, devnet)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue
    for (const [look, options] of Object.entries(LOOKS)) {
      const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
      const page = await context.newPage()
      await page.goto(`${url}${path}`)
      await page.locator('#content').waitFor()
      await act?.(page)
      for (const chart of await page.locator('.chart__place').all()) await chart.locator('svg').waitFor()
      for (const code of await page.locator('.qr').all()) await code.locator('path[d*=M]').waitFor()
      await page.evaluate('scrollTo(0, 0)')
      await page.screenshot({ path: join(FOLDER, `${name}-${look}.png`), fullPage: true })
      await context.close()
    }
    console.log(name)
  }
})
