import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { answersIn, withAnswers } from '../../support/browser/pageAnswers.ts'
import { shoot } from '../../support/browser/shoot.ts'
import { pressOn, tabTo } from '../../support/browser/tabTo.ts'
import { browserIsInstalled } from '../../support/browser/useBrowser.ts'
import { DARK, PHONE, type SitePageVisit } from '../../support/browser/useSite.ts'
import { expectUsable, MARKUP, prepares, useOwnPages } from './useOwnPages.ts'

const { open, connect, chain, protocol, service } = await useOwnPages({ SWEEP_REQUESTS_PER_HOUR: '100000' })
const { alice, bob, otherProvider, provider } = chain.wallets
const weekly = await protocol.create({ dueDay: 3 })
await protocol.send(provider, 'editDetails', [
  { url: 'https://coffee.example', description: `Beans ${MARKUP}` },
  weekly.id,
])
await protocol.join(weekly, alice)
await protocol.join(weekly, bob, { balance: 25_000_000n, allowance: 25_000_000n })
await chain.advanceDays(2)
await protocol.send(chain.wallets.keeper, 'remit', [])

const dialogOf = ({ page }: SitePageVisit) => page.getByRole('dialog')
const said = (visit: SitePageVisit, text: string | RegExp) => visit.page.getByText(text).first().waitFor()

const LINK_WORDS = /Begin it with https:\/\//

/** A whole flow, on a machine that has much else to do. */
const LONG = 90_000

const Verdicts = z.object({ verdicts: z.object({ unread: z.literal(0) }) })

/** Waits until everybody’s balance has been looked at. */
async function swept(): Promise<void> {
  await expect
    .poll(
      async () => Verdicts.safeParse((await service.get(`/providers/${provider}/outlook`)).body).success,
      {
        timeout: 15_000,
      },
    )
    .toBe(true)
}

