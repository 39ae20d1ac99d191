import { bytesToHex, encodeFunctionData, type Hex } from 'viem'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { protocolOn } from '../support/chain/protocolOn.ts'
import { signerOf, useTestChain } from '../support/chain/useTestChain.ts'
import { whileNothingIsMined } from '../support/chain/whileNothingIsMined.ts'
import { useCountingProxy } from '../support/nodes/countingProxy.ts'
import { type Program, runBundled } from '../support/programs/program.ts'
import { useBundle } from '../support/programs/useBundle.ts'
import { useTestService } from '../support/service/testService.ts'

const SUBSCRIBERS_A_PAGE = 2

const chain = await useTestChain({ terms: { maxRemits: BigInt(SUBSCRIBERS_A_PAGE) } })
const { wallets, tokens } = chain
const protocol = protocolOn(chain)
const proxy = await useCountingProxy(chain.url)

/** Five subscribers on Wednesday and one on Thursday; nothing of two weeks is remitted yet. */
const subscribers = [wallets.alice, wallets.bob, wallets.carol, wallets.dave, wallets.stranger]
const wednesday = await protocol.create({ dueDay: 3 })
const thursday = await protocol.create({ dueDay: 4 })
for (const subscriber of subscribers) await protocol.join(wednesday, subscriber)
await protocol.join(thursday, wallets.alice)
await chain.advanceDays(14)
await chain.keep()

const service = await useTestService([chain])
const remit = await useBundle('packages/client/src/cli/main.ts')
/** Charges that the backlog holds: two Wednesdays and two Thursdays. */
const CHARGES = 2 * subscribers.length + 2

const PINNED = ['--contract', chain.contract]
const USUAL = [...PINNED, '--once', '--interval', '1', '--price', `${tokens.usdc}=0.5`]

const KEEPER = keyOf(9)

beforeEach(() => service.caughtUp())

function keyOf(index: number): Hex {
  const { privateKey } = signerOf(index).getHdKey()
  if (privateKey === null) throw new Error('the wallet has no key')
  return bytesToHex(privateKey)
}

function keeper(args: readonly string[], environment: Record<string, string> = {}): Program {
  return runBundled(remit, ['keeper', ...args], {
    REMIT_URL: service.url,
    REMIT_RPC_URL: proxy.url,
    REMIT_KEEPER_KEY: KEEPER,
    ...environment,
  })
}

const Line = z.looseObject({ event: z.string(), message: z.string() })

function linesOf(program: Program) {
  return program
    .output()
    .trim()
    .split('\n')
    .map((line) => Line.parse(JSON.parse(line)))
}

/** How many charges remit has made or failed to make. */
async function charges(): Promise<number> {
  const logs = await chain.client.getContractEvents({
    address: chain.contract,
    abi: protocol.abi,
    eventName: 'Coordinates',
    fromBlock: 0n,
  })
  return logs.length
}

const nonceOf = () => chain.client.getTransactionCount({ address: wallets.keeper })

async function isCaughtUp(): Promise<boolean> {
  await service.caughtUp()
  const { body } = await service.post('/check_remit_readiness', { from: wallets.keeper })
  return (
    z.object({ details: z.object({ expectedTransactions: z.number() }) }).parse(body).details
      .expectedTransactions === 0
  )
}

