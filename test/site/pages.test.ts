import { Subscriptions } from '@remit/contracts/Subscriptions'
import { TestToken } from '@remit/contracts/TestToken'
import { encodeDeployData } from 'viem'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { withAnswers } from '../support/browser/pageAnswers.ts'
import { expectReachable, pressOn, tabTo } from '../support/browser/tabTo.ts'
import { browserIsInstalled } from '../support/browser/useBrowser.ts'
import { DARK, PHONE } from '../support/browser/useSite.ts'
import { expectAccessible, expectStill } from '../support/browser/watchPage.ts'
import { contractAt } from '../support/chain/contractAt.ts'
import { indexed } from '../support/service/indexed.ts'
import { useTestService } from '../support/service/testService.ts'
import { HOSTILE, useSiteGround } from './siteGround.ts'

const site = await useSiteGround()
const { chain, protocol, weekly, hostile, service } = site
const { alice, bob, carol, dave, provider, stranger } = chain.wallets

const project = 'c0ffee'.padEnd(32, '0')
const withPhones = await useTestService([chain], { WALLETCONNECT_PROJECT_ID: project })

interface EveryPage {
  readonly name: string
  path(): string | Promise<string>
  readonly words: RegExp
  /** Of the document; 200 where it is not said. */
  readonly status?: number
  /** What the page asks of the API by itself. */
  readonly asks?: readonly string[]
}

/** All pages of the site, the documents, and what a visitor sees of a page that is not there. */
const PAGES: readonly EveryPage[] = [
  { name: 'the home page', path: () => '/', words: /Payments that repeat/ },
  { name: 'the plans', path: () => '/plans', words: /A bag of coffee every week/ },
  { name: 'a plan', path: () => `/plans/${weekly.id}`, words: /10 USDC every week on Wednesday/ },
  {
    name: 'a plan of somebody who means harm',
    path: () => `/plans/${hostile.id}`,
    words: /every week on Thursday/,
  },
  { name: 'a provider', path: () => `/wallets/${provider}`, words: /Coffee House/ },
  { name: 'a provider who means harm', path: () => `/wallets/${carol}`, words: /Nobody has checked it/ },
  { name: 'a subscriber', path: () => `/wallets/${alice}`, words: /are covered/ },
  { name: 'a receipt', path: site.paid, words: /To the provider/ },
  { name: 'the page to subscribe', path: () => `/subscribe/${weekly.id}`, words: /What is taken/ },
  { name: 'the page of one’s own', path: () => `/me?address=${alice}`, words: /My subscriptions/ },
  { name: 'the desk', path: () => `/desk?address=${provider}`, words: /Monthly recurring/ },
  { name: 'the desk’s settings', path: () => `/desk/settings?address=${provider}`, words: /Coffee House/ },
  { name: 'the keeper’s page', path: () => '/keeper', words: /Collect payments/ },
  { name: 'the page of a permission by link', path: () => '/carry', words: /This link is not complete/ },
  { name: 'the page to pay for a friend', path: () => '/top-up', words: /This link is not complete/ },
  { name: 'the portal', path: () => '/portal', words: /API keys/, asks: ['/portal/session'] },
  { name: 'the status', path: () => '/status', words: /What went wrong lately/ },
  { name: 'a guide', path: () => '/docs/passes', words: /Check a pass/ },
  { name: 'the reference', path: () => '/docs', words: /Prepare subscribing/, asks: ['/openapi.json'] },
  { name: 'a page that is not there', path: () => '/nowhere', words: /Nothing is at/, status: 404 },
  {
    name: 'a plan that is not there',
    path: () => `/plans/0x${'12'.repeat(32)}`,
    words: /cannot|There is no/,
    status: 404,
  },
  {
    name: 'a chain that is not served',
    path: () => '/plans?chainId=7',
    words: /chain is not served/,
    status: 400,
  },
]

