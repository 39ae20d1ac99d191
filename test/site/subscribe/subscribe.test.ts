import { describe, expect, it } from 'vitest'
import { signatures } from '../../support/browser/pageWallet.ts'
import { shoot } from '../../support/browser/shoot.ts'
import { pressOn } from '../../support/browser/tabTo.ts'
import { browserIsInstalled } from '../../support/browser/useBrowser.ts'
import { PHONE, prepares } from '../../support/browser/useSite.ts'
import { expectAccessible } from '../../support/browser/watchPage.ts'
import { units } from '../../support/chain/protocolOn.ts'
import { indexed } from '../../support/service/indexed.ts'
import { MARKUP, useSubscribePage } from './useSubscribePage.ts'

const { chain, protocol, service, weekly, open, fund, collect } = await useSubscribePage()
const { admin, alice, bob, carol, dave, stranger } = chain.wallets
for (const account of [alice, bob, carol, dave, stranger]) await fund(account)

describe.skipIf(!browserIsInstalled)('the subscribe page', () => {
  const OFFERED = `?paymaster=${encodeURIComponent('https://pay.example/rpc?plan=1')}`

  it('tells a wallet that asks paymasters who offers to pay the network’s fee, and hands the offer on, also to leave', async () => {
    const visit = await open([{ account: stranger, asksPaymasters: true }], { query: OFFERED })
    const { page, button } = visit
    await page.locator('#content').getByRole('button', { name: 'Test wallet' }).click()
    await button('Review').click()
    await page.getByText('pay.example offers to pay the network fee.').waitFor()
    await shoot(page, 'subscribe-sponsored')
    await visit.expectSound()
    await button(/^Subscribe and pay/).click()
    await page.getByRole('heading', { name: 'You are subscribed' }).waitFor()
    await page.goto(`${service.url}/me`)
    await indexed(service, chain)
    await page.reload()
    await button(/^Leave/)
      .first()
      .click()
    await page.getByText('pay.example offers to pay the network fee.').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Leave', exact: true }).click()
    await page.getByText('You have left.').waitFor()
    const asked = visit.wallets[0]?.requests.filter(({ method }) => method === 'wallet_sendCalls') ?? []
    const paymasterService = { url: 'https://pay.example/rpc?plan=1', optional: true }
    expect(asked.map(({ params }) => params)).toMatchObject([
      [{ calls: [{}, {}], capabilities: { paymasterService } }],
      [{ calls: [{}], capabilities: { paymasterService } }],
    ])
  })

  it('says nothing of an offer to a wallet that does not say that it asks paymasters, and hands none on', async () => {
    const visit = await open([{ account: stranger, approvals: 0 }], { query: OFFERED })
    const { page, button } = visit
    await page.locator('#content').getByRole('button', { name: 'Test wallet' }).click()
    await button('Review').click()
    await button(/^Subscribe and pay/).waitFor()
    expect(await page.getByText('offers to pay').count()).toBe(0)
    await button(/^Subscribe and pay/).click()
    await page.getByText('You said no in your wallet').waitFor()
    expect(signatures(visit.wallets[0])).toContain('wallet_sendCalls')
    expect(JSON.stringify(visit.wallets[0]?.requests)).not.toContain('pay.example')
  })

  it('tells a stranger what is taken when, subscribes with one signature, and shows the payment when it came', async () => {
    const visit = await open([{ account: alice }, { account: carol, name: 'Another wallet' }])
    const { page, button } = visit
    const rows = page.locator('.timeline__row')
    // What it is called is what its provider wrote of it, as text.
    await page.getByRole('heading', { level: 1, name: 'A bag of coffee every week' }).waitFor()
    await page.getByText('Coffee House').first().waitFor()
    // To cents; the exact amount is heard, and in the title.
    expect(await rows.first().getByTitle('2.857142 USDC').textContent()).toMatch(/^2\.86/)
    expect(await rows.allTextContents()).toEqual([
      expect.stringMatching(/^Todaywhen you subscribe2\.862\.857142 USDC$/),
      expect.stringMatching(/^Wed, 4 Mar 2026, in 2 days10 USDC$/),
      expect.stringMatching(/^Wed, 11 Mar 2026, in 9 days10 USDC$/),
      expect.stringMatching(/^Wed, 18 Mar 2026, in 16 days10 USDC$/),
      expect.stringMatching(/^And so on, every week on Wednesday, until you leave10 USDC$/),
    ])
    // What a stranger wrote is text.
    await page.getByText(MARKUP, { exact: false }).waitFor()
    expect(await page.locator('blockquote img, blockquote b').count()).toBe(0)
    await shoot(page, 'subscribe-1-landing')
    expect(visit.apiCalls()).toEqual([])

    await page.locator('#content').getByRole('button', { name: 'Test wallet' }).click()
    await page.getByText('12 payments. Then the permission is used up').waitFor()
    await page.getByText(/Up to\s+122\.86/).waitFor()
    await page.getByLabel('Allow payments for').selectOption('3 payments (3 weeks)')
    await page.getByText('3 payments. Then the permission is used up').waitFor()
    // The last day that is paid for: the next payment would be that of the day after.
    await page.getByText('Tue, 24 Mar 2026').waitFor()
    await page.getByText('All of what you pay at once becomes your collecting reserve').waitFor()
    await shoot(page, 'subscribe-2-wallet')
    await visit.expectSound()
    expect(prepares(visit)).toBe(0)

    await button('Review').click()
    await page.getByText('Allow up to 32.86 USDC to be taken').waitFor()
    await page.getByText('This was just tried out on the network').waitFor()
    const allowed = await page
      .getByRole('definition')
      .filter({ hasText: 'must show this address' })
      .textContent()
    await shoot(page, 'subscribe-3-review')
    await button('Subscribe and pay 2.857142 USDC').click()
    await page.getByRole('heading', { name: 'You are subscribed' }).waitFor()
    await shoot(page, 'subscribe-4-receipt')
    expect(signatures(visit.wallets[0])).toEqual(['wallet_sendCalls'])
    const signed = JSON.stringify(
      visit.wallets[0]?.requests.find(({ method }) => method === 'wallet_sendCalls'),
    )
    const [, spender = 'none'] = /0x095ea7b30{24}([0-9a-f]{40})/.exec(signed) ?? []
    expect(allowed?.toLowerCase()).toContain(`0x${spender}`)
    expect(prepares(visit)).toBe(0)
    expect(await protocol.subscribersOf(weekly)).toContain(alice)
    await visit.expectSound()

    // The payment is seen on the page as it stands, when its reader comes back to it.
    await collect()
    await indexed(service, chain)
    await expect
      .poll(
        async () => {
          await page.evaluate("dispatchEvent(new Event('focus'))")
          return page.getByRole('definition').filter({ hasText: '10 USDC Receipt' }).allTextContents()
        },
        { timeout: 15_000 },
      )
      .toEqual([expect.stringMatching(/4 Mar 2026/)])
    await shoot(page, 'subscribe-4-collected')
    expect(prepares(visit)).toBe(0)
    // The news may move what stands below it.
    expect(visit.problems).toEqual([])
    await expectAccessible(page)
    await page.reload()
    await page.getByText('You are subscribed to this already.').waitFor()
    await page.getByText('Tue, 10 Mar 2026').waitFor()
    const paid = page.getByRole('definition').filter({ hasText: 'Receipt' })
    expect(await paid.textContent()).toMatch(/4 Mar 2026/)
    expect(await rows.nth(1).textContent()).toMatch(/^Wed, 11 Mar 2026, in 7 days10 USDC$/)
    await shoot(page, 'subscribe-5-member')
    await visit.expectSound()
  }, 120_000)

  it('subscribes in two steps by keyboard alone, and goes back to the provider’s own domain', async () => {
    const query = '?return=https://coffee.example/thanks'
    const visit = await open([{ account: bob, sendsCalls: false }], { query })
    const { page, button } = visit
    await page.route('https://coffee.example/**', (route) => route.fulfill({ body: 'Thank you' }))
    const press = (target: ReturnType<typeof button>) => pressOn(page, target)
    await press(page.locator('#content').getByRole('button', { name: 'Test wallet' }))
    await button('Review').waitFor()
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Subscribe')
    await press(button('Review'))
    const title = page.getByRole('heading', { name: 'What you would sign' })
    await title.waitFor()
    expect(await page.evaluate('document.activeElement.textContent')).toBe('What you would sign')
    await press(button(/^Subscribe and pay/))
    await page.getByRole('heading', { name: 'You are subscribed' }).waitFor()
    expect(await page.evaluate('document.activeElement.textContent')).toContain('You are subscribed')
    // It is asked once, and says that it does not know it.
    expect(signatures(visit.wallets[0])).toEqual([
      'wallet_sendCalls',
      'eth_sendTransaction',
      'eth_sendTransaction',
    ])
    expect(prepares(visit)).toBe(0)
    await page.getByText(/This page goes there in \d seconds?/).waitFor()
    await visit.expectSound()
    await page.waitForURL('https://coffee.example/thanks')
    expect(await protocol.subscribersOf(weekly)).toContain(bob)
  }, 120_000)

  it('has a wallet on another chain switch first, and follows no link to anywhere else', async () => {
    const query = `?return=${encodeURIComponent('https://coffee.example.evil.example/')}`
    const visit = await open([{ account: dave, chainId: 1 }], { query, look: PHONE })
    const { page, button } = visit
    await page.locator('#content').getByRole('button', { name: 'Test wallet' }).click()
    await page.getByText('Your wallet is on another chain.').waitFor()
    expect(await button('Review').count()).toBe(0)
    await shoot(page, 'subscribe-6-wrong-chain')
    await button(/^Switch to/).click()
    await button('Review').click()
    await button(/^Subscribe and pay/).click()
    await page.getByRole('heading', { name: 'You are subscribed' }).waitFor()
    // The receipt is not taken away by another account, and the rest of the page agrees with it.
    await visit.wallets[0]?.tell('accountsChanged', [stranger])
    await page
      .getByRole('banner')
      .getByRole('button', { name: stranger.slice(0, 6) })
      .waitFor()
    await page.getByRole('heading', { name: 'You are subscribed' }).waitFor()
    await page.getByRole('definition').getByTitle(dave).waitFor()
    expect(await page.locator('.timeline__row').first().textContent()).toBe(
      'You are subscribedwhat comes next:',
    )
    const link = visit.link('coffee.example.evil.example')
    await page.getByText('It is not the provider’s own address').waitFor()
    expect(await link.getAttribute('rel')).toContain('noreferrer')
    expect(await page.getByText(/goes there in/).count()).toBe(0)
    expect(await protocol.subscribersOf(weekly)).toContain(dave)
    await visit.expectSound()
  }, 120_000)

  it('tells who says no what was sent by then, also behind a lock, and lets them look again', async () => {
    let answer = () => {}
    const answersAfter = new Promise<void>((resolve) => {
      answer = resolve
    })
    const visit = await open([{ account: carol, approvals: 1, sendsCalls: false, answersAfter }])
    const { page, button } = visit
    await page.locator('#content').getByRole('button', { name: 'Test wallet' }).click()
    await button('Review').click()
    await button(/^Subscribe and pay/).click()
    await page.getByText(/^Confirm it in Test wallet/).waitFor()
    await visit.wallets[0]?.tell('accountsChanged', [])
    answer()
    await page.getByText('You said no in your wallet').waitFor()
    await page.getByText(/The permission for USDC that you signed stays/).waitFor()
    await page.getByText('went through.').waitFor()
    expect(await page.locator('.steps li').allTextContents()).toEqual([
      expect.stringContaining('Check that it does what it says, and nothing else (done)'),
      expect.stringMatching(/Allow up to \S+ USDC to be taken \(done\)In block/),
      expect.stringContaining('Subscribe (failed)'),
    ])
    await shoot(page, 'subscribe-7-rejected')
    await visit.expectSound()
    await button('Try again').click()
    await page.locator('#content').getByRole('button', { name: 'Test wallet' }).waitFor()
    await visit.wallets[0]?.tell('accountsChanged', [carol])
    await page.getByText('The permission that you have given already is enough for that').waitFor()
    await button('Review').click()
    await button(/^Subscribe and pay/).click()
    await page.getByText('Nothing was sent, and nothing was paid.').waitFor()
    expect(await protocol.subscribersOf(weekly)).not.toContain(carol)
  }, 120_000)

  it('signs nothing that a new day has made another amount of', async () => {
    const visit = await open([{ account: stranger }])
    const { page, button } = visit
    await page.locator('#content').getByRole('button', { name: 'Test wallet' }).click()
    await button('Review').click()
    await button(/^Subscribe and pay/).waitFor()
    await chain.advanceDays(1)
    await button(/^Subscribe and pay/).click()
    await page.getByText('Midnight has passed').waitFor()
    expect(signatures(visit.wallets[0])).toEqual([])
    await button('Try again').click()
    await button('Review').click()
    await button(/^Subscribe and pay/).click()
    await page.getByRole('heading', { name: 'You are subscribed' }).waitFor()
    expect(prepares(visit)).toBe(0)
    await visit.expectSound()
  }, 120_000)

  it('keeps the dates of the wallet’s other subscriptions unasked, and tells twice what becomes of them where less is allowed', async () => {
    await protocol.join(weekly, admin, { balance: 1_000_000_000n, allowance: 65_000_000n })
    const dearer = await protocol.create({ dueDay: 5, amount: units('20') })
    const visit = await open([{ account: admin }], { id: dearer.id })
    const { page, button } = visit
    await page.locator('#content').getByRole('button', { name: 'Test wallet' }).click()
    await button('Review').waitFor()
    await visit.expectSound()
    await page.getByLabel('Allow payments for').selectOption('3 payments (3 weeks)')
    await page.getByText('Your other subscriptions last as long as before.').waitFor()
    await page.getByText(/would do; but your others are to last as long as now/).waitFor()
    const more = page.getByLabel('Allow more, so that the others last as long as before')
    await more.uncheck()
    const other = page.locator('.note p').filter({ hasText: /^A bag of coffee.* by Coffee House/ })
    const dates = /would end on (.+), not (.+): the permission runs out sooner\.$/
    await expect.poll(() => other.textContent()).toMatch(dates)
    const [, after = '', before = ''] = dates.exec((await other.textContent()) ?? '') ?? []
    expect(Date.parse(after)).toBeLessThan(Date.parse(before))
    await page.getByText('and what your other subscriptions take up to the last of these').waitFor()
    await shoot(page, 'subscribe-10-others')
    await button('Review').click()
    await button(/^Subscribe and pay/).waitFor()
    await expect.poll(() => other.textContent()).toMatch(dates)
    await button('Back').click()
    await more.check()
    await page.getByText('Your other subscriptions last as long as before.').waitFor()
    await button('Review').click()
    await button(/^Subscribe and pay/).waitFor()
    expect(await other.count()).toBe(0)
    // What a choice has moved, once its answer came, may move.
    expect(visit.problems).toEqual([])
    await expectAccessible(page)
  }, 120_000)
})