describe('the keeper against a real chain and a real service', () => {
  it('clears a backlog of days and pages, and reports to the wei what it earned and paid', async () => {
    const [ether, earned] = await Promise.all([
      chain.client.getBalance({ address: wallets.keeper }),
      protocol.balanceOf(tokens.usdc, wallets.keeper),
    ])
    const program = keeper([...USUAL, '--json'])
    expect(await program.ends(), program.output()).toBe(0)
    expect(await isCaughtUp()).toBe(true)
    expect(await charges()).toBe(CHARGES)
    const totals = z
      .object({
        sent: z.number(),
        reverted: z.literal(0),
        paidWei: z.string(),
        earned: z.array(z.object({ amountRaw: z.string() })),
      })
      .parse(linesOf(program).at(-1))
    // Three pages on each Wednesday, one on each Thursday.
    expect(totals.sent).toBe(8)
    expect(BigInt(totals.paidWei)).toBe(ether - (await chain.client.getBalance({ address: wallets.keeper })))
    expect(totals.earned.map(({ amountRaw }) => BigInt(amountRaw))).toEqual([
      (await protocol.balanceOf(tokens.usdc, wallets.keeper)) - earned,
    ])
  })

  it('survives the death of its RPC node', async () => {
    const program = keeper(USUAL)
    await program.says(/ mined /)
    proxy.fail({ drop: true })
    await program.says(/ rpc_fault /)
    proxy.fail({})
    expect(await program.ends(60_000), program.output()).toBe(0)
    expect(await charges()).toBe(CHARGES)
    expect(await isCaughtUp()).toBe(true)
  })

  it('does no harm beside another keeper', async () => {
    const keepers = [keeper(USUAL), keeper(USUAL, { REMIT_KEEPER_KEY: keyOf(2) })]
    expect(await Promise.all(keepers.map((each) => each.ends(90_000)))).toEqual([0, 0])
    expect(await isCaughtUp()).toBe(true)
    expect(await charges()).toBe(CHARGES)
  }, 100_000)

  it('replaces a remit that nobody mines, at the same nonce and with fees that a real node accepts', async () => {
    await whileNothingIsMined(chain.client, async () => {
      const nonce = await nonceOf()
      const program = keeper([...USUAL, '--bump-after', '1', '--drain', '20'])
      const [, first = ''] = await program.says(/ sent +Sent remit (0x\w+)/)
      const [, second = ''] = await program.says(/ raised +.* replacing it by (0x\w+)/)
      expect(second).not.toBe(first)
      // It is told before it is sent.
      await vi.waitFor(async () => {
        const { pending } = await chain.client.getTxpoolContent()
        const [own = {}] = Object.values(pending)
        expect(Object.keys(own)).toEqual([String(nonce)])
        expect(Object.values(own).map(({ hash }) => hash)).toEqual([second])
      }, 10_000)
      program.process.kill('SIGTERM')
      await chain.client.mine({ blocks: 1 })
      expect(await program.ends(), program.output()).toBe(0)
      expect(program.output()).toContain('1 sent, 1 of them succeeded and 0 reverted')
    })
  })

  it('signs nothing while somebody else’s remit waits to be mined', async () => {
    const before = await nonceOf()
    for (let remit = 1; remit < 8; remit += 1) await protocol.send(wallets.janitor, 'remit', [])
    await service.caughtUp()
    await whileNothingIsMined(chain.client, async () => {
      await chain.client.sendTransaction({
        account: wallets.janitor,
        chain: null,
        to: chain.contract,
        data: encodeFunctionData({ abi: protocol.abi, functionName: 'remit' }),
        gas: 1_000_000n,
      })
      const program = keeper(USUAL)
      expect(await program.ends()).toBe(0)
      expect(program.output()).toMatch(/ raced +The remit would revert now/)
      expect(await nonceOf()).toBe(before)
    })
  })

  it('asks a node without eth_simulateV1 for gas and success, and trusts the service’s forecast only with --trust-forecast', async () => {
    proxy.fail({
      answer: ({ method }) =>
        method === 'eth_simulateV1'
          ? { error: { code: -32_601, message: 'the method eth_simulateV1 does not exist/is not available' } }
          : undefined,
    })
    const careful = keeper(USUAL)
    expect(await careful.ends()).toBe(0)
    expect(careful.output()).toMatch(/ no_forecast +Your node has no eth_simulateV1/)
    expect(await charges()).toBe(0)

    const trusting = keeper([...USUAL, '--trust-forecast'])
    expect(await trusting.ends(60_000), trusting.output()).toBe(0)
    expect(trusting.output()).toContain('by the service’s word it pays')
    expect(await charges()).toBe(CHARGES)
  }, 70_000)
})
