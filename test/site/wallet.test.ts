import { describe, expect, it } from 'vitest'
import { browserIsInstalled } from '../support/browser/useBrowser.ts'
import { useSite } from '../support/browser/useSite.ts'

const { visit, chain } = await useSite()
const { alice, bob, carol } = chain.wallets
const short = (address: string) => new RegExp(`^${address.slice(0, 6)}`)

describe.skipIf(!browserIsInstalled)('connecting a wallet', () => {
  it('waits for no wallet that is silent, and follows the other through switches, a lock and an unlock', async () => {
    let answerLate = () => {}
    const connectsAfter = new Promise<void>((resolve) => {
      answerLate = resolve
    })
    const wallets = [
      { account: alice, name: 'Silent wallet', connectsAfter },
      { account: bob, name: 'Quick wallet' },
    ]
    const { page, button, wallets: given, expectSound } = await visit('/', { wallets })
    const [, quick] = given
    const head = page.getByRole('banner')
    const isConnected = (account: string) => head.getByRole('button', { name: short(account) }).waitFor()
    await button('Connect a wallet').click()
    await button('Silent wallet').click()
    expect(await button('Silent wallet').getAttribute('aria-disabled')).toBe('true')
    await button('Quick wallet').click()
    await isConnected(bob)
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    // Who uses the keyboard is where they were.
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toMatch(short(bob))
    answerLate()

    await Promise.all([quick?.tell('accountsChanged', [alice]), quick?.tell('accountsChanged', [carol])])
    await isConnected(carol)
    await quick?.tell('accountsChanged', [])
    await button('Connect a wallet').waitFor()
    await quick?.tell('accountsChanged', [carol])
    await isConnected(carol)
    await page.reload()
    // The wallet's own answer, as another visit finds it: the one that was silent is not remembered.
    await isConnected(bob)
    await expectSound()
  })

  it('tells a wallet that does not know the development chain where its node is', async () => {
    const wallets = [{ account: alice, chainId: 1, refuses: { wallet_switchEthereumChain: 4902 } }]
    const { button, page, wallets: given, expectSound } = await visit('/', { wallets })
    await button('Connect a wallet').click()
    await button('Test wallet').click()
    await page
      .getByRole('banner')
      .getByRole('button', { name: short(alice) })
      .click()
    await button(/^Switch to/).click()
    await expect
      .poll(() => given[0]?.requests.find(({ method }) => method === 'wallet_addEthereumChain')?.params)
      .toMatchObject([{ chainId: '0x7a69', rpcUrls: [chain.url] }])
    await expectSound()
  })
})
