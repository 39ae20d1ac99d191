import type { PageChain, PageData } from '@remit/site/page/pageContents'
import { afterEach, beforeEach, vi } from 'vitest'

const DATA: PageData = {
  page: 'me',
  path: {},
  query: {},
  version: '0.0.0',
  publicUrl: 'http://localhost',
  operator: null,
  walletConnect: null,
  keepsRescues: false,
  chains: [],
  chain: null,
  answers: {},
}

/** A chain for such a page, of which nothing was read. */
export const PAGE_CHAIN: PageChain = {
  chainId: 31_337,
  name: 'Here',
  isDefault: true,
  devRpcUrl: null,
  contract: null,
  block: null,
  today: null,
}

/**
 * Lets a test without a browser import what reads its document as it is loaded. Import it inside the test: each test has
 * modules of its own, and other test files have none of them.
 * @param data what its document has, beside what every one has
 */
export function usePageModules(data: Partial<PageData> = {}): void {
  beforeEach(() => {
    vi.resetModules()
    vi.stubGlobal('window', new EventTarget())
    vi.stubGlobal('location', new URL('http://localhost/me'))
    vi.stubGlobal('document', {
      getElementById: () => ({ textContent: JSON.stringify({ ...DATA, ...data }) }),
    })
  })
  afterEach(() => {
    vi.unstubAllGlobals()
    vi.resetModules()
  })
}
