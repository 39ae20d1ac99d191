import type { Page } from 'playwright-core'
import { afterEach, describe, expect, it } from 'vitest'
import { giveWallet, signatures } from '../support/browser/pageWallet.ts'
import { shoot } from '../support/browser/shoot.ts'
import { browserIsInstalled } from '../support/browser/useBrowser.ts'
import { prepares } from '../support/browser/useSite.ts'
import { expectAccessible } from '../support/browser/watchPage.ts'
import { useHostPage } from './subscribe/hostPage.ts'
import { useSubscribePage } from './subscribe/useSubscribePage.ts'

const { site, chain, protocol, service, weekly, open, visit, fund } = await useSubscribePage()
const { alice, bob, carol, otherProvider, stranger } = chain.wallets
for (const account of [alice, carol, stranger]) await fund(account)
await protocol.join(weekly, bob)
const host = await useHostPage(
  service.url,
  `<h1>A shop</h1><remit-subscribe plan="${weekly.id}" chain="${chain.chainId}">Join</remit-subscribe>`,
)

/** A whole flow, on a machine that has much else to do. */
const LONG = 180_000

const stand = () => chain.client.setAutomine(false)
const goOn = async () => {
  await chain.client.setAutomine(true)
  await chain.client.mine({ blocks: 1 })
}
afterEach(goOn)

const connect = (page: Page) =>
  page.locator('#content').getByRole('button', { name: 'Test wallet' }).first().click()
const said = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()

describe.skipIf(!browserIsInstalled)('a page that is loaded anew between sent and mined', () => {
  it(
    'goes on looking, offers nothing, and ends in the receipt, also where the wallet gives no receipts',
    async () => {
      const subscriber = await open([{ account: alice, tellsReceipts: false }])
      const { page, button } = subscriber
      await connect(page)
      await button('Review').click()
      await button(/^Subscribe and pay/).waitFor()
      await stand()
      await button(/^Subscribe and pay/).click()
      await said(page, 'Sent. This mostly takes a few seconds.')
      await page.reload()
      await said(page, /^Sent on .* Looking for what came of it/)
      expect(await button(/Review|Look again|Subscribe and pay/).count()).toBe(0)
      await shoot(page, 'sent-1-looking')
      await expectAccessible(page)

      // Another account's page is its own.
      await goOn()
      await page.getByRole('heading', { name: 'You are subscribed' }).waitFor()
      await page.getByRole('definition').filter({ hasText: '2.857142 USDC' }).first().waitFor()
      await shoot(page, 'sent-2-receipt')
      expect(signatures(subscriber.wallets[0])).toEqual(['wallet_sendCalls'])
      expect(prepares(subscriber)).toBe(0)
      expect(await protocol.subscribersOf(weekly)).toContain(alice)
      expect(subscriber.problems).toEqual([])
      await page.reload()
      await said(page, 'You are subscribed to this already.')
    },
    LONG,
  )

  it(
    'asks for the subscribing where only the permission was sent',
    async () => {
      const subscriber = await open([{ account: carol, sendsCalls: false }])
      const { page, button } = subscriber
      await connect(page)
      await button('Review').click()
      await button(/^Subscribe and pay/).waitFor()
      await stand()
      await button(/^Subscribe and pay/).click()
      await said(page, 'Sent. This mostly takes a few seconds.')
      await page.reload()
      await said(page, /^Sent on/)
      await goOn()
      await said(page, 'The permission that you have given already is enough for that')
      await button('Review').waitFor()
    },
    LONG,
  )

  it(
    'shows each of the other flows under way, on whichever page, and does not begin it a second time',
    async () => {
      const member = await visit('/me', { wallets: [{ account: bob }] })
      const { page, button } = member
      await connect(page)
      await button(/^Leave/).click()
      const leave = page.getByRole('dialog').getByRole('button', { name: 'Leave', exact: true })
      await leave.waitFor()
      await stand()
      await leave.click()
      await said(page, 'Sent. This mostly takes a few seconds.')
      await page.reload()
      await said(page, '“Leave this plan” is under way.')
      await button(/^Leave/).click()
      await said(page, /^Sent on/)
      await shoot(page, 'sent-3-leaving')
      expect(await page.getByRole('dialog').getByRole('button', { name: 'Leave', exact: true }).count()).toBe(
        0,
      )
      await goOn()
      await said(page, 'You have left.')
      await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click()
      await said(page, 'You subscribe to nothing now.')
      expect(signatures(member.wallets[0])).toEqual(['eth_sendTransaction'])
      expect(prepares(member)).toBe(0)

      const desk = await visit('/desk/plans/new', { wallets: [{ account: otherProvider }] })
      await connect(desk.page)
      await desk.page.getByLabel('What they get').fill('A letter every month')
      await desk
        .button(/^Review/)
        .first()
        .click()
      await desk.button('Publish').waitFor()
      await stand()
      await desk.button('Publish').click()
      await said(desk.page, 'Sent. This mostly takes a few seconds.')
      await desk.page.goto(`${service.url}/keeper`)
      await said(desk.page, '“Publish this plan” is under way.')
      await goOn()
      await said(desk.page, '“Publish this plan” is done.')
      await desk.button('Show how far it is').click()
      await desk.page.getByRole('link', { name: 'This is its page' }).click()
      await desk.page.waitForURL('**/subscribe/0x*')
    },
    LONG,
  )

  it(
    'tells the page that has the button what came of it, and that nobody knew before',
    async () => {
      const { page } = await site.visit('/plans')
      const context = page.context()
      const told: unknown[][] = []
      await page.exposeFunction('hear', (...what: unknown[]) => told.push(what))
      await page.addInitScript({
        content: `for (const name of ['remit-subscribed', 'remit-closed'])
          addEventListener(name, ({ detail }) => window.hear(name, detail))`,
      })
      await page.goto(host)
      const openWindow = async () => {
        const opening = context.waitForEvent('page')
        await page.getByRole('button', { name: 'Join' }).click()
        const popup = await opening
        await giveWallet(popup, {
          rpcUrl: chain.url,
          found: 'announced',
          account: stranger,
          sendsCalls: false,
        })
        await popup.reload()
        return popup
      }
      await protocol.fund(chain.tokens.usdc, stranger, { allowance: 500_000_000n })
      const first = await openWindow()
      await connect(first)
      await first.getByRole('button', { name: 'Review' }).click()
      await first.getByRole('button', { name: /^Subscribe and pay/ }).waitFor()
      await stand()
      await first.getByRole('button', { name: /^Subscribe and pay/ }).click()
      await said(first, 'Sent. This mostly takes a few seconds.')
      await first.close()
      await expect.poll(() => told).toEqual([['remit-closed', { subscribed: false, pending: true }]])

      // The site remembers the wallet and what it has sent. A wallet of this window is another object, on the same chain.
      const second = await openWindow()
      await connect(second)
      await said(second, /^Sent on/)
      await goOn()
      await second.getByRole('heading', { name: 'You are subscribed' }).waitFor()
      await expect.poll(() => told.at(-1)).toMatchObject(['remit-subscribed', { plan: weekly.id }])
      expect(await protocol.subscribersOf(weekly)).toContain(stranger)
    },
    LONG,
  )
})
