import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { answersIn, withAnswers } from '../../support/browser/pageAnswers.ts'
import { shoot } from '../../support/browser/shoot.ts'
import { pressOn, tabTo } from '../../support/browser/tabTo.ts'
import { browserIsInstalled } from '../../support/browser/useBrowser.ts'
import { DARK, PHONE, prepares, type SitePageVisit } from '../../support/browser/useSite.ts'
import { expectUsable, MARKUP, useOwnPages } from './useOwnPages.ts'

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
const LONG = 180_000

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
    const visit = await open('/desk/plans/new', { look })
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
    await page.getByLabel('How often').selectOption('Every year')
    await page.getByLabel('Month', { exact: true }).selectOption('November')
    await page.getByLabel('Day of that month').selectOption('5')
    await said(visit, 'every year on 5 November')
    await page.getByLabel('How often').selectOption('Every month')
    await page.getByLabel('Price').fill('1,000')
    await said(visit, /Write a number such as 12.50/)
    await page.getByLabel('How often').selectOption('Every quarter')
    await page.getByLabel('Day of the quarter').fill('91')
    // Both are marked, and the days of the other rhythm are kept.
    await said(visit, 'Choose a day from 1 to 90.')
    await said(visit, 'Correct the price and the day first.')
    expect(await page.locator('[aria-invalid]').count()).toBe(2)
    await page.getByLabel('How often').selectOption('Every month')
    expect(await page.getByLabel('Day of the month').inputValue()).toBe('28')
    await page.getByLabel('Price').fill('36,50')
    await page.getByRole('img', { name: /^13 due days|^12 due days/ }).waitFor()
    expect(visit.apiCalls()).toEqual([])
    await shoot(page, `desk-nobody-${name}`)
    await expectUsable(visit)
  })

  it('asks for words, says beside a link what is wrong with it, and sends the price as it was shown', async () => {
    const visit = await open('/desk/plans/new', { wallets: [{ account: provider }] })
    const { page, button } = visit
    await connect(visit)
    const review = button(/^Review/).first()
    await page.getByLabel('Price').fill('010')
    await page.getByLabel('Link').first().fill('coffee.example')
    await said(visit, LINK_WORDS)
    await review.click()
    await said(visit, 'Say what members get')
    expect(prepares(visit)).toBe(0)
    await page.getByLabel('Link').first().fill('https://coffee.example')
    await page.getByLabel('What they get').fill('A bag of beans')
    await review.click()
    await dialogOf(visit).getByText('10 USDC every month').waitFor()
    await said(visit, 'can never be changed: members rely on that')
    await expectUsable(visit)
  })

  it(
    'publishes a plan by keyboard alone, gives its link, its code and its button, and lists it',
    async () => {
      const visit = await open('/desk', { wallets: [{ account: otherProvider, sendsCalls: false }] })
      const { page, button } = visit
      await connect(visit)
      await said(visit, 'You have no plan yet.')
      await pressOn(page, visit.link('New plan').last())
      await tabTo(page, page.getByLabel('Price'))
      await page.keyboard.press('ControlOrMeta+A')
      await page.keyboard.type('12.50')
      await tabTo(page, page.getByLabel('What they get'))
      await page.keyboard.type(`A bag ${MARKUP}`)
      await pressOn(page, button(/^Review/))
      await said(visit, 'can never be changed: members rely on that')
      await expectUsable(visit)
      await pressOn(page, button('Publish'))
      await dialogOf(visit).getByRole('heading', { name: 'Your plan is published' }).waitFor()
      const code = await page.getByText('<remit-subscribe').textContent()
      const id = /plan="(0x[0-9a-f]{64})"/.exec(code ?? '')?.[1]
      await service.caughtUp()
      const { body } = await service.get(`/subscriptions/${id}`)
      expect(body).toMatchObject({ subscription: { amount: '12.5', frequency: 1, dueDay: 1 } })
      await shoot(page, 'desk-published')
      await pressOn(page, button(/^Done$/))
      await said(visit, /12.50 USDC every month on the 1st/)
      expect(new URL(page.url()).pathname).toBe('/desk/plans')
      expect(prepares(visit)).toBe(0)
      await expectUsable(visit)
    },
    LONG,
  )

  it.each([
    ['light', {}],
    ['dark, on a phone', { ...PHONE, ...DARK }],
  ])(
    'shows what came in and will come in, and who will not pay, each value by arrow keys too (%s)',
    async (name, look) => {
      await swept()
      const visit = await open(`/desk?address=${provider}`, { look })
      const { page, button } = visit
      await said(visit, 'Monthly recurring')
      await page.getByRole('table', { name: 'Next payments' }).waitFor()
      await page.getByRole('table', { name: 'Members' }).waitFor()
      const [head, ...others] = await page.getByRole('table', { name: 'Members' }).getByRole('row').all()
      expect(await head?.textContent()).toMatch(/MemberPlanSincePaid throughNext payment/)
      expect(others).toHaveLength(1)
      expect(await others[0]?.textContent()).toMatch(
        /11 Mar 2026, in 7 days ?Pays.*fail: 18 Mar 2026, in 14 days. Too little money: 7.86.* missingPermission too small: 7.86/,
      )
      const chart = page.getByRole('slider', { name: /came in and will come in/ })
      await chart.focus()
      expect(await chart.getAttribute('aria-valuetext')).toMatch(/^March 2026: Came in .* Will come in /)
      await page.keyboard.press('ArrowRight')
      expect(await chart.getAttribute('aria-valuetext')).toMatch(
        /^April 2026: .*Will come in [1-9].*Will fail/,
      )
      await page.getByText('April 2026', { exact: true }).waitFor()
      await visit.expectSound()
      await button('Show as a table').click()
      await said(visit, 'March 2026 (so far)')
      expect(visit.apiCalls()).toEqual([])
      // What was read in the background may be old: one large reading brings what stands now.
      await button('Read their wallets now').click()
      const now = page.getByRole('table', { name: 'Who will not pay as things stand' })
      await now.getByText('Permission too small: 7.86').waitFor()
      await now.getByText('Beans').waitFor()
      await now.getByRole('button', { name: `What can be done with ${short(bob)}` }).waitFor()
      // It replaces the older list, and what still rests on older balances says so.
      await page.getByRole('table', { name: 'Members' }).waitFor({ state: 'detached' })
      await said(visit, /^This table uses older balances/)
      expect(visit.apiCalls()).toHaveLength(1)
      await expectUsable(visit)
      await shoot(page, `desk-${name}`)
    },
  )

  it.each([
    ['light', {}],
    ['dark, on a phone', { ...PHONE, ...DARK }],
  ])('has an address for each section, and hides nothing of its tables (%s)', async (name, look) => {
    await swept()
    const visit = await open(`/desk?address=${provider}`, { look })
    const { page } = visit
    const sections = page.getByRole('navigation', { name: 'Sections of the desk' })
    for (const [section, words] of [
      ['Members', 'Permission'],
      ['Plans', MARKUP.slice(0, 20)],
      ['Payments', 'First payment'],
      ['Settings', 'This provider has said nothing about itself.'],
    ] as const) {
      await sections.getByRole('link', { name: section }).click()
      await page.waitForURL(`**/desk/${section.toLowerCase()}?address=${provider}`)
      if (section !== 'Members') await said(visit, words)
      else await page.getByRole('table', { name: 'Members' }).waitFor()
      for (const cell of await page.getByRole('cell').all()) expect(await cell.isVisible()).toBe(true)
      await visit.expectSound()
      await shoot(page, `desk-${section}-${name}`)
    }
    const month = await open(`/desk/payments?address=${provider}&month=2026-03`, { look })
    await expect.poll(() => month.page.title()).toBe(`Payments of March 2026 · ${short(provider)} · Remit`)
  })

  it('finds, sorts and pages members by the address of the page, and pays with documents alone', async () => {
    await swept()
    const visit = await open(`/desk/members?address=${provider}&first=1`)
    const { page, button } = visit
    const rows = page.getByRole('table', { name: 'Members' }).locator('tbody tr')
    await said(visit, '1–1 of 2 subscriptions')
    expect(await rows.textContent()).toContain(short(bob))
    await button(/^Next$/).click()
    await said(visit, '2–2 of 2 subscriptions')
    expect(await rows.textContent()).toContain(short(alice))
    await button('Previous').click()
    await said(visit, '1–1 of 2 subscriptions')
    await button(/^Member$/).click()
    const [first] = [alice, bob].sort((one, other) => (one.toLowerCase() < other.toLowerCase() ? -1 : 1))
    await rows.filter({ hasText: short(first ?? '') }).waitFor()
    expect(new URL(page.url()).searchParams.get('sort')).toBe('subscriber')
    await page.getByRole('searchbox').fill(short(bob))
    await page.keyboard.press('Enter')
    await said(visit, '1–1 of 1 subscription')
    await rows.filter({ hasText: short(bob) }).waitFor()
    await page.reload()
    await said(visit, '1–1 of 1 subscription')
    await page.getByRole('searchbox').fill('0xdead')
    await page.keyboard.press('Enter')
    await said(visit, 'No member’s address contains “0xdead”.')
    expect(visit.apiCalls().filter((path) => !path.startsWith('/desk/members?'))).toEqual([])
    await expectUsable(visit)
  })

  it('shares a plan, and keeps what was typed of its words while these are reviewed', async () => {
    const visit = await open('/desk/plans', { wallets: [{ account: provider }] })
    const { page, button } = visit
    await connect(visit)
    const choose = async (name: string | RegExp) => {
      await button(/^What can be done with Beans/).click()
      await page.getByRole('menuitem', { name }).click()
    }
    // Since when there is the plan.
    await page
      .getByRole('cell', { name: /^\d+ (Feb|Mar) 2026$/ })
      .first()
      .waitFor()
    await button(/^Share Beans/).click()
    await page.getByRole('img', { name: /QR code/ }).waitFor()
    await visit.link(/^How the button works/).waitFor()
    await expectUsable(visit)
    await page.getByText('Pay the network’s fee for your customers').click()
    const paymaster = page.getByLabel('The address of your paymaster')
    await paymaster.fill('http://pay.example')
    await page.getByText('This must be an address that begins with https://.').waitFor()
    await paymaster.fill('https://pay.example/rpc?a=1&b=2')
    await page.getByText(/\?paymaster=https%3A%2F%2Fpay\.example%2Frpc%3Fa%3D1%26b%3D2$/).waitFor()
    await page.getByText('paymaster="https://pay.example/rpc?a=1&amp;b=2"').waitFor()
    await page.keyboard.press('Escape')
    await choose(/Edit description/)
    await page.getByLabel('What they get').fill('Half a sentence')
    await page.getByLabel('Link').fill('http://coffee.example')
    await page.getByText(LINK_WORDS).waitFor()
    await button(/^Review/).click()
    expect(prepares(visit)).toBe(0)
    await page.getByLabel('Link').fill('https://coffee.example')
    await button(/^Review/).click()
    await said(visit, 'From then on everybody reads this.')
    await page.keyboard.press('Escape')
    expect(await page.getByLabel('What they get').inputValue()).toBe('Half a sentence')
    await expectUsable(visit)
  })

  it(
    'removes a member and changes a plan’s words, by keyboard alone',
    async () => {
      const visit = await open('/desk/members', { wallets: [{ account: provider }] })
      const { page, button } = visit
      await connect(visit)
      const press = (target: ReturnType<typeof button>) => pressOn(page, target)
      await press(button(`What can be done with ${short(bob)}`))
      await page.keyboard.press('End')
      await page.keyboard.press('Enter')
      await said(visit, 'Gets back')
      await press(dialogOf(visit).getByRole('button', { name: 'Remove', exact: true }))
      await said(visit, 'The member is removed')
      await press(button(/^Done$/))
      expect(await protocol.subscribersOf(weekly)).toEqual([alice])
      await said(visit, /of 1 subscription$/)

      await press(page.getByRole('navigation', { name: /Sections/ }).getByRole('link', { name: 'Plans' }))
      await press(button(/^What can be done with Beans/))
      await page.keyboard.press('Enter')
      await tabTo(page, page.getByLabel('What they get'))
      await page.keyboard.press('ControlOrMeta+A')
      await page.keyboard.insertText('Beans, roasted on Mondays')
      await press(button(/^Review/))
      await answerBeforeIndexOnce(visit)
      await press(dialogOf(visit).getByRole('button', { name: 'Publish', exact: true }))
      await said(visit, 'The description is published')
      await press(button(/^Done$/))
      await visit.link('Beans, roasted on Mondays').waitFor()
      await expectUsable(visit)
    },
    LONG,
  )

  it('lists who left, when and how, with the receipt, and as a file', async () => {
    const visit = await open(`/desk/members?address=${provider}`)
    const { page, button } = visit
    await visit.link('Who left').click()
    const table = page.getByRole('table', { name: 'Who left, newest first' })
    const row = table.getByRole('row').filter({ hasText: short(bob) })
    await row.getByText('The provider removed the member').waitFor()
    await row.getByRole('link', { name: 'Receipt' }).waitFor()
    await said(visit, '1–1: 1 ended subscription')
    await visit.expectSound()
    await shoot(page, 'desk-left')
    const download = page.waitForEvent('download')
    await button('Who left as CSV').click()
    const file = readFileSync(await (await download).path(), 'utf8')
    expect(file).toContain(`The provider removed the member,"Beans, roasted on Mondays",${weekly.id},${bob},`)
    const back = page.getByRole('paragraph').filter({ hasText: 'Whoever left can subscribe again' })
    await back.getByRole('link', { name: 'Beans, roasted on Mondays' }).waitFor()
    await back.getByRole('button', { name: 'Copy the link' }).waitFor()
    await visit.link('Now').click()
    await page.getByRole('table', { name: 'Members' }).waitFor()
    await expectUsable(visit)
  })

  it('has the same ending in the file of the plan’s history, as its receipt tells it', async () => {
    const { page, button, problems } = await open(`/plans/${weekly.id}`)
    const download = page.waitForEvent('download')
    await button('History as CSV').click()
    const rows = readFileSync(await (await download).path(), 'utf8').split('\r\n')
    expect(rows[0]).toBe(
      '\u{feff}date,time,what,plan,plan id,member,amount,currency,transaction,log,final,receipt',
    )
    const ended = rows.filter((row) => row.includes(',The provider removed the member,'))
    expect(ended).toHaveLength(1)
    expect(ended[0]).toMatch(new RegExp(`,${weekly.id},${bob},[1-9]\\d*\\.\\d+,USDC,0x`))
    expect(ended[0]).toMatch(/\/receipts\/0x[0-9a-f]{64}\/\d+$/)
    expect(problems).toEqual([])
  })

  it('cancels a plan, which is asked for in red', async () => {
    const visit = await open('/desk/plans', { wallets: [{ account: provider }] })
    const { page, button } = visit
    await connect(visit)
    await button(/^What can be done with Beans/).click()
    await page.getByRole('menuitem', { name: /^Cancel/ }).click()
    await said(visit, 'It cannot be taken back')
    await dialogOf(visit).getByText('Beans, roasted on Mondays').waitFor()
    await shoot(visit.page, 'desk-cancel')
    await dialogOf(visit)
      .getByText(/^Their reserves hold 2\.657142 USDC now/)
      .waitFor()
    await button('Cancel it for good').click()
    await said(visit, 'The plan is cancelled')
    await button(/^Done$/).click()
    await page.getByRole('table', { name: 'Cancelled plans' }).waitFor()
    await expectUsable(visit)
  })

  it('tells of a cancelled plan what each member still has in reserve, and so does the member’s own page', async () => {
    const visit = await open(`/desk/members?address=${provider}`)
    const { page, button } = visit
    await said(visit, 'The members of cancelled plans, and their reserves, are under “Plans”.')
    const sections = page.getByRole('navigation', { name: 'Sections of the desk' })
    await sections.getByRole('link', { name: 'Plans' }).click()
    await page.getByText(/^Reserves not paid back yet/).click()
    const table = page.getByRole('table', { name: 'Reserves of a cancelled plan' })
    await table
      .getByRole('row')
      .filter({ hasText: short(alice) })
      .getByText('2.657142 USDC')
      .waitFor()
    await said(visit, /They have nothing to do for that. Who leaves .* gives the reserve to the provider/)
    const download = page.waitForEvent('download')
    await button('Reserves as CSV').click()
    const file = readFileSync(await (await download).path(), 'utf8')
    expect(file).toContain(`${alice},"Beans, roasted on Mondays",${weekly.id},2.657142,USDC`)
    await visit.expectSound()
    await shoot(page, 'desk-reserves')
    await expectUsable(visit)
    const own = await open(`/me?address=${alice}`)
    await said(own, /2\.657142 USDC of its collecting reserve is kept and comes back.*There is nothing to do/)
    await own.expectSound()
    await shoot(own.page, 'me-reserve-kept')
  })

  it('says that newcomers pay what is late, on its sections and on the plan’s page, and leads to collecting', async () => {
    const late = await protocol.create({ dueDay: 4 })
    const { id } = late
    await protocol.join(late, alice, { balance: 500_000_000n, allowance: 500_000_000n })
    await chain.advanceDays(30)
    await service.caughtUp()
    for (const path of [`/desk?address=${provider}`, `/desk/plans?address=${provider}`, `/plans/${id}`]) {
      const visit = await open(path)
      await said(
        visit,
        /payment days.*, the first of them .* Until they are, a new member (of that plan )?is charged for each of them as well/,
      )
      expect(await visit.link('collect now').getAttribute('href')).toMatch(/\/keeper$/)
      await visit.expectSound()
      await shoot(visit.page, `desk-late-${path.split(/[/?]/)[2]}`)
    }
    // What is late is in no sum of the month in which it was due, and in what the overview expects of this one.
    await swept()
    const march = await open(`/desk/payments?address=${provider}&month=2026-03`)
    await said(
      march,
      /Not in these sums: 40 USDC coming in by 4 payments, without what goes into reserves, due since .* and not collected yet/,
    )
    await expectUsable(march)
    const april = await open(`/desk/payments?address=${provider}&month=2026-04`)
    await said(
      april,
      /Due before this month, and not collected yet: 40 USDC coming in by 4 payments, without what goes into reserves. It comes on top/,
    )
    await expectUsable(april)
  })

  it('prints all payments of a month, and where the page has not all of them, says how many there are', async () => {
    const path = `/desk/payments?address=${provider}&month=2026-03`
    const part = await open(`${path}&first=1`)
    await said(part, /^1–1: 1 (payment|ended subscription), of \d+ payments$/)
    const hint = part.page.getByText('not all: choose more Rows, or print each page')
    const byPlan = part.page.getByRole('heading', { name: 'By plan' })
    await byPlan.waitFor()
    expect(await hint.isVisible()).toBe(false)
    await part.page.emulateMedia({ media: 'print' })
    await hint.waitFor()
    // Nothing is added up by plan until somebody presses for it.
    await byPlan.waitFor({ state: 'hidden' })
    await expectUsable(part)
    const { page, button } = await open(path)
    await page.getByRole('table', { name: 'Payments, newest first' }).waitFor()
    expect(await page.getByLabel('Rows').inputValue()).toBe('100')
    await button('Payments as CSV').click()
    const saved = page.getByText(/^\d+ saved\.$/)
    await saved.waitFor()
    await page.emulateMedia({ media: 'print' })
    await page.getByText(/^1–\d+: \d+ payments/).waitFor()
    await saved.waitFor({ state: 'hidden' })
    await page.getByRole('table', { name: 'Sums by plan' }).waitFor()
  })
})

/** Answers the next reading of the desk as a service does whose index has yet to read the chain's newest block. */
async function answerBeforeIndexOnce({ page }: SitePageVisit): Promise<void> {
  const now = await page.request.get(page.url(), { headers: { Accept: 'text/html' } })
  const answers = answersIn(await now.text())
  await page.route(
    ({ pathname }) => pathname === '/desk/plans',
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
