import { describe, expect, it } from 'vitest'
import { browserIsInstalled } from '../support/programs/useBrowser.ts'
import { LEAST_CONTRAST, shoot } from './examplePage.ts'
import { MARKUP, usePageGround } from './pageGround.ts'

const { chain, protocol, weekly, origin, open, weekDay } = await usePageGround()
const { alice, bob, carol, admin, provider, janitor } = chain.wallets

describe.skipIf(!browserIsInstalled)('the page of the browser example', () => {
  it('lets one choose between wallets, and takes window.ethereum only where no wallet announces itself', async () => {
    const { page, button } = await open([
      { account: alice, name: 'One wallet' },
      { account: bob, name: '<b>Another</b> wallet' },
      { account: carol, found: 'window.ethereum' },
    ])
    await button('Connect <b>Another</b> wallet').waitFor()
    expect(await page.getByRole('button', { name: /^Connect/ }).allTextContents()).toEqual([
      'Connect One wallet',
      'Connect <b>Another</b> wallet',
    ])
    await button('Connect <b>Another</b> wallet').click()
    await page.getByText(bob, { exact: true }).waitFor()

    const plain = await open([{ account: carol, found: 'window.ethereum' }])
    await plain.button('Connect Browser wallet').click()
    await plain.page.getByText(carol, { exact: true }).waitFor()

    const none = await open([])
    await none.page.getByText(/No wallet was found in this browser/).waitFor()
  }, 40_000)

  it('warns in plain words of a payment that waits, and says why one cannot subscribe', async () => {
    const waiting = await protocol.create({ dueDay: ((await weekDay()) % 7) + 1 })
    await chain.advanceDays(1)
    const { page, button, expectQuiet } = await open([{ account: admin }], { id: waiting.id })
    await button('Connect Test wallet').click()
    await page.getByText(/has not been collected yet.*a whole 10 USDC/).waitFor()
    await shoot(page, '12-backlog')
    expectQuiet()

    const poor = await open([{ account: janitor }])
    await poor.button('Connect Test wallet').click()
    await poor.page.getByText(/holds 0 USDC; subscribing needs one full period of 10 USDC/).waitFor()
    await shoot(poor.page, '13-not-ready')
    expect(await poor.button(/^Subscribe for/).count()).toBe(0)

    const own = await open([{ account: provider }])
    await own.button('Connect Test wallet').click()
    await own.page.getByText(/cannot subscribe to it itself/).waitFor()
  }, 40_000)

  it('shows what strangers wrote as text, and leads nowhere that they did not show', async () => {
    const { page, expectQuiet } = await open([])
    await page.getByText(MARKUP, { exact: false }).waitFor()
    expect(await page.locator('figure img, figure b').count()).toBe(0)
    const link = page.getByRole('link', { name: 'https://coffee.example/weekly' })
    expect(await link.getAttribute('rel')).toContain('noopener')
    expectQuiet()
  })

  it('forbids by its own policy what it never does', async () => {
    const { page, problems } = await open([])
    await page.getByText('10 USDC a week', { exact: true }).waitFor()
    const forbidden = async (script: string) =>
      page.evaluate(`(async () => { ${script} })()`).catch(() => 'refused')
    expect(await forbidden(`await fetch('${chain.url}'); return 'fetched'`)).toBe('refused')
    expect(await forbidden(`document.body.innerHTML = '<i>x</i>'; return 'parsed'`)).toBe('refused')
    expect(problems.join()).toMatch(/Content Security Policy.*TrustedHTML/s)
  })

  it('asks only the services that it was built for, and says so in a sentence', async () => {
    const other = await open([], { query: `?service=https://evil.example&subscription=${weekly.id}` })
    await other.page.getByText(/was built for .* and does not ask https:\/\/evil\.example/).waitFor()
    expect(
      new Set(other.requested.map((url) => new URL(url).origin).filter((from) => from !== 'null')),
    ).toEqual(new Set([origin]))

    const unknown = `0x${'12'.repeat(32)}`
    const missing = await open([], { id: unknown })
    await missing.page.getByRole('alert').getByText(unknown).waitFor()
    await shoot(missing.page, '14-unknown')
  })

  it.each([
    ['on a phone', { viewport: { width: 360, height: 740 } }, '15-phone'],
    ['in the dark', { colorScheme: 'dark' }, '16-dark'],
    [
      'on a phone in the dark',
      { viewport: { width: 360, height: 740 }, colorScheme: 'dark' },
      '17-phone-dark',
    ],
  ] as const)('fits %s, with text that stands out from what is behind it', async (_title, look, name) => {
    const { page, button, expectQuiet } = await open([{ account: admin }], { look })
    await button('Connect Test wallet').click()
    await button('Subscribe for 10 USDC a week').waitFor()
    await page.getByText('Coffee House').waitFor()
    await shoot(page, name)
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    expect(await page.evaluate(LEAST_CONTRAST)).toBeGreaterThanOrEqual(4.5)
    expectQuiet()
  })
})
