import { readFileSync } from 'node:fs'
import { StubbornAllowanceToken } from '@remit/contracts/StubbornAllowanceToken'
import { describe, expect, it } from 'vitest'
import { signatures } from '../../support/browser/pageWallet.ts'
import { shoot } from '../../support/browser/shoot.ts'
import { pressOn } from '../../support/browser/tabTo.ts'
import { browserIsInstalled } from '../../support/browser/useBrowser.ts'
import { DARK, PHONE, prepares, type SitePageVisit } from '../../support/browser/useSite.ts'
import { expectAccessible } from '../../support/browser/watchPage.ts'
import { approvedToken } from '../../support/chain/approvedToken.ts'
import { Frequency, units } from '../../support/chain/protocolOn.ts'
import { expectUsable, MARKUP, useOwnPages } from './useOwnPages.ts'

const { open, connect, chain, protocol, service } = await useOwnPages({ PORTAL: 'open' })
const { admin, alice, bob, carol, dave, janitor, keeper, otherProvider, provider, stranger } = chain.wallets
const { usdc } = chain.tokens
const weekly = await protocol.create({ dueDay: 3 })
const monthly = await protocol.create({ frequency: Frequency.MONTHLY, dueDay: 9, amount: units('25') })
await protocol.send(provider, 'editProvDetails', [
  {
    description: '',
    company: `Coffee ${MARKUP} \u202e`,
    url: '',
    domain: '',
    email: '',
    misc: '',
  },
])
await protocol.send(provider, 'editDetails', [
  { url: 'https://coffee.example', description: `Beans ${MARKUP}` },
  weekly.id,
])
// Six weeks of permission, and money for longer.
await protocol.join(weekly, alice, { balance: 500_000_000n, allowance: 70_000_000n })
await protocol.join(monthly, bob)
await protocol.join(weekly, carol, { balance: 500_000_000n, allowance: 100_000_000n })
await protocol.join(weekly, dave, { balance: 500_000_000n, allowance: 100_000_000n })
// Enough for the first part and one payment.
await protocol.join(weekly, admin, { balance: 15_000_000n, allowance: 500_000_000n })
// It takes a new permission only where there is none: what was given before is taken back first.
const stubborn = await approvedToken(chain, StubbornAllowanceToken)
const inStubborn = await protocol.create({ token: stubborn })
await protocol.join(inStubborn, stranger, { balance: 500_000_000n, allowance: 30_000_000n })

/** A whole flow, on a machine that has much else to do. */
const LONG = 180_000
const dialogOf = ({ page }: SitePageVisit) => page.getByRole('dialog')
const said = (visit: SitePageVisit, text: string | RegExp) => visit.page.getByText(text).first().waitFor()

