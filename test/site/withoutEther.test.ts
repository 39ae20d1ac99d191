import { TestToken } from '@remit/contracts/TestToken'
import { UsdcLikeToken } from '@remit/contracts/UsdcLikeToken'
import { describe, expect, it } from 'vitest'
import { shoot } from '../support/browser/shoot.ts'
import { browserIsInstalled } from '../support/browser/useBrowser.ts'
import { type SitePageVisit, useSite } from '../support/browser/useSite.ts'
import { expectAccessible } from '../support/browser/watchPage.ts'
import { contractAt } from '../support/chain/contractAt.ts'
import {
  bundlerIsInstalled,
  todayNoon,
  usePaymasterExample,
} from '../support/programs/usePaymasterExample.ts'
import { indexed } from '../support/service/indexed.ts'
import { letAccountsSign } from '../support/wallets/letAccountsSign.ts'
import { signerOf } from '../support/wallets/signerOf.ts'
import { sponsoredWallet } from '../support/wallets/sponsoredWallet.ts'

const isInstalled = bundlerIsInstalled && browserIsInstalled

if (isInstalled) describe('a person with USDC and no ether', suite)
else it.skipIf(!isInstalled)('a person with USDC and no ether', () => {})

async function suite(): Promise<void> {
  const { chain, protocol, service, visit } = await useSite({}, todayNoon())
  const { alice, keeper, provider } = chain.wallets
  const { usdc } = chain.tokens
  const today = Math.floor((await chain.now()) / 86_400)
  // Due in three days, whatever day today is: day 0 was a Thursday.
  const weekly = await protocol.create({ dueDay: ((today + 6) % 7) + 1 })
  const startExample = await usePaymasterExample(chain, service)
  const { paymasterUrl, bundlerUrl, factory } = await startExample({ PLANS: weekly.id })
  await letAccountsSign(chain, factory)
  const wallet = await sponsoredWallet(signerOf(20), {
    rpcUrl: chain.url,
    chainId: chain.chainId,
    factory,
    bundlerUrl,
  })
  const { address: member } = wallet
  const token = contractAt(chain.client, usdc, UsdcLikeToken.abi)
  await contractAt(chain.client, usdc, TestToken.abi).send(alice, 'mint', [member, 1_000_000_000n])

  const allowance = () => token.read('allowance', [member, chain.contract])
  const nonce = () => token.read('nonces', [member])
  const said = ({ page }: SitePageVisit, text: string | RegExp) => page.getByText(text).first().waitFor()
  const connect = ({ page }: SitePageVisit) =>
    page.getByRole('main').getByRole('button', { name: 'Test wallet' }).click()

  let due = today + 3
  /** The next due day comes, and somebody collects. */
  async function collect(): Promise<void> {
    await chain.advanceTo(due * 86_400 + 43_200)
    due += 7
    await protocol.send(keeper, 'remit', [])
  }

  /** What the member's wallet has held of ether since a block, in wei: each amount once. */
  async function etherSince(start: bigint): Promise<bigint[]> {
    const end = await chain.client.getBlockNumber({ cacheTime: 0 })
    const blocks = Array.from({ length: Number(end - start) + 1 }, (_, index) => start + BigInt(index))
    const held = blocks.map((blockNumber) => chain.client.getBalance({ address: member, blockNumber }))
    return [...new Set(await Promise.all(held))]
  }

  /** Opens the member's own page in the browser that is open. */
  async function openOwn({ page }: SitePageVisit): Promise<void> {
    await indexed(service, chain)
    await service.caughtUp()
    await page.goto(`${service.url}/me`)
  }

  it('subscribes, is rescued by the provider and leaves, and never has any ether', async () => {
    const start = await chain.client.getBlockNumber({ cacheTime: 0 })
    const planLink = `/subscribe/${weekly.id}?paymaster=${encodeURIComponent(paymasterUrl)}`
    const mine = await visit(planLink, { wallets: [{ account: member, inside: wallet }] })
    const { page, button } = mine
    expect(await chain.client.getCode({ address: member })).toBeUndefined()
    await connect(mine)
    await page.getByLabel('Allow payments for').selectOption('3 payments (3 weeks)')
    await button('Review').click()
    await said(mine, 'offers to pay the network fee.')
    await button(/^Subscribe and pay/).click()
    await page.getByRole('heading', { name: 'You are subscribed' }).waitFor()
    expect(await protocol.subscribersOf(weekly)).toEqual([member])
    expect(await chain.client.getCode({ address: member })).toBeDefined()

    for (let week = 0; week < 3; week += 1) await collect()
    expect(await protocol.subscribersOf(weekly)).toEqual([member])
    const before = await allowance()
    expect(before).toBeLessThan(10_000_000n)
    await openOwn(mine)
    await said(mine, /^Ends on /)
    await shoot(page, 'without-ether-ends')
    await button(/^Allow payments again/).click()
    await said(mine, 'Too little ETH')
    await button(/^Sign it/).click()
    await button('Send it to your provider’s desk').click()
    await said(mine, 'Only they see it there')
    expect([await nonce(), await allowance()]).toEqual([0n, before])

    const desk = await visit('/desk', { wallets: [{ account: provider }] })
    await connect(desk)
    await desk.button('Sign in to see them').click()
    await desk.button(`Carry the permission of ${member}`).click()
    await said(desk, 'You carry what somebody else has signed.')
    await desk.page.getByRole('dialog').getByRole('button', { name: 'Carry it' }).click()
    await said(desk, 'Its owner’s subscriptions go on by it.')
    await desk.button('Done').click()
    await said(desk, 'Nothing now.')
    expect(await nonce()).toBe(1n)
    const carried = await allowance()
    expect(carried).toBeGreaterThan(before)

    await openOwn(mine)
    await said(mine, /^Covered through /)
    const held = await token.read('balanceOf', [member])
    await collect()
    expect(await token.read('balanceOf', [member])).toBe(held - 10_000_000n)
    expect(await allowance()).toBe(carried - 10_000_000n)

    // With another browser, which has the offer from the plan's link.
    await indexed(service, chain)
    const phone = await visit(planLink, { wallets: [{ account: member, inside: wallet }] })
    await connect(phone)
    await said(phone, 'You are subscribed to this already.')
    await phone.link('My subscriptions').click()
    await phone.button(/^Leave/).click()
    await said(phone, 'offers to pay the network fee.')
    await shoot(phone.page, 'without-ether-leave')
    await chain.client.setAutomine(false)
    await phone.page.getByRole('dialog').getByRole('button', { name: 'Leave', exact: true }).click()
    await said(phone, 'Sent. This mostly takes a few seconds.')
    await phone.page.reload()
    await said(phone, '“Leave this plan” is under way.')
    expect(await protocol.subscribersOf(weekly)).toEqual([member])
    await chain.client.setAutomine(true)
    await chain.client.mine({ blocks: 1 })
    await said(phone, '“Leave this plan” is done.')
    await phone.button('Show how far it is').click()
    await said(phone, 'You have left.')
    expect(await protocol.subscribersOf(weekly)).toEqual([])
    for (const { problems, page: shown } of [mine, desk, phone]) {
      expect(problems).toEqual([])
      await expectAccessible(shown)
    }
    expect(await etherSince(start)).toEqual([0n])
    const asked = wallet.requests.map(({ method }) => method).filter((method) => /send|sign/i.test(method))
    expect(asked).toEqual(['wallet_sendCalls', 'eth_signTypedData_v4', 'wallet_sendCalls'])
  }, 180_000)
}
