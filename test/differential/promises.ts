import { Subscriptions } from '@remit/contracts/Subscriptions'
import {
  type Address,
  decodeEventLog,
  erc20Abi,
  getAddress,
  type Log,
  type TransactionReceipt,
  zeroAddress,
} from 'viem'
import { expect } from 'vitest'
import * as z from 'zod'
import type { TestService } from '../support/service/testService.ts'
import { signAndSend } from '../support/wallets/signAndSend.ts'
import type { PrepareRequest } from './requests.ts'
import { createdIn, type Holdings, type World } from './world.ts'

const Prepared = z.object({
  simulation: z.object({
    success: z.literal(true),
    method: z.enum(['eth_simulateV1', 'eth_call', 'partial']),
    calls: z.array(
      z.object({
        success: z.boolean(),
        events: z.nullable(
          z.array(
            z.object({
              event: z.string().nullable(),
              address: z.string(),
              args: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
              amountRaw: z.string().optional(),
            }),
          ),
        ),
      }),
    ),
    balanceChanges: z.array(
      z.object({ account: z.string(), token: z.object({ address: z.string() }), amountRaw: z.string() }),
    ),
  }),
  gasEstimates: z.array(z.object({ gasLimit: z.string() })),
  warnings: z.array(
    z.looseObject({ code: z.string(), gap: z.string().optional(), callIndexes: z.array(z.int()).optional() }),
  ),
})

const Refusal = z.object({ reason: z.object({ name: z.literal('SafeERC20FailedOperation') }) })

type Prepared = z.output<typeof Prepared>
type EventRow = NonNullable<Prepared['simulation']['calls'][number]['events']>[number]

/** Signs and sends what was prepared, and holds it against the proof that came with it. */
export async function expectPromiseKept(
  world: World,
  service: TestService,
  request: PrepareRequest,
  body: Record<string, unknown>,
): Promise<readonly TransactionReceipt[]> {
  const { simulation, gasEstimates, warnings } = Prepared.parse(body)
  const unproven = warnings.filter(({ code }) => code === 'SIMULATION_PARTIAL').map(({ gap = 'all' }) => gap)
  const untried =
    simulation.method === 'partial' ? warnings.flatMap(({ callIndexes = [] }) => callIndexes) : []
  const isWhole = simulation.method === 'eth_simulateV1'
  // Nothing is left unproven without a word.
  if (isWhole) expect(simulation.calls.every(({ success }) => success)).toBe(true)
  else expect(unproven).toContain(simulation.method === 'partial' ? 'all' : 'events')
  const before = await world.holdings()
  const { hashes, receipts } = await signAndSend(world.chain, world.signerFor(request.from), body)
  for (const [index, { status, gasUsed }] of receipts.entries()) {
    if (status === 'success') continue
    const { body: outcome } = await service.post('/transactions/status', { txHash: hashes[index] })
    // What a token refuses is known to the token alone: a call that was named as not simulated may end so.
    if (untried.includes(index) && Refusal.safeParse(outcome).success) return receipts
    throw new Error(
      `transaction ${index} reverted, having used ${gasUsed} of ${gasEstimates[index]?.gasLimit}: ` +
        JSON.stringify(outcome.reason),
    )
  }
  const after = await world.holdings()
  if (!unproven.includes('all') && !unproven.includes('balanceChanges')) {
    expect(actualChanges(world, before, after), 'balance changes').toEqual(promisedChanges(world, simulation))
  }

  const created = createdIn(
    world,
    receipts.flatMap(({ logs }) => logs),
  )
  if (isWhole) {
    const foreseen = simulation.calls.flatMap(({ events }) => events ?? []).find(isCreation)?.args.id
    const promised = simulation.calls.map(({ events }) =>
      (events ?? []).map((row) => promisedEvent(world, row, foreseen)),
    )
    const actual = receipts.map(({ logs }) => logs.map((log) => actualEvent(world, log, created)))
    expect(actual, 'events').toEqual(promised)
  }

  if (request.spends !== undefined) expectNotLowered(request, request.spends, before, after)
  await expectStatus(world, service, hashes.at(-1), created)
  return receipts
}