describe.skipIf(!browserIsInstalled)('the page of one’s own subscriptions', () => {
  it.each([
    ['light', {}],
    ['dark, on a phone', { ...PHONE, ...DARK }],
  ])('says without a wallet what it is for, and shows any address (%s)', async (name, look) => {
    const visit = await open('/me', { look })
    await said(visit, 'Connect your wallet')
    await visit.expectSound()
    await shoot(visit.page, `me-nobody-${name}`)
    await visit.page.getByLabel('Wallet address', { exact: true }).fill(alice)
    await visit.button('Look at it').click()
    await said(visit, 'view only')
    await said(visit, /^Covered through /)
    expect(await visit.button(/Leave/).count()).toBe(0)
    expect(visit.apiCalls().filter((path) => !path.startsWith('/me'))).toEqual([])
    await said(visit, MARKUP)
    await said(visit, 'Paid through')
    await shoot(visit.page, `me-looked-at-${name}`)
    await expectUsable(visit)
  })

  it(
    'extends a permission by keyboard alone, from review to receipt',
    async () => {
      const before = await protocol.balanceOf(usdc, alice)
      const visit = await open('/me', { wallets: [{ account: alice, sendsCalls: false }] })
      const { page, button } = visit
      await connect(visit)
      await said(visit, /^Covered through /)
      expect(await page.evaluate('document.activeElement.textContent')).toBe('My subscriptions')
      await pressOn(page, button(/^Review/))
      await said(visit, 'Permission then')
      await shoot(page, 'me-extend-review')
      await expectUsable(visit)
      await pressOn(page, button(/^Extend$/))
      await said(visit, 'Your permission is extended.')
      await shoot(page, 'me-extend-receipt')
      await pressOn(page, button('Done'))
      // Twelve payments from Wednesday on: the thirteenth is within the three months that the page looks ahead.
      await said(visit, 'Covered through 26 May 2026')
      const days = async () => {
        const texts = await page.getByText(/^On .* \(UTC\)$/).allTextContents()
        return texts.flatMap((text) => text.match(/\d+/g) ?? [])
      }
      expect(await days()).toHaveLength(13)
      // Its button stays within its card on a narrow phone.
      const { width, height } = page.viewportSize() ?? { width: 1280, height: 800 }
      await page.setViewportSize({ width: 360, height })
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
      const box = await button('Extend the permission before 27 May …').boundingBox()
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(340)
      await page.setViewportSize({ width, height })
      // The permission does for twelve already: what the card offers is never refused.
      await pressOn(page, button('Extend the permission before 27 May …'))
      await said(visit, 'Permission then')
      await pressOn(page, dialogOf(visit).getByRole('button', { name: 'Back', exact: true }))
      await dialogOf(visit).waitFor({ state: 'hidden' })
      expect(prepares(visit)).toBe(0)
      expect(await protocol.balanceOf(usdc, alice)).toBe(before)
      await expectUsable(visit)
    },
    LONG,
  )

  it(
    'leaves a plan by keyboard alone, and shows how it stands then',
    async () => {
      const visit = await open('/me', { wallets: [{ account: bob }] })
      const { page, button } = visit
      await connect(visit)
      await pressOn(page, button(/^Leave/))
      await said(visit, /^Goes to the provider$/)
      await shoot(page, 'me-leave-review')
      await pressOn(page, dialogOf(visit).getByRole('button', { name: 'Leave', exact: true }))
      await said(visit, 'You have left.')
      // The permission that stays can be taken back at once, or later.
      await dialogOf(visit)
        .getByRole('button', { name: /^Take it back …/ })
        .waitFor()
      await pressOn(page, button('Done'))
      await said(visit, 'You subscribe to nothing now.')
      await page.getByText('You left, 2 Mar 2026.').waitFor()
      await page
        .getByText(/The contract may still take .* No subscription of yours needs this permission/s)
        .waitFor()
      await pressOn(page, button(/^Take it back …/))
      await pressOn(page, dialogOf(visit).getByRole('button', { name: 'Take it back' }))
      await said(visit, 'The permission is taken back.')
      await pressOn(page, button('Done'))
      await page.getByText(/The contract may still take/).waitFor({ state: 'detached' })
      await expectUsable(visit)
      expect(await protocol.subscribersOf(monthly)).not.toContain(bob)
    },
    LONG,
  )

  it('takes a permission back and gives the new one at once, where the token asks for both and the wallet can', async () => {
    const visit = await open('/me', { wallets: [{ account: stranger }] })
    const { button } = visit
    await connect(visit)
    await button(/^Review/).click()
    await said(visit, 'Your wallet asks you 2 times, or once for all of it.')
    await button(/^Extend$/).click()
    await said(visit, 'Your permission is extended.')
    expect(signatures(visit.wallets[0])).toEqual(['wallet_sendCalls'])
    await expectUsable(visit)
  })

  it('says what became of a refusal, and goes on from another chain', async () => {
    const visit = await open('/me', { wallets: [{ account: carol, approvals: 0, chainId: 1 }] })
    const { button } = visit
    await connect(visit)
    const dialog = dialogOf(visit)
    // What was put away while it waited for the chain is not prepared later.
    for (let looks = 0; looks < 2; looks += 1) {
      await button(/^Leave/).click()
      await dialog.getByRole('button', { name: /^Switch to/ }).waitFor()
      await visit.page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'hidden' })
    }
    await button(/^Leave/).click()
    await dialog.getByRole('button', { name: /^Switch to/ }).click()
    await dialog.getByRole('button', { name: 'Leave', exact: true }).click()
    await said(visit, 'You said no in your wallet')
    await said(visit, 'Nothing was sent.')
    await expectUsable(visit)
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
    expect(await protocol.subscribersOf(weekly)).toContain(carol)
    expect(prepares(visit)).toBe(0)
  })

  it('says so where code that a button needs does not come, and has it after the page was loaded again', async () => {
    const visit = await open('/me', { wallets: [{ account: alice }] })
    const { page, button } = visit
    await connect(visit)
    const code = /\/revokeRequest-/
    await page.route(code, (route) => route.abort())
    await button('Take the permission back …').first().click()
    await dialogOf(visit).getByText('A part of this page could not be loaded.').waitFor()
    await expectAccessible(page)
    await page.unroute(code)
    await button('Load the page again').click()
    await button('Take the permission back …').first().click()
    await dialogOf(visit).getByText('Take the permission back').first().waitFor()
  })

  it('never takes the first ten subscriptions for all of them', async () => {
    for (let left = 0; left < 10; left += 1) {
      const plan = await protocol.create({ dueDay: 5 })
      await protocol.join(plan, keeper)
      await protocol.send(keeper, 'unsubscribe', [plan])
    }
    await protocol.join(weekly, keeper)
    const visit = await open('/me')
    const { page, button } = visit
    let letGo = () => {}
    const held = new Promise<void>((resolve) => {
      letGo = resolve
    })
    await page.route(
      ({ pathname }) => pathname === `/accounts/${keeper}`,
      async (route) => {
        await held
        await route.continue()
      },
    )
    await page.getByLabel('Wallet address', { exact: true }).fill(keeper)
    const asking = page.waitForRequest((request) => new URL(request.url()).pathname === `/accounts/${keeper}`)
    await button('Look at it').click()
    await asking
    await page.getByText('Loading', { exact: true }).first().waitFor()
    expect(await page.getByText('subscribes to nothing').count()).toBe(0)
    letGo()
    await page.getByRole('list', { name: 'Running subscriptions' }).waitFor()
    await said(visit, '10 subscriptions have ended')
    await expectUsable(visit)
  })

  it('says how much money is missing before which day, where to send it, and what was paid so far', async () => {
    const visit = await open('/me', { wallets: [{ account: admin }], look: PHONE })
    const { page, button } = visit
    await connect(visit)
    await said(visit, 'Ends on 11 Mar')
    await shoot(page, 'me-money-missing')
    await button('Add 7.86 USDC before 11 Mar').click()
    const dialog = dialogOf(visit)
    await dialog.getByTitle('7.857142 USDC', { exact: true }).waitFor()
    await dialog.getByRole('img', { name: 'QR code of this payment' }).locator('path[d*=M]').waitFor()
    await dialog.getByText(admin).waitFor()
    expect(await dialog.getByRole('link', { name: 'this link' }).getAttribute('href')).toBe(
      `ethereum:${usdc}@${chain.chainId}/transfer?address=${admin}&uint256=7857142`,
    )
    await dialog.getByText('come out of the same money').waitFor()
    await shoot(page, 'me-add-money')
    await expectUsable(visit)
    await button('I have sent it: look again').click()
    await said(visit, 'It has not come yet.')
    await protocol.fund(usdc, admin, { balance: 20_000_000n })
    // The service sees a block a moment after it is mined: until then there is something to press.
    const look = async () => {
      const again = button('I have sent it: look again')
      if (await again.isEnabled({ timeout: 500 }).catch(() => false)) await again.click()
      return dialog.getByRole('status').textContent()
    }
    await expect.poll(look, { interval: 500, timeout: 30_000 }).toContain('is safe now')
    await expectUsable(visit)
    await button('Done').click()
    await page.locator('summary').filter({ hasText: 'Past payments' }).click()
    const payment = await page
      .locator('.me__payments li')
      .filter({ hasText: 'Receipt' })
      .first()
      .textContent()
    expect(payment).toMatch(/^First payment .*2\.862\.857142 USDC Receipt$/)
    await page.locator('summary').filter({ hasText: 'All payments' }).click()
    const total = await page
      .getByRole('table', { name: 'Paid by month' })
      .locator('tbody tr')
      .first()
      .textContent()
    expect(total).toMatch(/^March 2026 \(so far\)12\.857142 USDC–$/)
    const download = page.waitForEvent('download')
    await button('Payments as CSV').click()
    const [head, row, ...others] = readFileSync(await (await download).path(), 'utf8')
      .trim()
      .split('\r\n')
    expect(head).toBe(
      'date,time,due day,what,plan,plan id,provider,provider name,currency,paid,to provider,into reserve,came back,fee out of reserve,token,transaction,log,final,receipt',
    )
    expect(row).toMatch(
      /^2026-03-\d\d,2026-03-\d\dT[^,]*,,First payment,.*,USDC,2\.857142,0,2\.857142,0,0,.*\/receipts\/0x[0-9a-f]{64}\/\d+$/,
    )
    expect(others).toEqual([])
    // The payment's own log, as the provider's file has it: two books are matched by it.
    const place = /\/receipts(\/0x[0-9a-f]{64}\/(\d+))$/.exec(row ?? '')
    const { body } = await service.get(`/payments${place?.[1]}`)
    expect(body.payment).toMatchObject({ logIndex: Number(place?.[2]) })
    await shoot(page, 'me-past-payments')
    await expectUsable(visit)
    await visit.link('March 2026').click()
    await page.waitForURL(/[?&]month=2026-03/)
    const paid = page.getByRole('table', { name: 'Payments, newest first' })
    await paid.getByText('2.857142 USDC').waitFor()
    await expectUsable(visit)
    await visit.link('February 2026').click()
    await said(visit, 'Nothing was paid in February 2026.')
    await page.goBack()
    await paid.waitFor()
    await visit.link('Receipt').first().click()
    await page.getByRole('heading', { level: 1, name: 'First payment: 2.857142 USDC' }).waitFor()
  })

  it('says what came back to whom the provider removed: in its row, in the month, in the file and on the receipt', async () => {
    const call = (description: string) =>
      protocol.send(provider, 'editDetails', [{ url: '', description }, monthly.id])
    await call('Tea, green')
    await protocol.join(monthly, janitor)
    await protocol.send(provider, 'unsubscribeByProvider', [monthly, janitor])
    await call('Tea, black')
    const visit = await open('/me', { wallets: [{ account: janitor }] })
    const { page, button } = visit
    await connect(visit)
    await page.getByText('One subscription has ended').waitFor()
    await page.locator('summary').filter({ hasText: 'Past payments' }).click()
    const removed = page.locator('.me__payments li').filter({ hasText: 'The provider removed you' })
    await removed.getByText('came back').waitFor()
    const came = (await removed.locator('[title$=" USDC"]').getAttribute('title')) ?? ''
    expect(came).toMatch(/^[1-9]\d*\.\d+ USDC$/)
    await page.locator('summary').filter({ hasText: 'All payments' }).click()
    await page.getByRole('table', { name: 'Paid by month' }).getByText(came).last().waitFor()
    const download = page.waitForEvent('download')
    await button('Payments as CSV').click()
    const file = readFileSync(await (await download).path(), 'utf8')
    const [, row = ''] = file.split('\r\n')
    expect(row).toContain(`,The provider removed you,`)
    expect(row).toContain(`,USDC,0,0,0,${came.replace(' USDC', '')},0,`)
    await expectUsable(visit)
    await removed.getByRole('link', { name: 'Receipt' }).click()
    await page.getByRole('heading', { level: 1, name: 'The provider removed the member' }).waitFor()
    await page.getByText('Back to the member', { exact: true }).waitFor()
    // By the name that the plan had then.
    await page.getByText('Receipt for Tea, green').waitFor()
    await page.getByText('now called Tea, black').waitFor()
    await page.getByText(came).first().waitFor()
    // The provider's rows say it too, and the plan's history.
    const desk = await open(`/desk/payments?address=${provider}`)
    const back = desk.page.getByRole('row').filter({ hasText: 'The provider removed the member' })
    await back.getByText(came).first().waitFor()
    await said(desk, /payments and \d+ ended subscription/)
    await expectUsable(desk)
    // The month adds up by plan: what came back is in the plan's own sums.
    await desk.page.goto(new URL(`/desk/payments?address=${provider}&month=2026-03`, desk.page.url()).href)
    const sums = desk.page.getByRole('table', { name: 'Sums by plan' }).getByRole('row')
    const add = desk.page.getByRole('button', { name: 'Add up by plan' })
    await sums.or(add).first().waitFor()
    // The month has more payments than one page where the tests above have run.
    if (await add.isVisible()) await add.click()
    await sums.filter({ hasText: 'Tea, black' }).getByText(came).first().waitFor()
    await said(desk, /Still expected in this month|not been looked at yet/)
    await expectUsable(desk)
    // The search leads from its transaction to its receipt.
    const [, transaction] = row.match(/0x[0-9a-f]{64}/g) ?? []
    const found = await open(`/plans/${transaction}`)
    await found.page.locator(`a[href="/plans/${monthly.id}"]`).waitFor()
    await found.page.getByRole('link', { name: 'Receipt: The provider removed the member' }).click()
    await found.page.getByRole('heading', { level: 1, name: 'The provider removed the member' }).waitFor()
    const plan = await open(`/plans/${monthly.id}`)
    const ended = plan.page.getByRole('row').filter({ hasText: 'The provider removed the member' })
    await ended.getByText(came).waitFor()
    await expectUsable(plan)
  })

  it('says for which day a payment was, and why it was taken for one before the wallet subscribed', async () => {
    const sunday = await protocol.create({ dueDay: 7 })
    await protocol.join(sunday, otherProvider)
    await protocol.send(keeper, 'remit', [])
    const visit = await open('/me', { wallets: [{ account: otherProvider }] })
    const { page } = visit
    await connect(visit)
    await page.locator('summary').filter({ hasText: 'Past payments' }).click()
    const rows = page.locator('.me__payments li').filter({ hasText: 'Receipt' })
    const late = rows.filter({
      hasText:
        'for 1 Mar 2026, which was due and not collected yet when you subscribed: such a day is taken from new members, too',
    })
    await late.waitFor()
    await rows.filter({ hasText: 'First payment' }).waitFor()
    expect(await rows.count()).toBe(2)
    await expectUsable(visit)
    await late.getByRole('link', { name: 'Receipt' }).click()
    await page.getByText('Sun, 1 Mar 2026').first().waitFor()
    await said(visit, /not collected yet when the wallet subscribed, on 2 Mar 2026/)
    // Whoever collected it.
    await said(visit, keeper)
    await expectUsable(visit)
  })

  it('reviews as often as somebody likes: it is no write of the service’s', async () => {
    const visit = await open('/me', { wallets: [{ account: dave }] })
    const { button } = visit
    await connect(visit)
    const dialog = dialogOf(visit)
    for (let looks = 0; looks < 4; looks += 1) {
      await button(/^Leave/).click()
      await dialog.getByText('Goes to the provider', { exact: true }).waitFor()
      await dialog.getByRole('button', { name: 'Back' }).click()
    }
    expect(prepares(visit)).toBe(0)
    expect(visit.problems).toEqual([])
  }, 120_000)
})
