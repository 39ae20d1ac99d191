import { setTimeout } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { shoot } from '../support/browser/shoot.ts'
import { browserIsInstalled } from '../support/browser/useBrowser.ts'
import { DARK, PHONE, useSite } from '../support/browser/useSite.ts'
import { ADMIN_SECRET } from '../support/service/testService.ts'
import { Receiver } from '../support/webhooks/Receiver.ts'
import { TEST_SECRETS_KEY } from '../support/webhooks/startDelivering.ts'

const site = await useSite({
  PORTAL: 'open',
  LIMIT_NEW_KEYS_DAILY: '100',
  WEBHOOKS: 'true',
  SECRETS_KEY: TEST_SECRETS_KEY,
  WEBHOOKS_ALLOW_LOOPBACK: 'true',
})
const receiver = await new Receiver().start()
afterAll(() => receiver.close())
const { alice, bob, carol, provider } = site.chain.wallets

const Made = z.object({ token: z.string().optional(), webhook: z.object({ id: z.string() }).optional() })

const statusWith = async (key: string) => {
  const { status, headers } = await fetch(`${site.service.url}/protocol/state`, {
    headers: { Authorization: `Bearer ${key}` },
  })
  return [status, headers.get('x-service-lane')]
}

const callWith = async (key = '', path: string, body: object): Promise<unknown> => {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  const answer = await fetch(`${site.service.url}${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  expect(answer.ok).toBe(true)
  return answer.json()
}

/** Longer than a browser takes what moves for an answer to an act: so nothing that is slow may move anything. */
const SLOW_MS = 700

async function signedIn(account: typeof alice, look = {}) {
  const visit = await site.visit('/portal', { wallets: [{ account, name: 'A wallet' }], look })
  await visit.page.route(/\/(portal\/session|developer\/keys)/, async (route) => {
    await setTimeout(SLOW_MS)
    await route.continue()
  })
  await shoot(visit.page, `portal-begin ${JSON.stringify(look)}`)
  // The frame has a button of its own; this one is in the page.
  await visit.page.locator('main').getByRole('button', { name: 'A wallet' }).click()
  await visit.page
    .locator('main')
    .getByRole('button', { name: /^Sign in as/ })
    .click()
  await visit.page.getByRole('heading', { name: 'Your keys' }).waitFor()
  return visit
}

describe.skipIf(!browserIsInstalled)('the portal', () => {
  it('leads from landing to a key’s first call, and to its end', async () => {
    const visit = await signedIn(alice)
    const { page } = visit
    await visit.button('Make a key').click()
    await page.getByLabel('Name').fill('The checkout')
    await visit.button('Make the key').click()
    const shown = page.locator('.portal__key code')
    const key = (await shown.textContent()) ?? ''
    expect(key).toMatch(/^svc_[\w-]{49}$/)
    // The key stands in every text that begins with it.
    await expect.poll(() => page.locator('.portal__start').textContent()).toContain(key)
    expect(await statusWith(key)).toEqual([200, 'developer'])
    await shoot(page, 'portal-made')
    await page.reload()
    await page.getByText('The checkout').waitFor()
    // What any port of this host is sent opens nothing: the page shows what its origin alone has stored.
    const byCookie = await page.request.get(`${site.service.url}/portal/session`)
    expect(await byCookie.json()).toMatchObject({ session: null })
    expect((await page.context().cookies()).map(({ name }) => name)).toEqual(['remit_session'])
    expect(await page.content()).not.toContain(key)
    await page.getByText('1 of').first().waitFor()
    await shoot(page, 'portal-keys')
    await visit.expectSound()
    await visit.button('Rename The checkout').click()
    await page.getByRole('textbox', { name: 'Name' }).fill('The till')
    await visit.button('Save the name').click()
    await page.getByRole('heading', { name: 'The till' }).waitFor()
    await visit.button('Revoke').click()
    await visit.button('Revoke it for good').click()
    await page.getByText('You have no keys.').waitFor()
    expect(await statusWith(key)).toEqual([401, 'free'])
    await visit.button('Sign out').click()
    await page.getByRole('heading', { name: 'Sign in with your wallet' }).waitFor()
    await visit.expectSound()
  }, 120_000)

  it('makes a webhook for the wallet’s plans, shows its secret once, tests and deletes it, and says what is wrong with an address', async () => {
    const visit = await signedIn(provider)
    const { page } = visit
    await visit.button('Webhooks').click()
    await page.getByText('You have no webhooks.').waitFor()
    await visit.button('Make a webhook').click()
    await page.getByLabel('Address of your server').fill(receiver.url('/new'))
    await page.getByRole('textbox', { name: 'Name' }).fill('The gate')
    await visit.expectSound()
    await visit.button('Make the webhook').click()
    await page.getByText(/^whsec_/).waitFor()
    await shoot(page, 'portal-webhook-made')
    await visit.expectSound()
    await page.keyboard.press('Escape')
    await page.getByRole('heading', { name: 'The gate' }).waitFor()
    await page.getByText(/^whsec_/).waitFor({ state: 'detached' })
    expect(await page.content()).not.toContain('whsec_')
    await page.getByText('Active').waitFor()
    await visit.button('Test The gate').click()
    await page.getByText(/^Your server answered 200 to a test/).waitFor()
    await visit.expectSound()
    await visit.button('Delete The gate').click()
    await visit.button('Delete it for good').click()
    await page.getByText('You have no webhooks.').waitFor()
    await visit.button('Make a webhook').click()
    await page.getByLabel('Address of your server').fill('http://shop.example')
    await visit.button('Make the webhook').click()
    await page.getByText('The address must begin with https://.').waitFor()
    await page.getByLabel('Address of your server').fill('https://shop.invalid')
    await visit.button('Make the webhook').click()
    await page.getByText('No server of this name was found.').waitFor()
  })

  it('says which webhooks of the wallet are paused and why, and resumes them', async () => {
    const { token } = Made.parse(
      await callWith(ADMIN_SECRET, '/developer/keys', { subjectId: carol.toLowerCase() }),
    )
    const wishes = { url: receiver.url('/shop'), description: 'The shop' }
    const { webhook } = Made.parse(await callWith(token, '/developer/webhooks', wishes))
    await callWith(token, `/developer/webhooks/${webhook?.id}/pause`, {})
    const visit = await signedIn(carol)
    await visit.button('Webhooks').click()
    await visit.page.getByText('Paused by you').waitFor()
    await shoot(visit.page, 'portal-webhooks')
    await visit.button('Resume The shop').click()
    await visit.page.getByText('Active').waitFor()
    await visit.expectSound()
  })

  it.each([
    ['in the dark', bob, DARK],
    ['on a dark phone', provider, { ...PHONE, ...DARK }],
  ])('can be used %s, and nothing moves however slow the service is', async (where, account, look) => {
    const visit = await signedIn(account, look)
    const { page } = visit
    await visit.button('Make a key').click()
    await visit.button('Make the key').click()
    await page.locator('.portal__key').waitFor()
    await shoot(page, `portal-made ${where}`)
    await visit.expectSound()
    await visit.button('Close').click()
    await visit.button('Replace').first().click()
    await visit.button('Replace it').click()
    await page.locator('.portal__key').waitFor()
    await visit.button('Close').click()
    await page
      .getByText(/^ends /)
      .first()
      .waitFor()
    await page.getByText(' of ').first().waitFor()
    await shoot(page, `portal-keys ${where}`)
    await visit.expectSound()
    await visit.button('Use Without a name').first().click()
    await visit.button('Cursor').click()
    await page.getByText('"Authorization": "Bearer svc_').waitFor()
    await shoot(page, `portal-use ${where}`)
    await visit.expectSound()
  })

  it('offers to sign in again once the session has ended', async () => {
    const { page, button } = await signedIn(alice)
    const headers = { Origin: site.service.url }
    await page.request.delete(`${site.service.url}/portal/session`, { headers })
    await button('Make a key').click()
    await button('Make the key').click()
    await page.getByRole('heading', { name: 'Sign in with your wallet' }).waitFor()
  })

  it('says what a wallet refused, and lets it try again', async () => {
    const wallets = [{ account: alice, name: 'A wallet', refuses: { personal_sign: 4001 } }]
    const visit = await site.visit('/portal', { wallets, look: PHONE })
    const main = visit.page.locator('main')
    await main.getByRole('button', { name: 'A wallet' }).click()
    await main.getByRole('button', { name: /^Sign in as/ }).waitFor()
    expect(await visit.page.evaluate('document.activeElement.textContent')).toMatch(/^Sign in as/)
    await main.getByRole('button', { name: /^Sign in as/ }).click()
    await main.getByRole('alert').getByText(/./).waitFor()
    await main.getByRole('button', { name: /^Sign in as/ }).waitFor()
    await visit.expectSound()
  })
})
