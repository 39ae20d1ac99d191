import type { BrowserContextOptions, Page } from 'playwright-core'
import type { Address } from 'viem'
import { expect } from 'vitest'
import { type Protocol, protocolOn } from '../chain/protocolOn.ts'
import { MONDAY_NOON, type TestChain, useTestChain } from '../chain/useTestChain.ts'
import { indexed } from '../service/indexed.ts'
import { type TestService, useTestService } from '../service/testService.ts'
import { buildSiteOnce } from './buildSiteOnce.ts'
import { giveWallet, type PageWallet, type PageWalletOptions } from './pageWallet.ts'
import { useBrowser, type WatchedPage } from './useBrowser.ts'
import { expectAccessible, expectStill, watchPage } from './watchPage.ts'

/** A page that does not come to what is waited for within this is not going to. */
const PATIENCE_MS = 60_000

export interface SiteVisit {
  /** The wallets of the visitor's browser. */
  readonly wallets?: readonly (Partial<PageWalletOptions> & { readonly account: Address })[]
  readonly look?: BrowserContextOptions
}

export interface SitePageVisit extends WatchedPage {
  readonly wallets: readonly PageWallet[]
  /** The status of the document. */
  readonly status: number
  button(name: string | RegExp): ReturnType<Page['getByRole']>
  link(name: string | RegExp): ReturnType<Page['getByRole']>
  /** The paths of the API that the page has asked for by itself: reads that did not come with the document. */
  apiCalls(): string[]
  /**
   * No error, no report of the policy, nothing moved, nobody but this service asked, and axe finds nothing. Call it
   * at the end of every test.
   */
  expectSound(): Promise<void>
}

export interface Site {
  readonly chain: TestChain
  readonly protocol: Protocol
  readonly service: TestService
  /** Opens a page in a browser of somebody's own, once the service has seen the chain's newest block. */
  visit(path: string, visit?: SiteVisit): Promise<SitePageVisit>
}

/** Swagger UI says this of every address with an underscore, and operations have them in their names. */
export const ABOUT_UNDERSCORES = /^Deprecated: escaping deep link whitespace/

export const PHONE: BrowserContextOptions = { viewport: { width: 360, height: 740 } }
export const DARK: BrowserContextOptions = { colorScheme: 'dark' }

/**
 * The site as it is served, over a chain that goes on from test to test, in Chromium. One for each file:
 * `const site = await useSite()` at the top.
 * @param environment of the service, on top of what the chain needs: SPEC's own limits, for example
 * @param timestamp when the chain begins, unix time in seconds; default: on a Monday
 */
export async function useSite(
  environment: Record<string, string> = {},
  timestamp = MONDAY_NOON,
): Promise<Site> {
  await buildSiteOnce()
  const chain = await useTestChain({ goesOn: true, timestamp })
  const protocol = protocolOn(chain)
  const service = await useTestService([chain], environment)
  const browser = useBrowser()
  const origin = new URL(service.url).origin

  return {
    chain,
    protocol,
    service,
    async visit(path, { wallets = [], look = {} } = {}) {
      await indexed(service, chain)
      await service.caughtUp()
      const watched = await browser.open({ viewport: { width: 1200, height: 900 }, ...look })
      const { page, problems, requested } = watched
      page.setDefaultTimeout(PATIENCE_MS)
      await watchPage(page)
      const given: PageWallet[] = []
      for (const wallet of wallets) {
        given.push(await giveWallet(page, { rpcUrl: chain.url, found: 'announced', ...wallet }))
      }
      const response = await page.goto(`${service.url}${path}`)
      const status = response?.status() ?? 0
      await page.locator('#content').waitFor()
      return {
        ...watched,
        wallets: given,
        status,
        button: (name) => page.getByRole('button', { name }),
        link: (name) => page.getByRole('link', { name }),
        apiCalls: () => requested.map(apiPathOf(service.url)).filter((asked) => asked !== undefined),
        async expectSound() {
          // What Chromium says of a document's status is no problem of the page.
          const own = problems.filter(
            (problem) => !problem.includes(`status of ${status}`) && !ABOUT_UNDERSCORES.test(problem),
          )
          expect(own).toEqual([])
          const elsewhere = requested.filter(
            (url) => !url.startsWith('data:') && new URL(url).origin !== origin,
          )
          expect(elsewhere).toEqual([])
          await expectStill(page)
          await expectAccessible(page)
        },
      }
    },
  }
}

/** What a request asks of the API; `undefined` for documents and their files. */
function apiPathOf(base: string) {
  let documents = 0
  return (url: string): string | undefined => {
    if (!url.startsWith(base) || /^\/(docs\/)?assets\//.test(url.slice(base.length))) return undefined
    documents += 1
    return documents === 1 ? undefined : url.slice(base.length)
  }
}

/** How often something was prepared by the service. */
export function prepares({ requested }: SitePageVisit): number {
  return requested.filter((url) => new URL(url).pathname.startsWith('/prepare/')).length
}
