import { createApiClient } from '@remit/client'
import type { Devnet } from '@remit/devchain/testing/startDevnet'
import { writePermit } from '@remit/site/testing/permit/permitText'
import type { Page } from 'playwright-core'
import { createPublicClient, http } from 'viem'
import { signedPermit } from '../support/wallets/signedPermit.ts'
import { signerOf } from '../support/wallets/signerOf.ts'

/** One picture: where it is taken, and what is done there first. */
export interface PictureVisit {
  readonly name: string
  readonly path: string
  readonly act?: (page: Page) => Promise<void>
}

/** What pictures are taken of, on the story of the development chain. */
export async function visits(url: string, devnet: Devnet): Promise<readonly PictureVisit[]> {
  const api = createApiClient({ url, chainId: devnet.chainId })
  const { subscriptions } = await api.searchSubscriptions({})
  const busy = subscriptions.find(({ frequency }) => frequency === 0) ?? subscriptions[0]
  if (busy === undefined) throw new Error('The story has no plan.')
  const { events } = await api.getSubscriptionHistory({ id: busy.id })
  const paid = events.find(({ eventName }) => eventName === 'ProviderPaid')
  const subscriber = events.find(({ eventName }) => eventName === 'Subscribed')?.subscriber
  return [
    { name: 'home', path: '/' },
    { name: 'plans', path: '/plans' },
    { name: 'plans-none', path: `/plans?provider=${busy.token.address}` },
    { name: 'plan', path: `/plans/${busy.id}` },
    { name: 'subscribe', path: `/subscribe/${busy.id}` },
    { name: 'plan-unknown', path: `/plans/0x${'12'.repeat(32)}` },
    { name: 'wallet-provider', path: `/wallets/${busy.provider}` },
    { name: 'wallet-subscriber', path: `/wallets/${subscriber}` },
    { name: 'me', path: `/me?address=${paid?.subscriber}` },
    {
      name: 'carry',
      path: await linkToCarry(devnet),
      act: (page) => page.getByRole('button', { name: 'Carry it' }).waitFor(),
    },
    { name: 'carry-cut', path: '/carry#cut' },
    { name: 'top-up-cut', path: '/top-up' },
    { name: 'desk', path: `/desk?address=${busy.provider}` },
    ...['members', 'plans', 'payments', 'settings'].map((section) => ({
      name: `desk-${section}`,
      path: `/desk/${section}?address=${busy.provider}`,
    })),
    { name: 'desk-new', path: '/desk/plans/new' },
    { name: 'desk-nobody', path: '/desk' },
    { name: 'keeper', path: '/keeper' },
    { name: 'receipt', path: `/receipts/${paid?.transactionHash}/${paid?.logIndex}` },
    {
      name: 'no-wallet',
      path: '/plans',
      act: (page) => page.getByRole('button', { name: 'Connect a wallet' }).click(),
    },
    { name: 'refused', path: '/plans?chainId=7' },
    { name: 'not-found', path: '/nowhere' },
    { name: 'status', path: '/status' },
    { name: 'guide', path: '/docs/passes' },
    {
      name: 'guide-search',
      path: '/docs/start',
      act: async (page) => {
        await page.getByRole('searchbox').fill('grace')
        await page.locator('#found a').first().waitFor()
      },
    },
    {
      name: 'docs',
      path: '/docs',
      act: async (page) => {
        await page.locator('.opblock-summary-control').first().click()
        await page.locator('.opblock-body').waitFor()
      },
    },
  ]
}

/** The link to a permission that somebody of the story has signed. */
async function linkToCarry({ url, chainId, contractAddress, tokens, wallets }: Devnet): Promise<string> {
  const signer = signerOf(wallets.addresses.indexOf(wallets.ben))
  const chain = { chainId, contract: contractAddress, client: createPublicClient({ transport: http(url) }) }
  const permit = await signedPermit(chain, { token: tokens.usdc, signer, value: 2_400_000_000n })
  return `/carry#${writePermit({ chainId, ...permit })}`
}
