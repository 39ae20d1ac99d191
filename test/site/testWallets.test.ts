import { describe, expect, it } from 'vitest'
import { browserIsInstalled } from '../support/browser/useBrowser.ts'
import { useSite } from '../support/browser/useSite.ts'

const site = await useSite({ TEST_WALLET: '2=Coffee House (provider),5=newcomer' })
const accounts = await site.chain.client.getAddresses()
const [, , provider, , , newcomer] = accounts
if (provider === undefined || newcomer === undefined) throw new Error('The node has too few accounts.')
const plan = await site.protocol.create({ provider })

describe.skipIf(!browserIsInstalled)('the test wallets of a development chain', () => {
  it('let somebody without a wallet subscribe, and are still there on the next visit', async () => {
    await site.protocol.fund(site.chain.tokens.usdc, newcomer, { balance: 1_000_000_000n })
    const { page, button, problems } = await site.visit(`/subscribe/${plan.id}`)
    await page.locator('#content').getByRole('button', { name: 'Test wallet: newcomer' }).click()
    await button('Review').click()
    await button(/^Subscribe and pay/).click()
    await page.getByRole('heading', { name: 'You are subscribed' }).waitFor()
    const members = (await site.protocol.subscribersOf(plan)).map((address) => address.toLowerCase())
    expect(members).toContain(newcomer.toLowerCase())
    await page.reload()
    await page.getByText('You are subscribed to this already.').waitFor()
    expect(problems).toEqual([])
  })

  it('let them act as the provider of a plan', async () => {
    const { page, link, problems } = await site.visit('/desk')
    await page
      .locator('#content')
      .getByRole('button', { name: 'Test wallet: Coffee House (provider)' })
      .click()
    await page.getByRole('heading', { name: 'Your desk' }).waitFor()
    await link('New plan').waitFor()
    expect(problems).toEqual([])
  })
})
