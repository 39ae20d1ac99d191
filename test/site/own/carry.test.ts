import type { SignedPermit } from '@remit/client'
import { StubbornAllowanceToken } from '@remit/contracts/StubbornAllowanceToken'
import { UsdcLikeToken } from '@remit/contracts/UsdcLikeToken'
import { readPermit, writePermit } from '@remit/site/testing/permit/permitText'
import type { Address } from 'viem'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { shoot } from '../../support/browser/shoot.ts'
import { expectReachable } from '../../support/browser/tabTo.ts'
import { browserIsInstalled } from '../../support/browser/useBrowser.ts'
import { DARK, PHONE, type SitePageVisit } from '../../support/browser/useSite.ts'
import { expectAccessible, expectStill } from '../../support/browser/watchPage.ts'
import { approvedToken } from '../../support/chain/approvedToken.ts'
import { contractAt } from '../../support/chain/contractAt.ts'
import { signedPermit } from '../../support/wallets/signedPermit.ts'
import { signerOf } from '../../support/wallets/signerOf.ts'
import { expectUsable, MARKUP, useOwnPages } from './useOwnPages.ts'

const { open, connect, chain, protocol, service } = await useOwnPages()
const { alice, bob, carol, dave, janitor, keeper, provider, stranger } = chain.wallets
const { usdc } = chain.tokens
const weekly = await protocol.create({ dueDay: 3 })
const another = await protocol.create({ dueDay: 5 })
await protocol.send(provider, 'editDetails', [
  { url: 'https://coffee.example', description: `Beans ${MARKUP}` },
  weekly.id,
])
/** With money for long, permission for less than a payment, and no ether. */
async function joinWithoutEther(account: Address, plan = weekly): Promise<void> {
  await protocol.join(plan, account, { balance: 500_000_000n, allowance: 10_000_000n })
  await chain.client.setBalance({ address: account, value: 0n })
}
await joinWithoutEther(alice)
await joinWithoutEther(dave)
for (const account of [bob, stranger, janitor]) {
  await protocol.join(weekly, account, { balance: 500_000_000n, allowance: 10_000_000n })
}
// It takes no permission that was only signed.
const stubborn = await approvedToken(chain, StubbornAllowanceToken)
await joinWithoutEther(carol, await protocol.create({ token: stubborn }))

/** A whole flow, on a machine that has much else to do. */
const LONG = 180_000
const dialogOf = ({ page }: SitePageVisit) => page.getByRole('dialog')
const said = (visit: SitePageVisit, text: string | RegExp) => visit.page.getByText(text).first().waitFor()
const asked = (visit: SitePageVisit) => visit.wallets[0]?.requests.map(({ method }) => method) ?? []

/** Opens somebody's own page, and the review of a longer permission on it. */
async function reviewExtension(account: Address, look = {}): Promise<SitePageVisit> {
  const visit = await open('/me', { wallets: [{ account }], look })
  await connect(visit)
  await visit.button(/^Extend the permission/).click()
  await said(visit, 'Permission then')
  return visit
}

/** A permission of bob's with what stands in its link changed. */
async function linkOf(changed: Partial<SignedPermit> = {}): Promise<string> {
  const value = 200_000_000n
  const signed = await signedPermit(chain, { token: usdc, signer: signerOf(indexOf(bob)), value })
  return `/carry#${writePermit({ chainId: chain.chainId, ...signed, ...changed })}`
}
const indexOf = (account: Address) =>
  Array.from({ length: 20 }, (_, index) => index).findIndex((index) => signerOf(index).address === account)