describe.skipIf(!browserIsInstalled)('every page', () => {
  it.each(PAGES)(
    '$name comes with its data and can be used by everybody, in both themes at two widths, by keyboard too',
    async ({ path, words, status = 200, asks = [] }) => {
      await indexed(service, chain)
      for (const look of [{}, { ...PHONE, ...DARK }]) {
        const visit = await site.visit(await path(), { look })
        await visit.page.getByText(words).first().waitFor({ timeout: 30_000 })
        expect(visit.status).toBe(status)
        expect(visit.apiCalls()).toEqual(asks)
        await visit.expectSound()
        expect(await visit.page.title()).toContain('Remit')
        expect(await visit.page.locator('img[src=x], a[href^="javascript:"], a[href^="data:"]').count()).toBe(
          0,
        )
        await expectReachable(visit.page)
      }
    },
    240_000,
  )

  it('lets a visitor connect one of several wallets, and knows it on the next visit', async () => {
    const visit = await site.visit('/plans', {
      wallets: [
        { account: alice, name: 'One wallet' },
        { account: bob, name: '<b>Another</b> wallet' },
      ],
    })
    await visit.button('Connect a wallet').click()
    await visit.button('<b>Another</b> wallet').click()
    const yours = visit.button(new RegExp(`^${bob.slice(0, 6)}`))
    await yours.waitFor()
    await visit.page.reload()
    await yours.waitFor()
    expect(visit.wallets[1]?.requests.filter(({ method }) => method === 'eth_requestAccounts')).toHaveLength(
      1,
    )
    await visit.expectSound()
  })

  it('offers a wallet on another device where an operator has named a project, and loads it once it is chosen', async () => {
    const visit = await site.visit('/plans')
    const { page, button, requested } = visit
    await button('Connect a wallet').click()
    await page.getByText('No wallet was found').waitFor()
    const choice = button('A wallet on your phone')
    expect(await choice.count()).toBe(0)

    // Nothing of it leaves this machine.
    await page.route(/walletconnect\.org/, (route) => route.abort())
    const relay: string[] = []
    await page.routeWebSocket(/walletconnect\.org/, (socket) => void relay.push(socket.url()))
    await page.goto(`${withPhones.url}/plans`)
    await button('Connect a wallet').click()
    const isLoaded = () => requested.some((url) => url.includes('walletConnect-'))
    await choice.waitFor()
    expect(isLoaded()).toBe(false)
    await choice.click()
    const patience = { timeout: 15_000 }
    await expect.poll(isLoaded, patience).toBe(true)
    await expect.poll(() => relay[0] ?? '', patience).toContain(`projectId=${project}`)
    await expectStill(page)
    await expectAccessible(page)
  }, 120_000)
})