describe.skipIf(!browserIsInstalled)('the provider’s desk', () => {
  it.each([
    ['light', {}],
    ['dark, on a phone', { ...PHONE, ...DARK }],
  ])('lets anybody try out a plan: the preview follows what is typed (%s)', async (name, look) => {
    const visit = await open('/desk', { look })
    const { page } = visit
    await visit.expectSound()
    await page.getByLabel('Price').fill('36.50')
    await page.getByLabel('Day of the month').fill('4')
    // Today, Wednesday 4 March, is the day itself, and it is collected already.
    await said(visit, '36.50 USDC every month on the 4th')
    await said(visit, '0.73 USDC')
    await page.getByLabel('Day of the month').fill('31')
    await said(visit, 'Choose a day from 1 to 28.')
    await page.getByLabel('Day of the month').fill('28')
    await page.getByLabel('Price').fill('1,5')
    await said(visit, /Write a number such as 12.50/)
    await page.getByLabel('Price').fill('36.50')
    await page.getByRole('img', { name: /^13 due days|^12 due days/ }).waitFor()
    expect(visit.apiCalls()).toEqual([])
    await shoot(page, `desk-nobody-${name}`)
    await expectUsable(visit)
  })

  it('says beside a link what is wrong with it, and sends the price as it was shown', async () => {
    const visit = await open('/desk', { wallets: [{ account: provider }] })
    const { page, button } = visit
    await connect(visit)
    const review = button(/^Review/).first()
    await page.getByLabel('Price').fill('010')
    await page.getByLabel('Link').first().fill('coffee.example')
    await said(visit, LINK_WORDS)
    await review.click()
    expect(prepares(visit)).toBe(0)
    await page.getByLabel('Link').first().fill('https://coffee.example')
    await review.click()
    await dialogOf(visit).getByText('10 USDC every month').waitFor()
    await said(visit, 'can never be changed: subscribers rely on that')

    await page.keyboard.press('Escape')
    const plan = page.getByRole('article')
    await plan.getByRole('button', { name: 'Edit' }).click()
    await plan.getByLabel('Link').fill('http://coffee.example')
    await plan.getByText(LINK_WORDS).waitFor()
    await plan.getByRole('button', { name: /^Review/ }).click()
    expect(await dialogOf(visit).count()).toBe(0)
    await expectUsable(visit)
  })

  it(
    'publishes a plan by keyboard alone, and gives its link, its code and its button',
    async () => {
      const visit = await open('/desk', { wallets: [{ account: otherProvider, sendsCalls: false }] })
      const { page, button } = visit
      await connect(visit)
      await said(visit, 'You have no plan yet.')
      await tabTo(page, page.getByLabel('Price'))
      await page.keyboard.type('12.50', { delay: 1 })
      await page.keyboard.press('ControlOrMeta+A')
      await page.keyboard.type('12.50')
      await tabTo(page, page.getByLabel('What they get'))
      await page.keyboard.type(`A bag ${MARKUP}`)
      await pressOn(page, button(/^Review/))
      await said(visit, 'can never be changed: subscribers rely on that')
      await expectUsable(visit)
      await pressOn(page, button('Publish'))
      await said(visit, 'Your plan is published.')
      const code = await page.getByText('<remit-subscribe').textContent()
      const id = /plan="(0x[0-9a-f]{64})"/.exec(code ?? '')?.[1]
      await service.caughtUp()
      const { body } = await service.get(`/subscriptions/${id}`)
      expect(body).toMatchObject({ subscription: { amount: '12.5', frequency: 1, dueDay: 1 } })
      await shoot(page, 'desk-published')
      await pressOn(page, button('Done'))
      await said(visit, /12.50 USDC every month on the 1st/)
      expect(prepares(visit)).toBe(1)
      await expectUsable(visit)
    },
    LONG,
  )

  it.each([
    ['light', {}],
    ['dark, on a phone', { ...PHONE, ...DARK }],
  ])('shows what came in, who is at risk, and a plan’s link (%s)', async (name, look) => {
    await swept()
    const visit = await open(`/desk?address=${provider}`, { look })
    const { page, button } = visit
    await said(visit, 'Monthly recurring')
    const [atRisk, ...others] = await page
      .getByRole('table', { name: 'Those at risk' })
      .getByRole('row')
      .all()
    expect(await atRisk?.textContent()).toMatch(/What is missing/)
    expect(others).toHaveLength(1)
    expect(await others[0]?.textContent()).toMatch(
      `Wed, 18 Mar 2026${short(bob)}10 USDCWill fail7.857142 USDC money7.857142 USDC permission`,
    )
    await said(visit, MARKUP)
    await visit.expectSound()
    await button('Share').click()
    await page.getByRole('img', { name: /QR code/ }).waitFor()
    await button('Show as a table').click()
    await said(visit, 'March 2026 (so far)')
    expect(visit.apiCalls()).toEqual([])
    await expectUsable(visit)
    const download = page.waitForEvent('download')
    await button('Payments as CSV').click()
    expect((await download).suggestedFilename()).toBe('payments.csv')
    await said(visit, /payments saved/)
    await shoot(page, `desk-${name}`)
  })

  it('adds a page of subscribers to those before, and keeps what was typed while something else is open', async () => {
    const visit = await open('/desk', { wallets: [{ account: provider }] })
    const { page, button } = visit
    await page.route(/\/subscribers\?/, (route) => {
      const one = new URL(route.request().url())
      one.searchParams.set('first', '1')
      return route.continue({ url: one.href })
    })
    await connect(visit)
    await page.getByRole('article').getByRole('button', { name: 'Subscribers' }).click()
    await button('Show more').dblclick()
    await button('Show more').waitFor({ state: 'detached' })
    const shown = page.getByRole('table', { name: 'Subscribers of this plan' }).getByRole('row')
    expect(await shown.filter({ has: button(/^Remove/) }).count()).toBe(2)

    const plan = page.getByRole('article')
    await plan.getByRole('button', { name: 'Edit' }).click()
    await plan.getByLabel('What they get').fill('Half a sentence')
    await plan.getByRole('button', { name: 'Share' }).click()
    await page.getByRole('img', { name: /QR code/ }).waitFor()
    expect(await plan.getByLabel('What they get').isVisible()).toBe(false)
    await plan.getByRole('button', { name: 'Edit' }).click()
    expect(await plan.getByLabel('What they get').inputValue()).toBe('Half a sentence')
    await expectUsable(visit)
  })

  it(
    'removes a subscriber and edits a plan, by keyboard alone',
    async () => {
      const visit = await open('/desk', { wallets: [{ account: provider }] })
      const { page, button } = visit
      await connect(visit)
      const press = (target: ReturnType<typeof button>) => pressOn(page, target)
      await press(page.getByRole('article').getByRole('button', { name: 'Subscribers' }))
      const row = page.getByRole('row').filter({ hasText: short(bob) })
      await press(row.getByRole('button', { name: /Remove/ }))
      await said(visit, 'Gets back')
      await press(dialogOf(visit).getByRole('button', { name: 'Remove', exact: true }))
      await said(visit, 'Removed.')
      await press(button('Done'))
      expect(await protocol.subscribersOf(weekly)).toEqual([alice])
      await press(button('Edit').first())
      await tabTo(page, page.getByLabel('What they get').first())
      await page.keyboard.press('ControlOrMeta+A')
      await page.keyboard.insertText('Beans, roasted on Mondays')
      await press(button(/^Review/).first())
      await answerBeforeIndexOnce(visit)
      await press(dialogOf(visit).getByRole('button', { name: 'Publish', exact: true }))
      await said(visit, 'The plan has its new words.')
      await press(button('Done'))
      await page.locator('.said').getByText('Beans, roasted on Mondays').waitFor()
      await expectUsable(visit)
    },
    LONG,
  )

  it('ends a plan, which is asked for in red', async () => {
    const visit = await open('/desk', { wallets: [{ account: provider }] })
    const { button } = visit
    await connect(visit)
    await button(/^End/).click()
    await said(visit, 'It cannot be taken back')
    await shoot(visit.page, 'desk-end')
    await button('End it for good').click()
    await said(visit, 'The plan has ended.')
    await button('Done').click()
    await said(visit, 'One plan has ended')
    await expectUsable(visit)
  })
})

/** Answers the next reading of the desk as a service does whose index has yet to read the chain's newest block. */
async function answerBeforeIndexOnce({ page }: SitePageVisit): Promise<void> {
  const now = await page.request.get(page.url(), { headers: { Accept: 'text/html' } })
  const answers = answersIn(await now.text())
  await page.route(
    ({ pathname }) => pathname === '/desk',
    async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, body: withAnswers(await response.text(), answers) })
    },
    { times: 1 },
  )
}

function short(address: string): string {
  return `${address.slice(0, 6)}…${address.slice(-4)}`
}