describe.skipIf(!browserIsInstalled)('a permission by signature', () => {
  it(
    'is signed by a wallet without ether, and carried by whoever opens the link',
    async () => {
      const member = await reviewExtension(alice)
      await said(member, 'Too little ETH')
      await shoot(member.page, 'carry-review')
      await expectUsable(member)
      await member.button(/^Sign it/).click()
      await said(member, 'It is signed.')
      await member.page.locator('.signed-link__qr path[d*=M]').waitFor()
      await said(member, 'They can take nothing themselves.')
      await shoot(member.page, 'carry-link')
      await expectUsable(member)
      expect(asked(member)).toContain('eth_signTypedData_v4')
      expect(asked(member)).not.toContain('eth_sendTransaction')
      const mail = new URL((await member.link('Send by mail').getAttribute('href')) ?? '')
      const link = new URL(mail.searchParams.get('body')?.split('\n').at(-1) ?? '')
      expect(`${link.origin}${link.pathname}${link.search}`).toBe(
        `${new URL(member.page.url()).origin}/carry`,
      )
      expect(readPermit(link.hash.slice(1))).toMatchObject({ owner: alice, token: usdc })

      const carrier = await open(`/carry${link.hash}`, { wallets: [{ account: keeper }] })
      await said(carrier, 'Beans <img src=x')
      await said(carrier, 'Nobody pays you for it.')
      await said(carrier, 'the next payment is not covered')
      await shoot(carrier.page, 'carry-offer')
      await expectUsable(carrier)
      await carrier.button('Carry it').click()
      await connect(carrier)
      await said(carrier, 'You carry what somebody else has signed.')
      await shoot(carrier.page, 'carry-sign')
      await expectUsable(carrier)
      await dialogOf(carrier).getByRole('button', { name: 'Carry it' }).click()
      await said(carrier, 'Its owner’s subscriptions go on by it.')
      await carrier.button('Done').click()
      await said(carrier, 'It is carried already.')
      await expectUsable(carrier)
      const signature = readPermit(link.hash.slice(1))?.signature ?? ''
      expect(carrier.requested.filter((url) => url.split('#')[0]?.includes(link.hash.slice(1, 60)))).toEqual(
        [],
      )
      expect(carrier.requested.filter((url) => url.includes(signature))).toEqual([])

      await member.button('Done').click()
      await said(member, /^Covered through /)
      await expectUsable(member)
    },
    LONG,
  )

  it(
    'waits in sight with an earlier one, until one of them is carried and voids the other',
    async () => {
      const member = await open('/me', { wallets: [{ account: alice }] })
      await connect(member)
      await member.button(/^Take the permission back/).click()
      await said(member, 'One running subscription needs it. Its next payment will fail')
      await member.button(/^Sign it/).click()
      await said(member, 'It is signed.')
      const mail = new URL((await member.link('Send by mail').getAttribute('href')) ?? '')
      const link = new URL(mail.searchParams.get('body')?.split('\n').at(-1) ?? '')
      await member.button('Done').click()
      await said(member, 'You have signed that the permission is taken back.')
      await member.page.getByLabel('Extend the permission to').selectOption('60 payments')
      await member.button('Review …').click()
      await member.button(/^Sign it/).click()
      await said(member, 'It is signed.')
      await member.button('Done').click()
      await said(member, /^You have signed a permission of/)
      await said(member, /^An earlier one, which takes the permission back, can be carried instead/)
      await shoot(member.page, 'carry-two')
      await expectUsable(member)
      // Another plan is reviewed with the same wallet after the page was left.
      await chain.client.setBalance({ address: alice, value: 10n ** 18n })
      await member.page.goto(`${service.url}/subscribe/${another.id}`)
      await member.button('Review').click()
      await said(member, /^You have signed before that the permission is taken back\./)
      await said(member, /^You have signed a permission of .* in all before\./)
      await chain.client.setBalance({ address: alice, value: 0n })
      await member.page.goto(`${service.url}/me`)

      const carrier = await open(`/carry${link.hash}`, { wallets: [{ account: keeper }] })
      await carrier.button('Carry it').click()
      await connect(carrier)
      await said(carrier, 'You carry what somebody else has signed.')
      await dialogOf(carrier).getByRole('button', { name: 'Carry it' }).click()
      await said(carrier, 'The permission is taken back.')
      await carrier.button('Done').click()
      await said(carrier, 'The permission is taken back already.')
      await expectUsable(carrier)

      const nonces = () =>
        member.wallets[0]?.requests.filter(({ params }) => JSON.stringify(params)?.includes('0x7ecebe00'))
          .length ?? 0
      const before = nonces()
      await member.page.reload()
      await said(member, /^Ends on /)
      await expect.poll(nonces).toBeGreaterThan(before)
      await member.page.getByText(/waits to be carried/).waitFor({ state: 'hidden' })
      await expectUsable(member)
    },
    LONG,
  )

  it(
    'is left on the desk of the provider, who carries it from there',
    async () => {
      const member = await reviewExtension(dave)
      await member.button(/^Sign it/).click()
      await member.button('Send it to your provider’s desk').click()
      await said(member, 'Only they see it there')
      await shoot(member.page, 'carry-sent')
      await member.button('Done').click()
      await said(member, /It waits to be carried by somebody until/)
      await expectUsable(member)

      const desk = await open('/desk', { wallets: [{ account: provider }] })
      await connect(desk)
      await desk.button('Sign in to see them').click()
      await said(desk, 'one subscription')
      await shoot(desk.page, 'carry-desk')
      await expectUsable(desk)
      await desk.button(`Carry the permission of ${dave}`).click()
      await said(desk, 'You carry what somebody else has signed.')
      await dialogOf(desk).getByRole('button', { name: 'Carry it' }).click()
      await said(desk, 'Its owner’s subscriptions go on by it.')
      await desk.button('Done').click()
      await said(desk, 'Nothing now.')
      await expectUsable(desk)
    },
    LONG,
  )

  it(
    'is carried from the desk with others in one go, without one that has become void meanwhile',
    async () => {
      const members = await Promise.all(
        [bob, stranger, janitor].map(async (owner) => {
          const signer = signerOf(indexOf(owner))
          return { owner, permit: await signedPermit(chain, { token: usdc, signer, value: 200_000_000n }) }
        }),
      )
      await service.caughtUp()
      for (const [index, { permit }] of members.entries()) {
        const headers = { 'X-Forwarded-For': `10.0.2.${index}` }
        const left = await service.post('/rescues', { ...permit, provider }, { headers })
        expect(left).toMatchObject({ status: 201 })
      }
      const desk = await open('/desk', { wallets: [{ account: provider }] })
      await connect(desk)
      await desk.button('Sign in to see them').click()
      // The one of before may still be listed: it is carried already, and costs nothing.
      await desk.button(/^Carry these [34] …/).click()
      await said(desk, 'You carry what others have signed.')
      await shoot(desk.page, 'carry-many')
      await expectUsable(desk)
      // Bob uses the nonce himself.
      const token = contractAt(chain.client, usdc, UsdcLikeToken.abi)
      const again = await signedPermit(chain, { token: usdc, signer: signerOf(indexOf(bob)), value: 5n })
      const bytes = z.templateLiteral(['0x', z.string()]).parse(again.signature)
      await token.send(keeper, 'permit', [bob, chain.contract, 5n, BigInt(again.deadline), bytes])
      await dialogOf(desk).getByRole('button', { name: 'Carry them' }).click()
      await said(desk, 'Their owners’ subscriptions go on by them.')
      expect(asked(desk).filter((method) => /^(wallet_sendCalls|eth_sendTransaction)$/.test(method))).toEqual(
        ['wallet_sendCalls'],
      )
      const allowed = await Promise.all(
        members.map(({ owner }) => token.read('allowance', [owner, chain.contract])),
      )
      expect(allowed).toEqual([5n, 200_000_000n, 200_000_000n])
      await desk.button('Done').click()
      await said(desk, 'Nothing now.')
      await expectUsable(desk)
    },
    LONG,
  )

  it(
    'is offered beside the extension to a wallet that has ether, too',
    async () => {
      const visit = await reviewExtension(bob)
      const names = await dialogOf(visit).getByRole('button').allTextContents()
      expect(names.slice(-3)).toEqual(['Extend', 'Back', 'Sign it – somebody else can carry it'])
      await expectUsable(visit)
    },
    LONG,
  )

  it(
    'is not possible where the token takes none: then the page says so, and where ether is to be sent',
    async () => {
      const visit = await reviewExtension(carol)
      await visit.button(/^Sign it/).click()
      await said(visit, 'Nobody else can carry it for you')
      await said(visit, 'Too little ETH')
      expect(asked(visit)).not.toContain('eth_signTypedData_v4')
      await shoot(visit.page, 'carry-unsupported')
      await expectUsable(visit)
    },
    LONG,
  )

  it.each<[what: string, link: () => string | Promise<string>, words: string]>([
    ['nothing in it', () => '/carry', 'This link is not complete.'],
    ['garbage in it', () => '/carry#<script>alert(1)</script>%00', 'This link is not complete.'],
    ['too much in it', () => `/carry#${'ab'.repeat(20_000)}`, 'This link is not complete.'],
    ['another chain', () => linkOf({ chainId: 8453 }), 'This link is for a network that is not served here.'],
    ['an end that has passed', () => linkOf({ deadline: 1 }), 'It is too late'],
    ['another amount', () => linkOf({ value: '999000000' }), 'This permission is not valid'],
    ['another owner', () => linkOf({ owner: alice }), 'This permission is not valid'],
    ['another token', () => linkOf({ token: weekly.provider }), 'The contract does not take this token.'],
  ])('by a link with %s is explained in a sentence, and nothing is offered', async (_what, link, words) => {
    const visit = await open(await link(), { look: { ...PHONE, ...DARK } })
    await said(visit, words)
    expect(await visit.button('Carry it').count()).toBe(0)
    expect(await visit.button('Try again').count()).toBe(0)
    // What Chromium says of an answer that refuses.
    expect(visit.problems.filter((problem) => !problem.includes('status of 422'))).toEqual([])
    await expectStill(visit.page)
    await expectAccessible(visit.page)
    await expectReachable(visit.page)
  })

  it('is shown from another link without a visit', async () => {
    const visit = await open('/carry#none')
    await said(visit, 'This link is not complete.')
    await visit.page.evaluate(`location.hash = ${JSON.stringify((await linkOf()).split('#')[1])}`)
    await said(visit, 'Nobody pays you for it.')
    await expectUsable(visit)
  })
})
