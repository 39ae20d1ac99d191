import { afterEach, describe, expect, it } from 'vitest'
import { signatures } from '../../support/browser/pageWallet.ts'
import { shoot } from '../../support/browser/shoot.ts'
import { browserIsInstalled } from '../../support/browser/useBrowser.ts'
import { DARK, PHONE } from '../../support/browser/useSite.ts'
import { useSubscribePage } from './useSubscribePage.ts'

const { chain, protocol, service, weekly, open, fund } = await useSubscribePage()
const { admin, alice, bob, carol, dave, provider, janitor } = chain.wallets
afterEach(() => chain.client.setAutomine(true))
await fund(alice)
await fund(bob)
// One transaction is enough for these: they have given the permission before.
for (const account of [carol, dave]) {
  await protocol.fund(chain.tokens.usdc, account, { balance: 1_000_000_000n, allowance: 1_000_000_000n })
}

describe.skipIf(!browserIsInstalled)('who cannot subscribe', () => {
  const connect = async (account: typeof alice, id?: `0x${string}`) => {
    const visit = await open([{ account }], id === undefined ? {} : { id })
    await visit.page.locator('#content').getByRole('button', { name: 'Test wallet' }).click()
    return visit
  }

  it('is told why, and the way out', async () => {
    const poor = await connect(janitor)
    await poor.page
      .getByText('Your wallet holds 0 USDC. To subscribe it must hold one whole payment, 10 USDC')
      .waitFor()
    await poor.page.getByText(/Send\s+10 USDC\s+or more on/).waitFor()
    await poor.page.getByRole('img', { name: 'QR code of this payment' }).waitFor()
    await shoot(poor.page, 'subscribe-8-poor')
    await fund(janitor)
    await service.caughtUp()
    await poor.button('Look again').click()
    await poor.button('Review').waitFor()
    await poor.expectSound()

    const own = await connect(provider)
    await own.page.getByText('This is your own plan: a preview').waitFor()
    await own.page.getByLabel('Allow payments for').selectOption('3')
    await own.page.getByText(/today’s part and 3 payments/).waitFor()
    await own.page.locator('button[aria-disabled=true]', { hasText: 'Review' }).waitFor()
    await own.button('Review').click({ force: true })
    await shoot(own.page, 'subscribe-8-own')
    await own.expectSound()
    expect(signatures(own.wallets[0])).toEqual([])

    const inDai = await protocol.create({ token: chain.tokens.dai })
    await protocol.send(admin, 'pauseToken', [chain.tokens.dai, true])
    const paused = await connect(alice, inDai.id)
    await paused.page.getByText(/The contract has paused DAI/).waitFor()

    const ended = await protocol.create()
    await protocol.send(provider, 'cancelSubscription', [ended])
    const cancelled = await open([], { id: ended.id })
    await cancelled.page.getByText('This plan has ended').waitFor()
    await cancelled.link('See the provider’s other plans').waitFor()
    await cancelled.expectSound()

    const none = await open([])
    await none.page.getByText(/No wallet was found in this browser/).waitFor()
    const unknown = await open([], { id: `0x${'12'.repeat(32)}` })
    expect(unknown.status).toBe(404)
    await unknown.page.getByText('There is no plan with this id').waitFor()
    await unknown.expectSound()
  }, 90_000)

  it('has too little ether: is told how much to send where before the wallet is asked, and goes on once it is there', async () => {
    const balance = await chain.client.getBalance({ address: bob })
    await chain.client.setBalance({ address: bob, value: 1_000n })
    const { page, button, wallets, expectSound } = await open([{ account: bob }], { look: PHONE })
    await page.locator('#content').getByRole('button', { name: 'Test wallet' }).click()
    await button('Review').click()
    await page.getByText('Too little ETH for the network’s fee').waitFor()
    await page.getByText(/Send\s+0\.\d+.* ETH.*or more on/s).waitFor()
    await page.getByRole('img', { name: 'QR code of this payment' }).waitFor()
    await button('Subscribe anyway').waitFor()
    expect(await button(/^Subscribe and pay/).count()).toBe(0)
    await shoot(page, 'subscribe-8-no-ether')
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
    const bar = await page.locator('.main-act').boundingBox()
    const foot = await page.locator('.frame__foot').boundingBox()
    expect((foot?.y ?? 0) + (foot?.height ?? 0)).toBeLessThan(bar?.y ?? 0)
    await expectSound()

    await chain.client.setBalance({ address: bob, value: balance })
    await chain.client.mine({ blocks: 1 })
    // The block that was read last is read again for a moment.
    await expect
      .poll(async () => {
        const again = button('Look again')
        if (await again.isVisible()) await again.click()
        return button(/^Subscribe and pay/).isVisible()
      })
      .toBe(true)
    expect(signatures(wallets[0])).toEqual([])
  })

  it('is told that another transaction has taken the place of theirs', async () => {
    const { client } = chain
    const visit = await open([{ account: bob, sendsCalls: false }])
    const { page, button } = visit
    await page.locator('#content').getByRole('button', { name: 'Test wallet' }).click()
    await button('Review').click()
    await button(/^Subscribe and pay/).waitFor()
    await client.setAutomine(false)
    await button(/^Subscribe and pay/).click()
    await page.getByText('Sent. This mostly takes a few seconds.').waitFor()
    await shoot(page, 'subscribe-9-progress')
    // What replaces it is known by its nonce, which the page learns from the node while it waits.
    await expect
      .poll(() => visit.wallets[0]?.requests.map(({ method }) => method))
      .toContain('eth_getTransactionCount')
    const { transactions } = await client.getBlock({ blockTag: 'pending', includeTransactions: true })
    const [waiting] = transactions
    if (waiting === undefined) throw new Error('Nothing waits to be mined')
    const { nonce, maxFeePerGas = 0n } = waiting
    const price = { maxFeePerGas: maxFeePerGas * 2n, maxPriorityFeePerGas: maxFeePerGas * 2n }
    await client.sendTransaction({ account: bob, chain: null, nonce, to: alice, gas: 500_000n, ...price })
    await client.mine({ blocks: 3 })
    await client.setAutomine(true)
    await page.getByText('It was replaced in your wallet').waitFor()
    expect(await protocol.subscribersOf(weekly)).not.toContain(bob)
    await visit.expectSound()
  }, 120_000)

  it('is told that what was sent is not confirmed yet, and not to sign it again', async () => {
    const visit = await open([{ account: carol }])
    const { page, button } = visit
    await page.locator('#content').getByRole('button', { name: 'Test wallet' }).click()
    await button('Review').click()
    await button(/^Subscribe and pay/).waitFor()
    await page.clock.install()
    await chain.client.setAutomine(false)
    await button(/^Subscribe and pay/).click()
    await page.getByText('Sent. This mostly takes a few seconds.').waitFor()
    // Longer than anybody waits for a step.
    await page.clock.fastForward('03:00')
    await page.getByText('It is not confirmed yet').waitFor()
    await page.getByText('Do not sign it a second time').waitFor()
    await page.getByRole('listitem').filter({ hasText: 'may still go through.' }).waitFor()
    await shoot(page, 'subscribe-11-pending')
    await visit.expectSound()
    await chain.client.mine({ blocks: 1 })
    await chain.client.setAutomine(true)
    await service.caughtUp()
    expect(await button('Look again').count()).toBe(0)
    await button('Go on looking').click()
    await page.getByRole('heading', { name: 'You are subscribed' }).waitFor()
  }, 120_000)

  it('is told that it failed on the network, and looking again says why', async () => {
    const doomed = await protocol.create()
    let confirm = () => {}
    const answersAfter = new Promise<void>((resolve) => {
      confirm = resolve
    })
    const wallet = { account: dave, sendsCalls: false, answersAfter }
    const visit = await open([wallet], { id: doomed.id })
    const { page, button } = visit
    await page.locator('#content').getByRole('button', { name: 'Test wallet' }).click()
    await button('Review').click()
    await button(/^Subscribe and pay/).click()
    await page.getByText(/^Confirm it in Test wallet/).waitFor()
    await protocol.send(provider, 'cancelSubscription', [doomed])
    confirm()
    await page.getByText('It failed on the network').waitFor()
    await page.getByText('nothing else was taken').waitFor()
    await visit.expectSound()
    await service.caughtUp()
    await button('Try again').click()
    await page.getByText('This plan has ended').first().waitFor()
  }, 120_000)

  it('is told that the wallet failed, what to do where it never answers, and that the terms are others than shown', async () => {
    const failing = await open([{ account: dave, refuses: { eth_sendTransaction: -32603 } }])
    const look = async ({ page, button }: typeof failing) => {
      await page.locator('#content').getByRole('button', { name: 'Test wallet' }).click()
      await button('Review').click()
      await button(/^Subscribe and pay/).click()
    }
    await look(failing)
    await failing.page.getByText('Your wallet failed').waitFor()
    // Its own words are shown: it knows best.
    await failing.page
      .getByText('The wallet answered: The method wallet_sendCalls is not supported')
      .or(failing.page.getByText('The wallet answered: The method eth_sendTransaction is not supported'))
      .waitFor()
    await failing.page.getByText('Look at its list of transactions before you try again').waitFor()
    await failing.expectSound()

    const silent = await open([{ account: dave, answersAfter: new Promise(() => {}) }])
    await look(silent)
    await silent.page.getByText('If it shows nothing, load this page again').waitFor()
    await silent.expectSound()
    await silent.page.reload()
    await silent.button('Review').waitFor()

    const misled = await open([{ account: dave }])
    const document = `**/subscribe/${weekly.id}`
    await misled.page.route(document, async (route) => {
      const response = await route.fetch()
      await route.fulfill({
        response,
        body: (await response.text()).replace('"amount":"10"', '"amount":"1"'),
      })
    })
    await misled.page.reload()
    await look(misled)
    await misled.page.getByText('The terms are not those of this page').waitFor()
    await misled.page.getByText('Nothing was sent, and nothing was paid.').waitFor()
    expect(signatures(misled.wallets[0])).toEqual([])
    await misled.page.unroute(document)
    await misled.button('Load the page again').click()
    await misled.page.getByText('10 USDC').first().waitFor()
    await misled.expectSound()
  }, 90_000)

  it.each([
    ['light', {}],
    ['phone-dark', { ...PHONE, ...DARK, timezoneId: 'America/New_York' }],
  ])(
    'can read all of it (%s)',
    async (name, look) => {
      const visit = await open([{ account: alice }], { look })
      await visit.page.locator('#content').getByRole('button', { name: 'Test wallet' }).click()
      await visit.button('Review').waitFor()
      // A day in UTC begins on the evening before for some: they are told when.
      const rows = await visit.page.locator('.timeline__row').allTextContents()
      const isElsewhere = /\(from \d+ Mar, 19:00 where you are\)/.test(rows.join(' '))
      expect(isElsewhere).toBe(name === 'phone-dark')
      await shoot(visit.page, `subscribe-look-${name}`)
      expect(
        await visit.page.evaluate('document.documentElement.scrollWidth - innerWidth'),
      ).toBeLessThanOrEqual(0)
      await visit.expectSound()
      await visit.button('Review').click()
      await visit.button(/^Subscribe and pay/).waitFor()
      await shoot(visit.page, `subscribe-look-${name}-review`)
      await visit.expectSound()
      await visit.button('Back').click()
      await visit.button('Review').waitFor()
      expect(await visit.page.evaluate('document.activeElement.textContent')).toBe('Subscribe')
    },
    60_000,
  )
})

it('the document of the subscribe page lets nobody frame it, and leaves the window that opened it in reach', async () => {
  const { headers } = await fetch(`${service.url}/subscribe/${weekly.id}`, {
    headers: { Accept: 'text/html' },
  })
  expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  expect(headers.get('cross-origin-opener-policy')).toBe('unsafe-none')
  const button = await fetch(`${service.url}/button.js`, { headers: { Origin: 'https://shop.example' } })
  expect(button.status).toBe(200)
  expect(Object.fromEntries(button.headers)).toMatchObject({
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
    'content-type': 'text/javascript; charset=utf-8',
  })
  expect(button.headers.get('cache-control')).toMatch(/no-cache/)
  expect((await button.text()).length).toBeLessThanOrEqual(5_000)
})
