import { UsdcLikeToken } from '@remit/contracts/UsdcLikeToken'
import { parseEther } from 'viem'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { contractAt } from '../support/chain/contractAt.ts'
import { protocolOn } from '../support/chain/protocolOn.ts'
import { signerOf, useTestChain } from '../support/chain/useTestChain.ts'
import { useTestService } from '../support/service/testService.ts'
import { signedPermit } from '../support/wallets/signedPermit.ts'
import { TEST_SECRETS_KEY } from '../support/webhooks/startDelivering.ts'
import { Answer, type Lie } from './faultyService.ts'
import { PAYS, useKeeperOn } from './keeperGround.ts'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { alice, bob, provider, stranger } = chain.wallets
const { usdc, dai } = chain.tokens
const token = contractAt(chain.client, usdc, UsdcLikeToken.abi)
const MEMBER = signerOf(3)

/** With money for long, permission for less than a payment, and no ether. */
const weekly = await protocol.create({ dueDay: 3 })
await protocol.join(weekly, alice, { balance: 500_000_000n })
await protocol.fund(usdc, alice, { allowance: 1n })
await protocol.join(weekly, bob)
await chain.client.setBalance({ address: alice, value: 0n })
/** The day before it is due. */
await chain.advanceDays(1)
await chain.keep()
const service = await useTestService([chain], { SECRETS_KEY: TEST_SECRETS_KEY })
const { keep, faulty, proxy } = await useKeeperOn(chain, service)

const sign = (value = 200_000_000n, contract = chain.contract) =>
  signedPermit({ ...chain, contract }, { token: usdc, signer: MEMBER, value })
type Permit = Awaited<ReturnType<typeof sign>>

async function offer(permit: Permit, isPublic = true): Promise<void> {
  await service.caughtUp()
  const { status, body } = await service.post('/rescues', { ...permit, provider, public: isPublic })
  expect({ status, body }).toMatchObject({ status: 201 })
}

const allowance = () => token.read('allowance', [alice, chain.contract])

async function carryPastIt({ value, deadline, signature }: Permit): Promise<void> {
  const bytes = z.templateLiteral(['0x', z.string()]).parse(signature)
  await token.send(stranger, 'permit', [alice, chain.contract, BigInt(value), BigInt(deadline), bytes])
}

const carry = (...args: readonly string[]) => keep(['--carry', ...PAYS, ...args])

describe('a keeper that carries permissions', () => {
  it('carries one the day before it is needed, once, and its remit then charges the member', async () => {
    await offer(await sign())
    const carried = await carry()
    expect(carried, carried.output).toMatchObject({ code: 0, sent: 1, earnedRaw: 0n })
    expect(carried.events).toEqual(expect.arrayContaining(['carrying', 'sent', 'carried']))
    expect(carried.output).toContain('1 permission carried')
    expect(await allowance()).toBe(200_000_000n)

    const again = await carry()
    expect(again, again.output).toMatchObject({ sent: 0 })
    await chain.advanceDays(1)
    const before = await protocol.balanceOf(usdc, provider)
    const remitted = await carry()
    // A fee of 2 % of 10 USDC from each of both.
    expect(remitted, remitted.output).toMatchObject({ code: 0, sent: 1, earnedRaw: 400_000n })
    expect(await protocol.balanceOf(usdc, provider)).toBe(before + 20_000_000n)
    expect(await protocol.subscribersOf(weekly)).toEqual([alice, bob])
  })

  it('carries it also where the day has begun, before it remits, in a transaction of its own', async () => {
    await chain.advanceDays(1)
    await offer(await sign())
    const run = await carry()
    expect(run, run.output).toMatchObject({ code: 0, sent: 2, earnedRaw: 400_000n })
    expect(run.events.indexOf('carried')).toBeLessThan(run.events.indexOf('mined'))
    expect(await protocol.subscribersOf(weekly)).toEqual([alice, bob])
  })

  it('signs nothing in a dry run, and without the option', async () => {
    await offer(await sign())
    const dry = await carry('--dry-run')
    expect(dry, dry.output).toMatchObject({ code: 0, sent: 0 })
    expect(dry.events).toContain('would_carry')
    const without = await keep(PAYS)
    expect(without, without.output).toMatchObject({ code: 0, sent: 0 })
    expect(await allowance()).toBe(1n)
  })
})