/** What the service says of the last transaction once it is mined. */
async function expectStatus(
  world: World,
  service: TestService,
  txHash: string | undefined,
  created: string | undefined,
): Promise<void> {
  const block = await world.chain.client.getBlockNumber()
  const { body } = await service.get(`/protocol/state?minBlock=${block}`)
  expect(body).not.toHaveProperty('code')
  const outcome = await service.post('/transactions/status', { txHash })
  expect(outcome.body, 'status').toMatchObject({
    status: 'success',
    confirmed: true,
    createdSubscriptionId: created ?? null,
  })
}

/** Subscribing takes its first charge out of an allowance, and lowers it in no other way. */
function expectNotLowered({ from }: PrepareRequest, token: Address, before: Holdings, after: Holdings): void {
  const spent = before.balance(token, from) - after.balance(token, from)
  const least = before.allowance(token, from) - spent
  expect(after.allowance(token, from) >= least, 'the allowance is not lowered').toBe(true)
}

function actualChanges(world: World, before: Holdings, after: Holdings): string[] {
  return world.tokens
    .flatMap(({ address, name }) =>
      before.accounts.map((account) => {
        const change = after.balance(address, account) - before.balance(address, account)
        return change === 0n ? undefined : `${world.nameOf(account)} ${change} ${name}`
      }),
    )
    .filter((line) => line !== undefined)
    .sort()
}

function promisedChanges(world: World, { balanceChanges }: Prepared['simulation']): string[] {
  return balanceChanges
    .map(
      ({ account, token, amountRaw }) =>
        `${world.nameOf(account)} ${amountRaw} ${world.nameOf(token.address)}`,
    )
    .sort()
}

function isCreation({ event, args }: EventRow): boolean {
  return event === 'SubLog' && args.subScriptEvent === 0
}

/** One event as a line. The time of its block, and an id made of it, nobody can promise. */
function lineOf(world: World, name: string, address: string, args: [string, unknown][], created: unknown) {
  const named = args
    .filter(([key]) => key !== 'timestamp')
    .map(([key, value]) => `${key}=${value === created ? 'the created' : world.nameOf(String(value))}`)
  return `${world.nameOf(address)} ${name} ${named.sort().join(' ')}`
}

function promisedEvent(
  world: World,
  { event, address, args, amountRaw }: EventRow,
  created: unknown,
): string {
  const { value: _, ...others } = args
  const amount: [string, unknown][] = amountRaw === undefined ? [] : [['amount', amountRaw]]
  return lineOf(world, event ?? 'unknown', address, [...Object.entries(others), ...amount], created)
}

/** Read by the ABIs alone. */
function actualEvent(world: World, { address, topics, data }: Log, created: unknown): string {
  const event = decodeEventLog({ abi: [...Subscriptions.abi, ...erc20Abi], topics, data })
  const raw: [string, unknown][] = Object.entries(event.args ?? {})
  if (event.eventName === 'Transfer' || event.eventName === 'Approval') {
    const args = raw.map(([key, value]): [string, unknown] => [key === 'value' ? 'amount' : key, value])
    return lineOf(world, event.eventName, address, args, created)
  }
  if (event.eventName !== 'SubLog') return lineOf(world, event.eventName, address, raw, created)
  const { decimals } = world.tokenAt(getAddress(event.args.token))
  const args = raw
    .filter(([, value]) => value !== zeroAddress)
    .map(([key, value]): [string, unknown] =>
      key === 'amount' ? [key, event.args.amount / 10n ** BigInt(18 - decimals)] : [key, value],
    )
  return lineOf(world, event.eventName, address, args, created)
}
