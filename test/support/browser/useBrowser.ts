import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { findChromium } from '../programs/installed.ts'

const program = findChromium()

/** For `describe.skipIf(!browserIsInstalled)`. */
export const browserIsInstalled = program !== undefined

/** A page, and what went wrong on it so far: console errors, uncaught errors, what its policy forbade. */
export interface WatchedPage {
  readonly page: Page
  readonly problems: readonly string[]
  /** Every URL that it asked for, in order. */
  readonly requested: readonly string[]
}

export interface TestBrowser {
  /** A page in a profile of its own, closed after the test. */
  open(options?: BrowserContextOptions): Promise<WatchedPage>
}

/**
 * Chromium, from the installed package, for as long as this test file runs.
 * @param names host names that lead to this machine
 */
export function useBrowser(names: readonly string[] = []): TestBrowser {
  let browser: Browser | undefined
  const contexts: { close(): Promise<void> }[] = []

  beforeAll(async () => {
    if (program === undefined) return
    browser = await chromium.launch({
      executablePath: program,
      args: [
        // Tests may run as root, where its sandbox refuses to start.
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        `--host-resolver-rules=${names.map((name) => `MAP ${name} 127.0.0.1`).join()}`,
      ],
    })
  })
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close()
  })
  afterAll(() => browser?.close())

  return {
    async open(options = {}) {
      if (browser === undefined) throw new Error('Chromium runs only while tests do')
      const context = await browser.newContext(options)
      contexts.push(context)
      const page = await context.newPage()
      const problems: string[] = []
      const requested: string[] = []
      page.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text())
      })
      page.on('pageerror', (error) => problems.push(String(error)))
      page.on('request', (request) => requested.push(request.url()))
      return { page, problems, requested }
    },
  }
}
