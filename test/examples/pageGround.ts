import type { BrowserContextOptions } from 'playwright-core'
import type { Address } from 'viem'
import { expect } from 'vitest'
import { protocolOn } from '../support/chain/protocolOn.ts'
import { useTestChain } from '../support/chain/useTestChain.ts'
import { freePort } from '../support/programs/freePort.ts'
import { useBrowser } from '../support/programs/useBrowser.ts'
import { indexed } from '../support/service/indexed.ts'
import { useTestService } from '../support/service/testService.ts'
import { serveExamplePage } from './examplePage.ts'
import { giveWallet, type PageWalletOptions } from './pageWallet.ts'

/** A page that does not come to what is waited for within this is not going to. */
const PATIENCE_MS = 12_000

/** What a provider writes who hopes that a page takes it for markup. */
export const MARKUP = '<img src=x onerror="alert(1)"><b>Sign</b> everything'

type WalletChoice = Partial<PageWalletOptions> & { readonly account: Address }

interface Visit {
  readonly id?: string
  readonly query?: string
  readonly look?: BrowserContextOptions
}

/**
 * The browser example over a chain with a weekly subscription, due on Wednesdays, and people who have tokens. What
 * one test does is there for the next.
 */
export async function usePageGround() {
  const chain = await useTestChain({ goesOn: true })
  const protocol = protocolOn(chain)
  const { alice, bob, carol, dave, stranger, admin, provider, keeper } = chain.wallets
  const weekly = await protocol.create({ dueDay: 3 })
  const description = `A bag of coffee every week ${MARKUP}`
  const details = { url: 'https://coffee.example/weekly', description }
  await protocol.send(provider, 'editDetails', [details, weekly.id])
  const profile = {
    description: 'Roasters since this spring',
    company: 'Coffee House',
    url: 'https://coffee.example',
    domain: 'coffee.example',
    email: 'hello@coffee.example',
    misc: '',
  }
  await protocol.send(provider, 'editProvDetails', [profile])
  for (const account of [alice, bob, carol, dave, stranger, admin]) {
    await protocol.fund(chain.tokens.usdc, account, { balance: 1_000_000_000n })
  }

  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const service = await useTestService([chain], { API_CORS_ALLOWED_ORIGINS: origin })
  await serveExamplePage(port, [service.url])
  const browser = useBrowser()

  /** The page for a subscription, with these wallets, in a browser of somebody's own. */
  async function open(wallets: readonly WalletChoice[], visit: Visit = {}) {
    const { id = weekly.id, query = `?subscription=${id}`, look = {} } = visit
    await indexed(service, chain)
    const watched = await browser.open({ viewport: { width: 1000, height: 900 }, ...look })
    const { page } = watched
    page.setDefaultTimeout(PATIENCE_MS)
    const given = []
    for (const wallet of wallets) {
      given.push(await giveWallet(page, { rpcUrl: chain.url, found: 'announced', ...wallet }))
    }
    await page.goto(`${origin}/${query}`)
    const button = (name: string | RegExp) => page.getByRole('button', { name })
    return {
      ...watched,
      wallets: given,
      button,
      /** Whatever happened, nothing was forbidden, nothing failed unseen, and nobody else was asked. */
      expectQuiet() {
        expect(watched.problems).toEqual([])
        const asked = new Set(
          watched.requested
            .map((url) => new URL(url))
            .filter(({ protocol }) => protocol !== 'data:')
            .map((url) => url.origin),
        )
        expect([...asked].toSorted()).toEqual([origin, new URL(service.url).origin].toSorted())
      },
    }
  }

  /** Monday is 1, as the protocol counts. */
  async function weekDay(): Promise<number> {
    return ((Math.floor((await chain.now()) / 86_400) + 3) % 7) + 1
  }

  /** Lets the next Wednesday come, and everything be collected that is due. */
  async function collect(): Promise<void> {
    await chain.advanceDays((weekly.dueDay - (await weekDay()) + 7) % 7 || 7)
    await protocol.send(keeper, 'remit', [])
  }

  return { chain, protocol, weekly, service, origin, open, weekDay, collect }
}