/** Changes what the service lists. */
const listed =
  (change: (rows: readonly Answer[]) => readonly object[]): Lie =>
  (path, answer) => {
    if (!path.startsWith('/rescues')) return undefined
    const { rescues } = z.looseObject({ rescues: z.array(Answer) }).parse(answer)
    return { status: 200, body: { ...answer, rescues: change(rescues) } }
  }

const saying = (change: object) => listed((rows) => rows.map((row) => ({ ...row, ...change })))
const honest = listed((rows) => rows)

/** Lets alice do something by herself. */
async function asAlice(work: () => Promise<unknown>): Promise<void> {
  await chain.client.setBalance({ address: alice, value: parseEther('1') })
  await work()
}

/** What is listed, and what has happened since it was left. */
interface Vain {
  readonly lie?: () => Lie | Promise<Lie>
  readonly since?: (permit: Permit) => Promise<void>
  readonly args?: readonly string[]
}

const inVain: readonly (readonly [string, Vain])[] = [
  [
    'for another spender',
    { lie: async () => saying({ signature: (await sign(200_000_000n, stranger)).signature }) },
  ],
  ['of another amount', { lie: () => saying({ value: '300000000' }) }],
  ['of another owner', { lie: () => saying({ owner: bob }) }],
  ['whose deadline has passed', { lie: () => saying({ deadline: 1_700_000_000 }) }],
  ['of a token without permits', { lie: () => saying({ token: dai }) }],
  ['of what is no approved token', { lie: () => saying({ token: stranger }) }],
  ['said to be of DAI’s form', { lie: () => saying({ allowed: true }) }],
  ['with a signature that is none', { lie: () => saying({ signature: '0x' }) }],
  ['that somebody has carried', { lie: () => honest, since: carryPastIt }],
  [
    'whose nonce is used',
    {
      since: async (permit) => {
        await carryPastIt(permit)
        await asAlice(() => token.send(alice, 'approve', [chain.contract, 1n]))
      },
    },
  ],
  ['of too little', { lie: async () => saying({ value: '2', signature: (await sign(2n)).signature }) }],
  [
    'of a member whose money is missing too',
    {
      since: () =>
        asAlice(async () => token.send(alice, 'transfer', [stranger, await protocol.balanceOf(usdc, alice)])),
    },
  ],
  [
    'of a member who has left',
    { lie: () => honest, since: () => asAlice(() => protocol.send(alice, 'unsubscribe', [weekly])) },
  ],
  // A fee is worth 0.002 ETH, and both fees of the remit 0.004.
  ['whose fee is not above the least profit', { args: ['--min-profit', '0.0025'] }],
  ['whose fee has no price', { args: ['--price', 'USDC=0', '--min-profit', '-0.00001'] }],
  ['whose gas is above --max-fee', { args: ['--max-fee', '0.000001'] }],
]

describe('a keeper carries nothing, and remits as ever,', () => {
  it.each(inVain)('where a permission is listed %s', async (_name, { lie, since, args = [] }) => {
    const permit = await sign()
    await offer(permit)
    await since?.(permit)
    const nothing = { code: 0, sent: 0, paidWei: 0n }
    if (lie !== undefined) faulty.tell(await lie())
    const run = await carry(...args)
    expect(run, run.output).toMatchObject(nothing)
    for (const event of ['carrying', 'rpc_fault', 'unread']) expect(run.events).not.toContain(event)
  })

  it.each<[string, Lie]>([
    ['none', (path) => (path.startsWith('/rescues') ? { status: 404, body: NOT_THERE } : undefined)],
    ['nonsense', (path) => (path.startsWith('/rescues') ? { status: 200, body: { rescues: 1 } } : undefined)],
    ['the same void one over and over', listed((rows) => Array(40).fill({ ...rows[0], value: '7' }))],
  ])('where the service lists %s', async (_what, lie) => {
    await offer(await sign())
    await chain.advanceDays(1)
    faulty.tell(lie)
    const run = await carry()
    expect(run, run.output).toMatchObject({ code: 0, sent: 1 })
    expect(run.events).toContain('mined')
    expect(await protocol.subscribersOf(weekly)).toEqual([bob])
  })

  it('where its node cannot simulate', async () => {
    await offer(await sign())
    proxy.fail({
      answer: ({ method }) =>
        method === 'eth_simulateV1' ? { error: { code: -32_601, message: 'method not found' } } : undefined,
    })
    const run = await carry()
    expect(run, run.output).toMatchObject({ code: 0, sent: 0 })
    expect(run.output).toContain('so it cannot tell what a permission is worth')
  })
})

const NOT_THERE = { error: 'It is not there.', code: 'NOT_FOUND', requestId: 'req_lie' }
