import { describe, expect, it } from 'vitest'
import { shoot } from '../../support/browser/shoot.ts'
import { pressOn } from '../../support/browser/tabTo.ts'
import { browserIsInstalled } from '../../support/browser/useBrowser.ts'
import { DARK, PHONE, prepares } from '../../support/browser/useSite.ts'
import { expectAccessible } from '../../support/browser/watchPage.ts'
import { units } from '../../support/chain/protocolOn.ts'
import { expectUsable, useOwnPages } from './useOwnPages.ts'

const { open, connect, chain, protocol, service } = await useOwnPages()
const { alice, bob, keeper } = chain.wallets
const tuesdays = await protocol.create({ dueDay: 2 })
const wednesdays = await protocol.create({ dueDay: 3, token: chain.tokens.dai, amount: units('20') })
await protocol.join(tuesdays, alice)
// Enough to subscribe and no more.
await protocol.join(tuesdays, bob, { balance: 11_000_000n, allowance: 11_000_000n })
await protocol.join(wednesdays, alice)

/** A whole flow, on a machine that has much else to do. */
const LONG = 180_000

describe.skipIf(!browserIsInstalled)('the keeper’s page', () => {
  it.each([
    ['light', {}],
    ['dark, on a phone', { ...PHONE, ...DARK }],
  ])('says that nothing waits, and when something will (%s)', async (name, look) => {
    const visit = await open('/keeper', { look })
    await visit.page.getByText('Nothing waits to be collected.').waitFor()
    await visit.page.getByText(/Tue, 3 Mar 2026/).waitFor()
    expect(visit.apiCalls()).toEqual([])
    await shoot(visit.page, `keeper-nothing-${name}`)
    await visit.expectSound()
  })

  it(
    'collects one day after the other by keyboard alone',
    async () => {
      await chain.advanceDays(2)
      const visit = await open('/keeper', { wallets: [{ account: keeper }] })
      const { page, button } = visit
      await page.getByText('2 transactions, one after the other').waitFor()
      await page.getByRole('link', { name: 'A plan' }).waitFor()
      await page.getByText('too little money').or(page.getByText('permission too small')).waitFor()
      await shoot(page, 'keeper-waiting')
      await visit.expectSound()
      await connect(visit)
      await button(/^Collect the first/).waitFor()
      expect(await page.evaluate('document.activeElement.textContent')).toMatch(/^Collect the first/)
      await page.keyboard.press('Enter')
      await page.getByText('You get now').waitFor()
      await shoot(page, 'keeper-review')
      await pressOn(page, page.getByRole('dialog').getByRole('button', { name: 'Collect', exact: true }))
      await page.getByText('Now one more transaction is needed.').waitFor()
      await pressOn(page, button('Done'))
      await page.getByText('one transaction', { exact: true }).waitFor()
      await pressOn(page, button(/^Collect …/))
      await page.getByText('You get now').waitFor()
      await pressOn(page, page.getByRole('dialog').getByRole('button', { name: 'Collect', exact: true }))
      await page.getByText('Nothing more is due up to today.').waitFor()
      await pressOn(page, button('Done'))
      await page.getByText('Nothing waits to be collected.').waitFor()
      expect(prepares(visit)).toBe(0)
      await expectUsable(visit)
    },
    LONG,
  )

  it('says that somebody was faster, and what waits is read again', async () => {
    await chain.advanceDays(7)
    const visit = await open('/keeper', { wallets: [{ account: keeper }] })
    const { page, button } = visit
    await connect(visit)
    for (let days = 0; days < 2; days += 1) await protocol.send(alice, 'remit', [])
    // Before that the service would prepare one more, rightly.
    await service.caughtUp()
    await button(/^Collect/).click()
    await page.getByText(/Somebody was faster|There is nothing to collect/).waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).last().click()
    await button('Refresh').click()
    await page.getByText('Nothing waits to be collected.').waitFor()
    await expectAccessible(page)
  })

  it(
    'names who would sign, is prepared anew for another account, and stays in sight behind a lock and another chain',
    async () => {
      await chain.advanceDays(7)
      let confirm = () => {}
      const answersAfter = new Promise<void>((resolve) => {
        confirm = resolve
      })
      const visit = await open('/keeper', { wallets: [{ account: keeper, answersAfter }] })
      const { page, button } = visit
      const dialog = page.getByRole('dialog')
      const collect = dialog.getByRole('button', { name: 'Collect', exact: true })
      const tell = async (event: 'accountsChanged' | 'chainChanged', value: unknown) =>
        visit.wallets[0]?.tell(event, value)
      await connect(visit)
      await button(/^Collect/).click()
      await collect.waitFor()
      await dialog.getByTitle(keeper).waitFor()
      await tell('accountsChanged', [])
      await dialog.getByRole('button', { name: 'Test wallet' }).waitFor()
      await shoot(page, 'keeper-review-locked')
      await tell('accountsChanged', [keeper])
      await collect.waitFor()
      expect(prepares(visit)).toBe(0)
      await tell('accountsChanged', [alice])
      await dialog.getByTitle(alice).waitFor()
      await collect.waitFor()
      expect(prepares(visit)).toBe(0)
      await shoot(page, 'keeper-review-other')
      await collect.click()
      await dialog.getByText(/^Confirm it in Test wallet/).waitFor()
      await tell('chainChanged', '0x1')
      await expect.poll(() => page.getByText('Your wallet is on another chain.').count()).toBe(1)
      await expect.poll(() => dialog.getByText(/^Confirm it in Test wallet/).count()).toBe(1)
      await tell('accountsChanged', [])
      await button(/^Connect a wallet/).waitFor({ state: 'attached' })
      await expect.poll(() => dialog.getByText(/^Confirm it in Test wallet/).count()).toBe(1)
      confirm()
      await dialog.getByText(/Now one more transaction is needed|Nothing more is due/).waitFor()
      await expectUsable(visit)
    },
    LONG,
  )

  it('says why it could not be read again, and where it is tried once more', async () => {
    const { page, button } = await open('/keeper')
    const next: ('abort' | 'wait')[] = ['abort', 'wait']
    await page.route(/\/keeper/, (route) => (next.shift() === 'abort' ? route.abort() : undefined))
    await button('Refresh').click()
    await page.getByText('Could not be read again: The service cannot be reached.').waitFor()
    await button('Refresh').click()
    await page.getByText('Reading it again …').waitFor()
    await expectAccessible(page)
  })
})
