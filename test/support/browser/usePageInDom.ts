import { Window } from 'happy-dom'
import { afterEach, expect, vi } from 'vitest'
import type { TestWallet } from '../wallets/walletProvider.ts'

export interface PageInDom {
  /** What the page says, with white space folded. */
  text(): string
  /** Presses the button whose whole text fits, once there is one that can be pressed. */
  press(name: string | RegExp): Promise<void>
  /** Waits until the page says it. */
  says(words: string | RegExp): Promise<void>
}

/** What pages ask of a browser in place of Node's own. */
const REPLACED = ['Event', 'CustomEvent', 'EventTarget', 'MouseEvent', 'navigator', 'crypto', 'Node']

/**
 * Opens pages of the site without a browser: the document as it is served, and the site's own modules over it. There is
 * no layout, no content policy and no network of the page's; those are tried in Chromium.
 * @param page.load imports `packages/site/src/main.ts`: each page has modules of its own
 * @param page.leave takes the page out of its document, and with it what it would do later
 */
export function usePageInDom(page: {
  load(): Promise<unknown>
  leave(): void
}): (url: string, wallet: TestWallet) => Promise<PageInDom> {
  const windows: Window[] = []
  afterEach(async () => {
    page.leave()
    // Effects wait for a frame of the window; they have it before the window is gone.
    for (const window of windows)
      await new Promise((next) => window.requestAnimationFrame(() => setTimeout(next)))
    vi.unstubAllGlobals()
    vi.resetModules()
    for (const window of windows.splice(0)) await window.happyDOM.close()
  })

  return async (url, wallet) => {
    const response = await fetch(url, { headers: { accept: 'text/html' } })
    const window = new Window({ url, settings: { disableCSSFileLoading: true } })
    windows.push(window)
    window.document.write(await response.text())
    vi.resetModules()
    for (const name of Object.getOwnPropertyNames(window)) {
      const isPages = !(name in globalThis) || REPLACED.includes(name)
      if (isPages) vi.stubGlobal(name, Reflect.get(window, name))
    }
    for (const name of ['addEventListener', 'removeEventListener', 'dispatchEvent'] as const) {
      vi.stubGlobal(name, window[name].bind(window))
    }
    vi.stubGlobal('window', window)
    announce(window, wallet)
    await page.load()

    const content = () => window.document.body
    const text = () => content().textContent.replaceAll(/\s+/g, ' ')
    const says: PageInDom['says'] = async (words) => {
      await expect
        .poll(text)
        .toEqual(typeof words === 'string' ? expect.stringContaining(words) : expect.stringMatching(words))
    }
    return {
      text,
      says,
      async press(name) {
        const found = () =>
          [...window.document.querySelectorAll('button')].find((button) => {
            const label = button.textContent.trim()
            return !button.disabled && (typeof name === 'string' ? label === name : name.test(label))
          })
        await expect
          .poll(() => found() !== undefined, { message: `a button ${name} on: ${text()}` })
          .toBe(true)
        found()?.click()
      },
    }
  }
}

/** As an extension does it, by EIP-6963. */
function announce(window: Window, wallet: TestWallet): void {
  const info = { uuid: 'test', name: 'Test wallet', icon: 'data:image/svg+xml,<svg/>', rdns: 'test.wallet' }
  window.addEventListener('eip6963:requestProvider', () => {
    const detail = Object.freeze({ info, provider: wallet })
    window.dispatchEvent(new window.CustomEvent('eip6963:announceProvider', { detail }))
  })
}
