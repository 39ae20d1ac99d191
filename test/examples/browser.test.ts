import { describe, expect, it } from 'vitest'
import { TestToken } from '../../contracts/generated/TestToken.ts'
import { contractAt } from '../support/chain/contractAt.ts'
import { browserIsInstalled } from '../support/programs/useBrowser.ts'
import { shoot, tabTo } from './examplePage.ts'
import { usePageGround } from './pageGround.ts'
import { signatures } from './pageWallet.ts'

const { chain, protocol, weekly, open, collect } = await usePageGround()
const { alice, bob, carol, dave, stranger, janitor } = chain.wallets

describe.skipIf(!browserIsInstalled)('the browser example', () => {
  it('subscribes in one go with a wallet that has wallet_sendCalls, and shows the payment when it comes', async () => {
    const { page, button, wallets, requested, expectQuiet } = await open([{ account: alice }])
    await page.getByText('10 USDC a week', { exact: true }).waitFor()
    await page.getByText('Coffee House').waitFor()
    await shoot(page, '1-first-view')
    await button('Connect Test wallet').click()
    await page.getByText('2.857142 USDC', { exact: true }).waitFor()
    await page.getByRole('definition').filter({ hasText: '122.857142 USDC' }).waitFor()
    await shoot(page, '2-review')
    // The free lane has three of these a minute.
    const isScarce = (url: string) => /\/(details|activity)(\?|$)|\/providers\//.test(url)
    expect(requested.filter(isScarce).length).toBeLessThanOrEqual(3)
    await button('Subscribe for 10 USDC a week').click()
    await page.getByText('You are subscribed. 2.857142 USDC was taken.').first().waitFor()
    await page.getByText('Next on Wednesday, 4 March 2026').waitFor()
    await shoot(page, '3-done')
    expect(await protocol.subscribersOf(weekly)).toContain(alice)
    expect(signatures(wallets[0])).toEqual(['wallet_sendCalls'])

    await collect()
    const payment = page.getByRole('row').filter({ hasText: 'Payment' })
    await payment.waitFor()
    expect(await payment.getByRole('cell').last().textContent()).toBe('10 USDC')
    await page.getByText('Next on Wednesday, 11 March 2026').waitFor()
    expect(await page.getByRole('status').textContent()).toBe('A payment of 10 USDC was taken.')
    await shoot(page, '4-payment')
    expectQuiet()
  }, 40_000)

  it('subscribes in two steps with a wallet that has not, shows the payment, and unsubscribes', async () => {
    let answer = () => {}
    const answersAfter = new Promise<void>((resolve) => {
      answer = resolve
    })
    const { page, button, wallets, expectQuiet } = await open([
      { account: bob, sendsCalls: false, answersAfter },
    ])
    await button('Connect Test wallet').click()
    await page.getByLabel('Let the allowance last for').selectOption('3 weeks')
    await button('Subscribe for 10 USDC a week').click()
    await page.getByText('Confirm it in Test wallet.').waitFor()
    await shoot(page, '3-progress')
    answer()
    await page.getByText('You are subscribed.').first().waitFor()
    const steps = await page.getByRole('list', { name: 'Steps' }).getByRole('listitem').allTextContents()
    expect(steps).toEqual([
      expect.stringMatching(/done.*Prepare the transactions and check them/),
      expect.stringMatching(/done.*Allow the protocol to take the tokenIn block \d+/),
      expect.stringMatching(/done.*Subscribe.*In block \d+/),
    ])
    await shoot(page, '5-done-in-two-steps')
    // It is asked once, and says that it does not know it.
    expect(signatures(wallets[0])).toEqual(['wallet_sendCalls', 'eth_sendTransaction', 'eth_sendTransaction'])
    await page.getByText('The allowance lasts for 3 more').waitFor()

    await collect()
    await page.getByRole('row').filter({ hasText: 'Payment' }).waitFor()
    await page.getByText('The allowance lasts for 2 more').waitFor()

    await button(/^Unsubscribe from 10 USDC a week/).click()
    await page.getByText(/goes to the provider and does not come back/).waitFor()
    await shoot(page, '6-unsubscribing')
    await button('Yes, unsubscribe').click()
    await page.getByText('This wallet subscribes to nothing.').waitFor()
    await page
      .getByRole('row')
      .filter({ hasText: /fee balance of \S+ USDC went to the provider/ })
      .waitFor()
    await button('Take the allowance back').waitFor()
    await shoot(page, '7-unsubscribed')
    await button('Take the allowance back').click()
    await page.getByText('The allowance is taken back: nothing more can be taken.').waitFor()
    expect(
      await contractAt(chain.client, chain.tokens.usdc, TestToken.abi).read('allowance', [
        bob,
        chain.contract,
      ]),
    ).toBe(0n)
    expect(await protocol.subscribersOf(weekly)).not.toContain(bob)
    expectQuiet()
  }, 40_000)

  it('says what happened when the user says no, at the first signature or at the second, and begins again', async () => {
    const first = await open([{ account: carol, approvals: 0 }])
    await first.button('Connect Test wallet').click()
    await first.button('Subscribe for 10 USDC a week').click()
    await first.page.getByText('You said no in the wallet.', { exact: true }).waitFor()
    await first.page.getByText('Nothing was sent, and nothing was paid.', { exact: true }).waitFor()
    await shoot(first.page, '8-refused')
    expect(await protocol.subscribersOf(weekly)).not.toContain(carol)
    await first.button('Look at it again').click()
    await first.button('Subscribe for 10 USDC a week').waitFor()
    first.expectQuiet()

    const second = await open([{ account: carol, approvals: 1, sendsCalls: false }])
    await second.button('Connect Test wallet').click()
    await second.button('Subscribe for 10 USDC a week').click()
    await second.page
      .getByText(/^Before that you signed “Allow the protocol to take the token”, which is on the chain/)
      .waitFor()
    await second.page.getByText(/^The protocol may now take the token from you/).waitFor()
    await shoot(second.page, '9-refused-halfway')
    await second.button('Look at it again').click()
    // What was approved before is not asked for again.
    await second.page.getByText('what you have given already is enough').waitFor()
    second.expectQuiet()
  }, 40_000)

  it('has a wallet on another chain switch before anything can be signed', async () => {
    const { page, button, wallets, expectQuiet } = await open([{ account: dave, chainId: 1 }])
    await button('Connect Test wallet').click()
    await page.getByText('This subscription is on Test chain 31337 (31337).').waitFor()
    expect(await button(/^Subscribe for/).count()).toBe(0)
    await shoot(page, '10-wrong-chain')
    await button('Switch the wallet to Test chain 31337').click()
    await button('Subscribe for 10 USDC a week').click()
    await page.getByText('You are subscribed.').first().waitFor()
    expect(wallets[0]?.requests.map(({ method }) => method)).toContain('wallet_switchEthereumChain')
    expect(await protocol.subscribersOf(weekly)).toContain(dave)
    expectQuiet()
  }, 40_000)

  it('says so where the wallet cannot switch, and follows what its user does in the wallet', async () => {
    const { page, button, wallets, expectQuiet } = await open([
      {
        account: dave,
        chainId: 1,
        refuses: { wallet_switchEthereumChain: 4902, wallet_addEthereumChain: 4200 },
      },
    ])
    await button('Connect Test wallet').click()
    await button('Switch the wallet to Test chain 31337').click()
    await page.getByText('The method wallet_addEthereumChain is not supported.').waitFor()
    await wallets[0]?.tell('chainChanged', '0x7a69')
    await page.getByRole('definition').filter({ hasText: dave }).waitFor()
    await wallets[0]?.tell('accountsChanged', [janitor])
    await page.getByRole('definition').filter({ hasText: janitor }).waitFor()
    await page.getByText(/holds 0 USDC/).waitFor()
    await wallets[0]?.tell('accountsChanged', [])
    await button('Connect Test wallet').waitFor()
    expect(await page.getByText(/holds 0 USDC/).isVisible()).toBe(false)
    expectQuiet()
  }, 40_000)

  it('can be used from its first view to the end with the keyboard alone', async () => {
    const { page, button, expectQuiet } = await open([{ account: stranger }], { query: '' })
    const input = page.getByLabel('Subscription id')
    await page.getByRole('link', { name: '10 USDC a week' }).first().waitFor()
    await shoot(page, '11-finder')
    await tabTo(page, input)
    await page.keyboard.type(weekly.id)
    await page.keyboard.press('Enter')
    await button('Connect Test wallet').waitFor()
    await tabTo(page, button('Connect Test wallet'))
    await page.keyboard.press('Enter')
    await button('Subscribe for 10 USDC a week').waitFor()
    await tabTo(page, button('Subscribe for 10 USDC a week'))
    await page.keyboard.press('Enter')
    await page.getByText('You are subscribed.').first().waitFor()
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Done')
    const leave = button(/^Unsubscribe from 10 USDC a week/)
    await leave.waitFor()
    await tabTo(page, leave)
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Yes, unsubscribe')
    await page.keyboard.press('Space')
    await page.getByText('This wallet subscribes to nothing.').waitFor()
    expect(await protocol.subscribersOf(weekly)).not.toContain(stranger)
    expectQuiet()
  }, 40_000)
})
