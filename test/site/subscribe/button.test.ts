import { createClient, verifyPass } from '@remit/client'
import type { BrowserContext, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { giveWallet } from '../../support/browser/pageWallet.ts'
import { shoot } from '../../support/browser/shoot.ts'
import { tabTo } from '../../support/browser/tabTo.ts'
import { browserIsInstalled } from '../../support/browser/useBrowser.ts'
import { expectAccessible } from '../../support/browser/watchPage.ts'
import { WALL_OF_TEST_CHAINS } from '../../support/service/wallOfTestChains.ts'
import { useHostPage } from './hostPage.ts'
import { useSubscribePage } from './useSubscribePage.ts'

const { site, chain, protocol, service, weekly, fund } = await useSubscribePage()
const { alice, bob } = chain.wallets
await fund(alice)
await protocol.join(weekly, bob, { allowance: 1_000_000_000n })
const other = await protocol.create({ dueDay: 4 })
const ended = await protocol.create({ dueDay: 5 })
await protocol.send(chain.wallets.provider, 'cancelSubscription', [ended])
const NOBODYS = `0x${'12'.repeat(32)}`
const SHOP = 'https://shop.example'
const host = await useHostPage(
  service.url,
  `<h1>A shop</h1>
  <remit-subscribe plan="${other.id}" chain="${chain.chainId}" paymaster="https://pay.example/a?b=c&amp;d">Join the others</remit-subscribe>
  <remit-subscribe plan="${weekly.id}" chain="${chain.chainId}" pass>Join for <b>10 USDC</b></remit-subscribe>
  <remit-subscribe plan="javascript:alert(1)">Nothing</remit-subscribe>
  <remit-subscribe plan="${NOBODYS}" chain="${chain.chainId}">Join nobody</remit-subscribe>
  <remit-subscribe plan="${NOBODYS}" chain="7">Join elsewhere</remit-subscribe>
  <remit-subscribe plan="${ended.id}">Join the dead</remit-subscribe>
  <iframe title="Framed" src="${service.url}/subscribe/${weekly.id}"></iframe>`,
)

/** Checks a pass offline, by the clock of the service. */
const memberBy = async (pass: unknown, audience: string) => {
  const keys = await createClient({ url: service.url }).getPassKeys()
  const now = WALL_OF_TEST_CHAINS() / 1000
  const subscription = { id: weekly.id, chainId: chain.chainId }
  return (await verifyPass(String(pass), { keys, issuer: service.url, audience, now, subscription }))
    .subscriber
}

/** Tells of each of the button's events, as the host page's own script would hear it. */
async function openHost(
  script = '',
): Promise<{ page: Page; context: BrowserContext; told: unknown[][]; problems: readonly string[] }> {
  // Without a header of its own: with one, Chromium would ask before it loads the script.
  const { page, problems } = await site.visit('/plans')
  const context = page.context()
  const told: unknown[][] = []
  await page.exposeFunction('hear', (...what: unknown[]) => told.push(what))
  await page.addInitScript({
    content: `for (const name of ['remit-ready', 'remit-subscribed', 'remit-pass', 'remit-closed', 'remit-unavailable'])
      addEventListener(name, ({ detail, target }) => window.hear(name, detail, target.textContent))
      ${script}`,
  })
  await page.goto(host)
  return { page, context, told, problems }
}

/** Opens the subscribe page as a page does that is not the button, with a member's wallet. @param hello what it answers */
async function openAs(context: BrowserContext, page: Page, hello: string): Promise<Page> {
  await page.evaluate(`addEventListener('message', ({ data, source }) => {
    window.hearMessage(data)
    if (data.remit === 'here') source.postMessage(${hello}, '*')
  })`)
  const opening = context.waitForEvent('page')
  const address = `${service.url}/subscribe/${weekly.id}?origin=${SHOP}&audience=${SHOP}`
  await page.evaluate(`void open('${address}', 'remit-subscribe-mine')`)
  const popup = await opening
  await giveWallet(popup, { rpcUrl: chain.url, found: 'announced', account: bob })
  await popup.reload()
  await popup.locator('#content').getByRole('button', { name: 'Test wallet' }).click()
  return popup
}

/** What was told of buttons that name a plan: of the one that names none it is told at once. */
const ofPlans = (told: readonly unknown[][]) => told.filter(([, , text]) => text !== 'Nothing')

describe.skipIf(!browserIsInstalled)('the button on somebody’s page', () => {
  it('hands on who offers to pay the network’s fee', async () => {
    const { page, context } = await openHost()
    const opening = context.waitForEvent('page')
    await page.getByRole('button', { name: 'Join the others' }).click()
    const popup = await opening
    await popup.waitForURL(/subscribe/)
    expect(new URL(popup.url()).searchParams.get('paymaster')).toBe('https://pay.example/a?b=c&d')
  })

  it('opens the subscribe page in a window of its own, and its page alone hears what happened', async () => {
    const { page, context, told, problems } = await openHost()
    const button = page.getByRole('button', { name: 'Join for 10 USDC' })
    await tabTo(page, button)
    await shoot(page, 'button-1-host')
    const opening = context.waitForEvent('page')
    await page.keyboard.press('Enter')
    const popup = await opening
    await expect.poll(() => ofPlans(told)).toEqual([['remit-ready', {}, 'Join for 10 USDC']])
    await popup.getByText(`Opened by ${new URL(host).host}`).waitFor()

    // The wallet comes into the window when it loads again, and so the two meet again.
    await giveWallet(popup, { rpcUrl: chain.url, found: 'announced', account: alice })
    await popup.reload()
    await expect.poll(() => ofPlans(told).length).toBe(2)
    // What others say in the opener's name, or in the page's, is not heard.
    await popup.evaluate(`window.postMessage({ remit: 'hello', nonce: 'forged' }, '*')`)
    await page.evaluate(
      `window.postMessage({ remit: 'subscribed', nonce: 'forged', transactionHash: '0x${'1'.repeat(64)}', blockNumber: 1 }, '*')`,
    )
    await popup.locator('#content').getByRole('button', { name: 'Test wallet' }).click()
    await popup.getByRole('button', { name: 'Review' }).click()
    await popup.getByRole('button', { name: /^Subscribe and pay/ }).click()
    await popup.getByRole('heading', { name: 'You are subscribed' }).waitFor()
    await shoot(popup, 'button-2-popup')
    const { number } = await chain.client.getBlock()
    const [, , subscribed] = ofPlans(told)
    expect(subscribed).toEqual([
      'remit-subscribed',
      {
        plan: weekly.id,
        chainId: chain.chainId,
        transactionHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        blockNumber: Number(number),
      },
      'Join for 10 USDC',
    ])
    await popup.getByRole('button', { name: `Give ${new URL(host).host} the pass` }).click()
    await popup.getByText(/has your pass/).waitFor()
    await shoot(popup, 'button-3-pass')
    await expectAccessible(popup)
    await expect.poll(() => ofPlans(told).length).toBe(4)
    const [name, given] = z
      .tuple([z.string(), z.looseObject({ pass: z.string() })])
      .parse(ofPlans(told)[3]?.slice(0, 2))
    expect([name, given]).toEqual([
      'remit-pass',
      { plan: weekly.id, chainId: chain.chainId, pass: expect.any(String), expiresAt: expect.any(Number) },
    ])
    expect(await memberBy(given.pass, host)).toBe(alice)
    await expect(memberBy(given.pass, host.replace('localhost', '127.0.0.1'))).rejects.toMatchObject({
      why: 'wrong-audience',
    })
    const closing = popup.waitForEvent('close')
    // The page may be gone before the click is told to have happened.
    await popup
      .getByRole('button', { name: 'Close this window' })
      .click()
      .catch(() => {})
    await closing
    await expect
      .poll(() => told.at(-1))
      .toEqual(['remit-closed', { subscribed: true, pending: false }, 'Join for 10 USDC'])
    expect(ofPlans(told)).toHaveLength(5)

    expect(await page.getByRole('button', { name: 'Nothing' }).isDisabled()).toBe(true)
    // Nobody frames the page, and nothing else of the host's policy stood in the button's way.
    const framed = page.frames().find((frame) => frame !== page.mainFrame())
    expect(framed?.url()).toMatch(/^chrome-error:/)
    expect(problems.filter((problem) => !problem.includes('frame-ancestors'))).toEqual([])
  }, 120_000)

  it.each([
    ['a plan that there is not', 'Join nobody', NOBODYS, 'not-found', 'This plan does not exist.'],
    ['a chain that is not served', 'Join elsewhere', NOBODYS, 'not-found', 'This plan does not exist.'],
    ['a plan that has ended', 'Join the dead', ended.id, 'cancelled', 'This plan has ended.'],
  ])(
    'tells its page by an event, and its visitor in words, of %s',
    async (_what, name, plan, reason, words) => {
      const { page, context, told } = await openHost()
      const opening = context.waitForEvent('page')
      await page.getByRole('button', { name }).click()
      const popup = await opening
      await expect
        .poll(() => ofPlans(told).map(([event]) => event))
        .toEqual(['remit-ready', 'remit-unavailable'])
      expect(ofPlans(told)[1]).toEqual(['remit-unavailable', expect.objectContaining({ plan, reason }), name])
      await popup.close()
      await page.getByText(words).waitFor()
      expect(told.filter(([, , text]) => text === 'Nothing')).toEqual([
        ['remit-unavailable', { plan: 'javascript:alert(1)', chainId: null, reason: 'invalid' }, 'Nothing'],
      ])
      await page.getByText('This button names no plan.').waitFor()
    },
    60_000,
  )

  it('gives a member a pass for the origin that has opened it, whatever that page says of itself', async () => {
    const { page, context } = await openHost()
    const heard: unknown[] = []
    await page.exposeFunction('hearMessage', (data: unknown) => heard.push(data))
    // It takes the button's part, and names somebody else wherever it can.
    const popup = await openAs(
      context,
      page,
      `({ remit: 'hello', nonce: 'n', wantsPass: true, origin: '${SHOP}', audience: '${SHOP}' })`,
    )
    await popup.getByText('You are subscribed to this already.').waitFor()
    await popup.getByRole('button', { name: `Give ${new URL(host).host} the pass` }).click()
    await popup.getByText(/has your pass/).waitFor()
    await expect.poll(() => heard).toContainEqual(expect.objectContaining({ remit: 'pass', nonce: 'n' }))
    const pass = Object(heard.at(-1)).pass
    expect(await memberBy(pass, host)).toBe(bob)
    await expect(memberBy(pass, SHOP)).rejects.toMatchObject({ why: 'wrong-audience' })

    // Whoever stands in the opener's place later hears nothing.
    await popup.reload()
    await popup.getByRole('button', { name: `Give ${new URL(host).host} the pass` }).waitFor()
    await page.goto(host.replace('localhost', '127.0.0.1'))
    await page.evaluate(`addEventListener('message', ({ data }) => window.hearMessage(data))`)
    const before = heard.length
    await popup.getByRole('button', { name: `Give ${new URL(host).host} the pass` }).click()
    await popup.getByText(/has your pass/).waitFor()
    expect(heard.slice(before)).toEqual([])
  }, 120_000)

  it('has the member sign in again where the session ends before the pass is made', async () => {
    const { page, context } = await openHost()
    await page.exposeFunction('hearMessage', () => {})
    const popup = await openAs(context, page, `({ remit: 'hello', nonce: 'n', wantsPass: true })`)
    await popup.getByText('You are subscribed to this already.').waitFor()
    const asked: string[] = []
    popup.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (request.method() === 'POST') asked.push(pathname)
    })
    await popup.route(
      /\/passes\?/,
      async (route) => {
        await popup.evaluate(`fetch('/portal/session', { method: 'DELETE' })`)
        await route.continue()
      },
      { times: 1 },
    )
    await popup.getByRole('button', { name: `Give ${new URL(host).host} the pass` }).click()
    await popup.getByText(/has your pass/).waitFor()
    const signingIn = ['/portal/nonce', '/portal/session']
    expect(asked).toEqual([...signingIn, '/passes', ...signingIn, '/passes'])
  }, 120_000)

  it('gives none to a page whose origin cannot be named, nor to one that asks for none', async () => {
    for (const [path, hello] of [
      ['/sandbox', `({ remit: 'hello', nonce: 'n', wantsPass: true })`],
      ['/', `({ remit: 'hello', nonce: 'n' })`],
    ] as const) {
      const { page, context } = await openHost()
      await page.exposeFunction('hearMessage', () => {})
      const sandbox = 'sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox'
      await page.route('**/sandbox', (route) =>
        route.fulfill({
          contentType: 'text/html',
          headers: { 'Content-Security-Policy': sandbox },
          body: 'x',
        }),
      )
      await page.goto(`${host}${path}`)
      const popup = await openAs(context, page, hello)
      await popup.getByText('You are subscribed to this already.').waitFor()
      expect(await popup.getByRole('button', { name: /the pass$/ }).count()).toBe(0)
    }
  }, 120_000)

  it('names the plan that its window was opened for, and opens anew once it is about another', async () => {
    const { page, context, told } = await openHost()
    const button = page.getByRole('button', { name: 'Join for 10 USDC' })
    const opening = context.waitForEvent('page')
    await button.click()
    const popup = await opening
    await giveWallet(popup, { rpcUrl: chain.url, found: 'announced', account: bob })
    await popup.reload()
    await popup.locator('#content').getByRole('button', { name: 'Test wallet' }).click()
    await page.evaluate(`document.querySelector('remit-subscribe[pass]').setAttribute('plan', '${other.id}')`)
    await popup.getByRole('button', { name: `Give ${new URL(host).host} the pass` }).click()
    await expect.poll(() => told.at(-1)?.[0]).toBe('remit-pass')
    expect(told.at(-1)?.[1]).toMatchObject({ plan: weekly.id, chainId: chain.chainId })

    await button.click()
    await popup.waitForURL(`**/subscribe/${other.id}*`)
    await expect.poll(() => told.at(-1)?.[0]).toBe('remit-ready')
    expect(context.pages()).toHaveLength(2)
  }, 120_000)

  it('gives a link where the browser blocks the window, and the page behind it is heard too', async () => {
    const { page, context, told } = await openHost('window.open = () => null')
    await page.getByRole('button', { name: 'Join for 10 USDC' }).click()
    await page.getByText('Your browser blocked the window.').waitFor()
    const opening = context.waitForEvent('page')
    await page.keyboard.press('Enter')
    const tab = await opening
    await expect.poll(() => ofPlans(told)).toEqual([['remit-ready', {}, 'Join for 10 USDC']])
    await tab.close()
    await expect
      .poll(() => told.at(-1))
      .toEqual(['remit-closed', { subscribed: false, pending: false }, 'Join for 10 USDC'])
  }, 40_000)
})
