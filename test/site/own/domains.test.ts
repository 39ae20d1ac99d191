import { recoverMessageAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { shoot } from '../../support/browser/shoot.ts'
import { browserIsInstalled } from '../../support/browser/useBrowser.ts'
import { DARK, PHONE } from '../../support/browser/useSite.ts'
import { signerOf } from '../../support/chain/useTestChain.ts'
import { useDnsServer } from '../../support/dns/useDnsServer.ts'
import { expectUsable, useOwnPages } from './useOwnPages.ts'

const [dns, secondDns] = [await useDnsServer(), await useDnsServer()]
const { open, connect, chain, protocol, service } = await useOwnPages({
  DNS_RESOLVER: dns.address,
  SECOND_DNS_RESOLVER: secondDns.address,
})
const { alice, provider, otherProvider } = chain.wallets
const signature = await signerOf(1).signMessage({ message: 'clocktower' })
for (const { zone } of [dns, secondDns]) zone.set('ct.coffee.example', { txt: [[signature]] })
const profile = { description: '', url: '', domain: 'coffee.example', email: '', misc: '' }
const theirs = await protocol.create({ dueDay: 3 })
const claimed = await protocol.create({ provider: otherProvider, dueDay: 4 })
await protocol.send(provider, 'editProvDetails', [{ ...profile, company: 'Coffee House' }])
await protocol.send(otherProvider, 'editProvDetails', [{ ...profile, company: 'Coffee Haus' }])
await protocol.join(theirs, alice)

const Known = z.object({
  identity: z.object({ domain: z.object({ state: z.string(), checkedAt: z.int() }) }),
})

/** Waits until both have been looked up. */
async function lookedUp(): Promise<void> {
  for (const [address, state] of [
    [provider, 'verified'],
    [otherProvider, 'unverified'],
  ]) {
    const stateOf = async () => {
      const known = Known.safeParse((await service.get(`/providers/${address}`)).body)
      return known.data?.identity.domain.state
    }
    await expect.poll(stateOf, { timeout: 30_000 }).toBe(state)
  }
}

const Payments = z.object({ payments: z.array(z.object({ transactionHash: z.string(), logIndex: z.int() })) })

async function receiptOf(): Promise<string> {
  const { payments } = Payments.parse((await service.get(`/providers/${provider}/payments`)).body)
  return `/receipts/${payments[0]?.transactionHash}/${payments[0]?.logIndex}`
}

const PAGES: readonly (readonly [string, () => string | Promise<string>])[] = [
  ['the checkout', () => `/subscribe/${theirs.id}`],
  ['the plan', () => `/plans/${theirs.id}`],
  ['the plans', () => '/plans'],
  ['the provider', () => `/wallets/${provider}`],
  ['the receipt', receiptOf],
  ['one’s subscriptions', () => `/me?address=${alice}`],
]

describe.skipIf(!browserIsInstalled)('a domain', () => {
  it.each(PAGES)(
    'that is proven is marked on %s',
    async (name, path) => {
      await lookedUp()
      for (const [how, look] of [
        ['light', {}],
        ['dark-phone', { ...PHONE, ...DARK }],
      ] as const) {
        const visit = await open(await path(), { look })
        const mark = visit.page.locator('.provider-mark--verified').first()
        await mark.waitFor()
        expect(await mark.textContent()).toBe('✓ coffee.example, verified')
        await shoot(visit.page, `domain-${name.replaceAll(/\W/g, '-')}-${how}`)
        await expectUsable(visit)
      }
    },
    60_000,
  )

  it('that somebody else only claims is shown as what they say', async () => {
    await lookedUp()
    for (const path of [`/subscribe/${claimed.id}`, `/plans/${claimed.id}`, `/wallets/${otherProvider}`]) {
      const visit = await open(path)
      await visit.page.getByText('coffee.example (not proven)').first().waitFor()
      expect(await visit.page.locator('.provider-mark--verified').count()).toBe(0)
      await expectUsable(visit)
    }
  }, 120_000)

  it('is proven by a record that the desk tells, which the wallet signs', async () => {
    await lookedUp()
    const visit = await open('/desk/settings', { wallets: [{ account: otherProvider }] })
    const { page, button } = visit
    await connect(visit)
    await page.getByText(/Payers see only that you say so/).waitFor()
    await button('Sign this text').click()
    await page.getByText('ct.coffee.example', { exact: true }).waitFor()
    await button('Copy the record’s value').waitFor()
    const record = await page.locator('pre', { hasText: /^0x[0-9a-f]{130}$/ }).textContent()
    const message = `coffee.example belongs to ${otherProvider}`
    expect(
      await recoverMessageAddress({
        message,
        signature: z.templateLiteral(['0x', z.string()]).parse(record),
      }),
    ).toBe(otherProvider)
    await shoot(page, 'domain-desk')
    await expectUsable(visit)
  }, 120_000)
})
