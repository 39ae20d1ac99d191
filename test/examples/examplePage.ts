import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { afterAll } from 'vitest'
import { buildPage } from '../../examples/browser/build.ts'
import { createPageServer } from '../../examples/browser/serve.ts'

/** The browser example, built for these services and served as it says, until the file ends. */
export async function serveExamplePage(port: number, services: readonly string[]): Promise<string> {
  const outdir = mkdtempSync(join(tmpdir(), 'remit-page-'))
  const server = createPageServer(await buildPage({ services, outdir }))
  afterAll(() => {
    server.closeAllConnections()
    server.close()
    rmSync(outdir, { recursive: true, force: true })
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return outdir
}

/** Keeps a picture of the page where SCREENSHOTS names a folder, for people to look at. */
export async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS
  if (!folder) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
}

/** Moves the focus on by the Tab key until it is there; throws where it never comes. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let presses = 0; presses < 40; presses += 1) {
    await page.keyboard.press('Tab')
    if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return
  }
  throw new Error(`Tab never comes to ${target}`)
}

/** The least contrast, as WCAG 2 counts it, of any text on the page with what is painted behind it. */
export const LEAST_CONTRAST = `(() => {
  const rgb = (color) => color.match(/[\\d.]+/g).map(Number)
  const light = (color) => {
    const [r, g, b] = rgb(color).map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const behind = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const { backgroundColor } = getComputedStyle(at)
      if (rgb(backgroundColor)[3] !== 0) return backgroundColor
    }
    return 'rgb(255, 255, 255)'
  }
  const texts = [...document.querySelectorAll('body *')].filter(
    (element) => element.checkVisibility() && [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== ''),
  )
  return Math.min(...texts.map((element) => {
    const [one, other] = [light(getComputedStyle(element).color), light(behind(element))].sort((a, b) => b - a)
    return (one + 0.05) / (other + 0.05)
  }))
})()`