describe.skipIf(!browserIsInstalled)('the explorer', () => {
  it('finds a plan by its id, and leads from there to a receipt and to its provider, by keyboard alone', async () => {
    const visit = await site.visit('/')
    const { page } = visit
    await tabTo(
      page,
      page.getByRole('textbox', { name: 'Words, a wallet address, a plan id or a transaction' }),
    )
    await page.keyboard.insertText(weekly.id)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'A bag of coffee every week' }).waitFor()
    const ending = 'A payment failed, so the contract ended the subscription'
    await pressOn(page, visit.link(ending))
    await page.getByRole('heading', { name: ending }).waitFor()
    await page.getByText(/Nothing was taken from the wallet/).waitFor()
    await page.getByText(/What was left in the collecting reserve went to the provider/).waitFor()
    await page
      .getByText(/[1-9]\d* USDC out of the collecting reserve/)
      .first()
      .waitFor()
    await visit.expectSound()
    // To print, the page is laid out anew.
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    expect(await page.getByRole('navigation').or(visit.button('Connect a wallet')).count()).toBe(0)
    expect(await page.evaluate('getComputedStyle(document.body).color')).toBe('rgb(29, 33, 31)')
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgba(0, 0, 0, 0)')
    await page.locator('.frame__foot').getByText(new URL(page.url()).origin).waitFor()
    await page.emulateMedia({ media: null, colorScheme: null })
    await pressOn(page, visit.link(provider.slice(0, 6)))
    await page.getByRole('heading', { name: 'Coffee House' }).waitFor()
    await pressOn(page, visit.link('A bag of coffee every week'))
    await page.waitForURL(`**/plans/${weekly.id}`)
  })

  it('tells what a term means on a phone: a tap shows it whole, another tap and one elsewhere hide it', async () => {
    const { page, expectSound } = await site.visit(`/plans/${weekly.id}`, {
      look: { ...PHONE, hasTouch: true, isMobile: true },
    })
    const term = page.getByRole('button', { name: 'collecting reserve' }).first()
    const tip = page.getByRole('tooltip').filter({ hasText: 'pays out of it whoever collects' }).first()
    const expectWhole = async () => {
      await tip.waitFor()
      const { x = -1, y = -1, width = 0, height = 0 } = (await tip.boundingBox()) ?? {}
      expect([x >= 0, y >= 0, x + width <= 360, y + height <= 740]).toEqual([true, true, true, true])
    }
    await term.tap()
    await expectWhole()
    await expectSound()
    await term.tap()
    await tip.waitFor({ state: 'hidden' })
    // At the lower edge of the window it opens above its word.
    await term.evaluate((word) => scrollBy(0, word.getBoundingClientRect().bottom - innerHeight + 4))
    await term.tap()
    await expectWhole()
    await page.getByRole('heading').first().tap({ force: true })
    await tip.waitFor({ state: 'hidden' })
  })

  it('prints a receipt on one sheet', async () => {
    const { page } = await site.visit(await site.paid())
    await page.getByText('To the provider').first().waitFor()
    const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1')
    expect(pdf.match(/\/Type\s*\/Page\b(?!s)/g)).toHaveLength(1)
    expect(pdf).toMatch(/\/MediaBox \[0 0 59\d\S* 84\d/)
  })

  it('prints books on sheets on their side, where no amount of eighteen decimals is broken', async () => {
    const { page } = await site.visit(`/desk/payments?address=${provider}`)
    const sums = page.getByRole('table', { name: 'Sums by month' })
    await sums.waitFor()
    const written = await sums.locator('.money').evaluateAll((amounts) => {
      for (const amount of amounts) {
        amount.classList.add('money--long')
        amount.firstChild?.replaceWith('12,345.123456789012345678')
      }
      return amounts.length
    })
    expect(written).toBeGreaterThan(0)
    const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1')
    expect(pdf).toMatch(/\/MediaBox \[0 0 84\d\S* 59\d/)
    // As wide as that sheet without its margins.
    await page.setViewportSize({ width: 1032, height: 700 })
    await page.emulateMedia({ media: 'print' })
    const broken = await sums.locator('.money').evaluateAll(
      (amounts) =>
        amounts.filter((amount) => {
          const number = document.createRange()
          if (amount.firstChild !== null) number.selectNodeContents(amount.firstChild)
          return number.getClientRects().length !== 1
        }).length,
    )
    expect(broken).toBe(0)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(1032)
  })

  it('draws payments and failures in the colours of the page, tells each value, and says the same as a table', async () => {
    const visit = await site.visit(`/plans/${weekly.id}`)
    const { page } = visit
    const chart = page.getByRole('slider', { name: /3 paid and 1 failed/ })
    await chart.press('End')
    expect(await chart.getAttribute('aria-valuetext')).toMatch(
      /^Week of .*2026: Payments collected \d+, Failed \d+$/,
    )
    const colour = () => page.evaluate('getComputedStyle(document.querySelector(".chart__bar")).fill')
    const light = await colour()
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await colour()).not.toBe(light)
    await page.emulateMedia({ colorScheme: 'light' })
    await visit.button('Show as a table').click()
    await page
      .getByRole('group', { name: 'Payments by week' })
      .getByText('1', { exact: true })
      .first()
      .waitFor()
    await visit.expectSound()
  })

  it('writes exact amounts, adds older events once, however quickly they are asked for, and on paper tells how many it has', async () => {
    const visit = await site.visit(`/plans/${weekly.id}`)
    const { page } = visit
    const { body } = await service.get(`/subscriptions/${weekly.id}/history?first=3`)
    const [newest, ...others] = z.array(z.looseObject({})).parse(body.events)
    const events = [{ ...newest, eventName: 'ProviderPaid', amount: '12.3456' }, ...others]
    await page.route(/\/plans\//, async (route) => {
      const response = await route.fetch()
      const history = { operation: 'getSubscriptionHistory', status: 200, body: { ...body, events } }
      await route.fulfill({ response, body: withAnswers(await response.text(), { history }) })
    })
    await page.reload()
    const receipts = page.getByRole('table', { name: /What happened/ }).locator('a[href^="/receipts/"]')
    const isPart = page.getByText(/^Not all: the newest \d+\. Press “Show older” before printing/)
    await isPart.waitFor({ state: 'attached' })
    await isPart.waitFor({ state: 'hidden' })
    await visit.button('Show older').dblclick()
    await visit.button('Show older').waitFor({ state: 'detached' })
    await isPart.waitFor({ state: 'detached' })
    const links = await receipts.evaluateAll((found) => found.map((link) => link.getAttribute('href')))
    expect(links.length).toBeGreaterThan(3)
    expect(links).toEqual([...new Set(links)])
    await page.getByText('12.3456 USDC').waitFor()
    await visit.expectSound()
    await page.reload()
    await page.emulateMedia({ media: 'print' })
    await isPart.waitFor()
    await page.getByText(/^As of .+, block \d+ of chain \d+$/).waitFor()
  })

  it('filters as the API does, and says what to do where nothing fits, by keyboard alone', async () => {
    const visit = await site.visit('/plans')
    const { page } = visit
    await tabTo(page, page.getByLabel('How often'))
    await page.keyboard.type('Every year')
    await page.keyboard.press('Enter')
    await pressOn(page, visit.button(/^Search$/))
    await page.getByText('No plan fits.').waitFor()
    await pressOn(page, visit.link('Show all plans'))
    await page.getByText(/A bag of coffee/).waitFor()
    await visit.expectSound()
  })

  it('filters as soon as something is chosen', async () => {
    const visit = await site.visit('/plans')
    await visit.page.getByLabel('How often').selectOption('Every year')
    await visit.page.getByText('No plan fits.').waitFor()
    await visit.expectSound()
  })

  it('finds by words and price, says what the list is narrowed to, and refuses a price that is none', async () => {
    const visit = await site.visit('/plans')
    const { page } = visit
    await page.getByLabel('Search', { exact: true }).fill('bag COFFEE')
    await page.getByLabel('Price from').fill('1,50')
    await page.getByLabel('Price to').fill('1')
    await page.keyboard.press('Enter')
    await page.getByText('The lowest price is above the highest.').waitFor()
    await visit.expectSound()
    await page.getByLabel('Price to').fill('10')
    await page.keyboard.press('Enter')
    await page.waitForURL(/q=bag\+COFFEE.*minAmount=1\.50.*maxAmount=10|minAmount=1\.50/)
    await page.getByText(/A bag of coffee/).waitFor()
    await visit.expectSound()
    await visit.link('Remove “bag COFFEE”').click()
    await visit.link('Remove from 1.50').waitFor()
    expect(await page.getByLabel('Search', { exact: true }).inputValue()).toBe('')
  })

  it('says of a transaction’s hash what it is, and which plans it was about, and leads to its receipts', async () => {
    const [, hash] = (await site.paid()).split('/receipts/')
    const visit = await site.visit(`/plans/${hash?.split('/')[0]}`)
    await visit.page.getByRole('heading', { name: 'This is a transaction.' }).waitFor()
    await visit.page.locator(`a[href$="/plans/${weekly.id}"]`).waitFor()
    const receipt = visit.page.locator(`a[href*="/receipts/${hash?.split('/')[0]}/"]`).first()
    await receipt.waitFor()
    await visit.expectSound()
    await receipt.click()
    await visit.page.getByText('Receipt for').first().waitFor()
  })

  it('shows what strangers wrote as text, clipped, and where their links really lead', async () => {
    const visit = await site.visit(`/plans/${hostile.id}`)
    // The first sentence is the heading, and the rest stands below.
    const said = (await visit.page.locator('h1, .quote').allTextContents()).join(' ')
    expect(said).toContain('<img src=x onerror="document.title=1">')
    expect(said).not.toMatch(/[\u202e\u2066\u200b\ufeff]/)
    expect(said.length).toBeLessThan(800)
    const link = visit.link(/xn--pypal-4ve\.com/)
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer nofollow ugc')
    expect(HOSTILE.length).toBeGreaterThan(10_000)
    await visit.expectSound()
    const wallet = await site.visit(`/wallets/${dave}`)
    expect(await wallet.page.locator('b, script[src=x]').count()).toBe(0)
    await wallet.expectSound()
  })

  it('is no wider than a phone, whatever words without end strangers put on it', async () => {
    const endless = 'W'.repeat(40)
    const code = encodeDeployData({ ...TestToken, args: [endless, endless, 6] })
    const token = await chain.deploy(code)
    const contract = contractAt(chain.client, chain.contract, Subscriptions.abi)
    await contract.send(chain.wallets.admin, 'addERC20Contract', [token, 10n ** 16n, 6])
    const plan = await protocol.create({ token, provider: stranger, dueDay: 3, amount: 10n ** 40n })
    const details = { url: `https://${endless.toLowerCase()}.example`, description: endless }
    await protocol.send(stranger, 'editDetails', [details, plan.id])
    const profile = { company: endless, domain: endless, email: endless, misc: endless }
    await protocol.send(stranger, 'editProvDetails', [{ ...details, ...profile }])
    const wallets = [{ account: alice, name: endless }]
    for (const path of [
      '/plans',
      `/plans/${plan.id}`,
      `/subscribe/${plan.id}`,
      `/wallets/${stranger}`,
      '/me',
    ]) {
      const visit = await site.visit(path, { look: PHONE, wallets })
      await visit.page.locator('bdi', { hasText: 'WWWW' }).first().waitFor()
      await visit.expectSound()
      if (path !== '/plans') continue
      await visit.button('Connect a wallet').click()
      const choice = visit.button(endless)
      await choice.waitFor()
      expect((await choice.locator('bdi').boundingBox())?.width).toBeLessThan(360)
    }
  }, 120_000)

  it('explains its words on focus, and takes the explanation back by Escape', async () => {
    const visit = await site.visit('/')
    const word = visit.button('Collected through')
    await word.focus()
    const told = visit.page.getByRole('tooltip', { name: /named remit/ })
    await told.waitFor()
    await visit.page.keyboard.press('Escape')
    await told.waitFor({ state: 'hidden' })
    await visit.expectSound()
  })

  it('keeps the colours that a visitor chose', async () => {
    const visit = await site.visit('/plans')
    await visit.button('Use dark colours').click()
    await visit.page.reload()
    await visit.button('Use light colours').waitFor()
    await visit.expectSound()
  })
})
