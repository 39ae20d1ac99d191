import { readGift } from '@remit/site/testing/pages/topUp/giftText'
import { erc20Abi } from 'viem'
import { describe, expect, it } from 'vitest'
import { shoot } from '../../support/browser/shoot.ts'
import { browserIsInstalled } from '../../support/browser/useBrowser.ts'
import { PHONE, type SitePageVisit } from '../../support/browser/useSite.ts'
import { contractAt } from '../../support/chain/contractAt.ts'
import { expectUsable, useOwnPages } from './useOwnPages.ts'

const { open, connect, chain, protocol } = await useOwnPages()
const { alice, bob, dave, keeper, stranger } = chain.wallets
const { usdc } = chain.tokens
const token = contractAt(chain.client, usdc, erc20Abi)
const plan = await protocol.create({ dueDay: 3 })
await protocol.join(plan, alice, { allowance: 1_000_000_000n })
await token.send(alice, 'transfer', [stranger, await token.read('balanceOf', [alice])])
/** The friend has money, and no ether. */
await protocol.fund(usdc, bob, { balance: 500_000_000n })
await chain.client.setBalance({ address: bob, value: 0n })

/** A whole flow, on a machine that has much else to do. */
const LONG = 180_000
const said = (visit: SitePageVisit, text: string | RegExp) => visit.page.getByText(text).first().waitFor()
const dialogOf = ({ page }: SitePageVisit) => page.getByRole('dialog')
const asked = (visit: SitePageVisit) => visit.wallets[0]?.requests.map(({ method }) => method) ?? []

describe.skipIf(!browserIsInstalled)('paying for a friend', () => {
  it(
    'is signed without ether by whoever opens the link, and carried by somebody else',
    async () => {
      const member = await open('/me', { wallets: [{ account: alice }], look: PHONE })
      await connect(member)
      await member.button(/^Add .* USDC before/).click()
      await member.page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await member.button('Copy the link for a friend').click()
      await expectUsable(member)
      const { pathname, search } = new URL(
        String(await member.page.evaluate('navigator.clipboard.readText()')),
      )
      expect([...new URLSearchParams(search)]).toEqual([
        ['account', alice],
        ['token', usdc],
        ['plan', plan.id],
        ['day', '2026-03-04'],
      ])

      const friend = await open(`${pathname}${search}`, { wallets: [{ account: bob }] })
      await said(friend, /: its payment of .*4 Mar.*, as things stand now$/)
      await said(friend, 'It is a gift, and nobody can take it back.')
      await said(friend, alice)
      await shoot(friend.page, 'top-up')
      await expectUsable(friend)
      await friend.button('Give it').click()
      await connect(friend)
      await said(friend, 'Nobody can take this back.')
      await expectUsable(friend)
      await friend.button(/^Sign it/).click()
      await said(friend, 'It is signed.')
      await friend.page.locator('.signed-link__qr path[d*=M]').waitFor()
      await shoot(friend.page, 'top-up-signed')
      await expectUsable(friend)
      expect(asked(friend)).toContain('eth_signTypedData_v4')
      expect(asked(friend)).not.toContain('eth_sendTransaction')
      const mail = new URL((await friend.link('Send by mail').getAttribute('href')) ?? '')
      const link = new URL(mail.searchParams.get('body')?.split('\n').at(-1) ?? '')
      const gift = readGift(link.hash.slice(1))
      expect(gift).toMatchObject({ payer: bob, account: alice, token: usdc })

      await friend.button('Done').click()
      await said(friend, 'What you give now comes on top.')
      await expectUsable(friend)

      const carrier = await open(`/top-up${link.hash}`, { wallets: [{ account: keeper }] })
      await said(carrier, 'A gift that somebody has signed')
      await expectUsable(carrier)
      await carrier.button('Carry it').click()
      await connect(carrier)
      await said(carrier, 'You carry what somebody else has signed.')
      await dialogOf(carrier).getByRole('button', { name: 'Carry it' }).click()
      await said(carrier, 'The gift is carried.')
      await carrier.button('Done').click()
      await said(carrier, 'There is nothing left to do.')
      expect(await token.read('balanceOf', [alice])).toBe(BigInt(gift?.value ?? 0))
      expect(carrier.requested.filter((url) => url.includes(gift?.signature ?? ''))).toEqual([])

      const after = await open(`${pathname}${search}`)
      await said(after, 'Nothing is missing.')
      await said(after, 'enough for the payment that the link is for')
      await expectUsable(after)
    },
    LONG,
  )

  it(
    'asks for nothing once the money is there, and says so where it comes too late',
    async () => {
      await protocol.join(plan, dave, { allowance: 1_000_000_000n })
      await token.send(dave, 'transfer', [stranger, await token.read('balanceOf', [dave])])
      const link = `/top-up?account=${dave}&token=${usdc}&plan=${plan.id}&day=2026-03-04`
      const friend = await open(link, { wallets: [{ account: stranger }] })
      await said(friend, 'before Wed, 4 Mar 2026 begins (in UTC)')
      const other = await open(link.replace(usdc, chain.tokens.dai))
      await said(other, /USDC/)
      await friend.button('Give it').click()
      await connect(friend)
      await said(friend, 'Nobody can take this back.')
      await dialogOf(friend).getByRole('button', { name: 'Give it', exact: true }).click()
      await said(friend, 'The money is given.')
      await friend.button('Done').click()
      await said(friend, 'enough for the payment that the link is for')
      await expectUsable(friend)

      await token.send(dave, 'transfer', [stranger, await token.read('balanceOf', [dave])])
      await chain.advanceTo(Date.UTC(2026, 2, 4, 12) / 1000)
      await protocol.send(keeper, 'remit', [])
      const late = await open(link)
      await said(late, 'It is too late: this subscription has ended.')
      await expectUsable(late)
      const taken = await open(link.replace(dave, alice))
      await said(taken, 'The payment that the link is for has been taken.')
    },
    LONG,
  )

  it('says so where the link was cut, or holds no gift', async () => {
    for (const path of ['/top-up', '/top-up?account=0x12', '/top-up#cut']) {
      const visit = await open(path)
      await said(visit, 'This link is not complete.')
      await expectUsable(visit)
    }
  })
})
