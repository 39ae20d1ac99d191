import { describe, expect, it } from 'vitest'
import { browserIsInstalled } from '../support/browser/useBrowser.ts'
import { useSite } from '../support/browser/useSite.ts'

const NAME = /^Test wallet of this development chain/

const site = await useSite({ TEST_WALLET: 'true' })
const plan = await site.protocol.create()

describe.skipIf(!browserIsInstalled)('the test wallet of a development chain', () => {
  it('lets somebody without a wallet subscribe, and is still there on the next visit', async () => {
    const accounts = await site.chain.client.getAddresses()
    const account = accounts[11] ?? accounts.at(-1)
    if (account === undefined) throw new Error('The node has no account.')
    await site.protocol.fund(site.chain.tokens.usdc, account, { balance: 1_000_000_000n })
    const { page, button, problems } = await site.visit(`/subscribe/${plan.id}`)
    await page.locator('#content').getByRole('button', { name: NAME }).click()
    await button('Review').click()
    await button(/^Subscribe and pay/).click()
    await page.getByRole('heading', { name: 'You are subscribed' }).waitFor()
    const members = (await site.protocol.subscribersOf(plan)).map((address) => address.toLowerCase())
    expect(members).toContain(account.toLowerCase())
    await page.reload()
    await page.getByText('You are subscribed to this already.').waitFor()
    expect(problems).toEqual([])
  })
})
