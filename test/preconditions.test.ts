import { BlockingToken } from '@remit/contracts/BlockingToken'
import { PRECONDITION_CODES } from '@remit/engine/schema/codes'
import { operations } from '@remit/service/operations/index'
import { describe, expect, it } from 'vitest'
import { type Input, useSurfaces } from './parity/surfaces.ts'
import { approvedToken } from './support/chain/approvedToken.ts'
import { contractAt } from './support/chain/contractAt.ts'
import { DETAILS, protocolOn, units } from './support/chain/protocolOn.ts'
import { checkpointAt } from './support/chain/useReadingGround.ts'
import { useTestChain } from './support/chain/useTestChain.ts'
import { useTestService } from './support/service/testService.ts'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { contract, tokens, wallets } = chain
const { admin, alice, bob, keeper, provider, stranger } = wallets
const { usdc } = tokens
const blocking = await approvedToken(chain, BlockingToken)
const mistaken = await approvedToken(chain, BlockingToken, { decimals: 6, enteredDecimals: 8 })
// Wednesday, two days from now, in both.
const weekly = await protocol.create()
const awkward = await protocol.create({ token: blocking })
const inMistaken = await protocol.create({ token: mistaken })
for (const account of [alice, provider]) {
  for (const token of [usdc, blocking, mistaken]) await protocol.fund(token, account, { balance: 10n ** 10n })
}
await chain.keep()
// Five payers of two subscriptions are more than so much gas has room for; everything else here needs less.
const service = await useTestService([chain], { TX_GAS_CAP_31337: '400000' })
const surfaces = await useSurfaces(service)

const { id } = weekly
const create = { from: provider, amount: '10', token: usdc, details: DETAILS, frequency: 0, dueDay: 3 }
const pause = () => protocol.send(admin, 'pauseToken', [usdc, true])
const cancel = () => protocol.send(provider, 'cancelSubscription', [weekly])
const tomorrow = async () => Math.floor((await chain.now()) / 86_400) + 1

interface Row {
  readonly code: (typeof PRECONDITION_CODES)[number]
  /** Behind `prepare_`. */
  readonly write: string
  readonly input: Input
  readonly arrange?: () => Promise<unknown>
  /** What the issue says beside its code and its sentence. */
  readonly facts?: object
  /** The readiness check beside `readinessOnly`. */
  readonly check?: string
}

const subscribing = { write: 'subscribe_by_id', check: 'check_subscribe_readiness_by_id' }
const remitting = { write: 'remit', check: 'check_remit_readiness', input: { from: keeper } }

const ROWS: readonly Row[] = [
  { code: 'SUBSCRIPTION_CANCELLED', ...subscribing, input: { from: alice, id }, arrange: cancel },
  { code: 'TOKEN_PAUSED', ...subscribing, input: { from: alice, id }, arrange: pause },
  { code: 'TOKEN_PAUSED', write: 'create_subscription', input: create, arrange: pause },
  { code: 'TOKEN_NOT_APPROVED', write: 'create_subscription', input: { ...create, token: contract } },
  { code: 'TOKEN_DECIMALS_MISMATCH', write: 'create_subscription', input: { ...create, token: mistaken } },
  { code: 'TOKEN_DECIMALS_MISMATCH', ...subscribing, input: { from: alice, id: inMistaken.id } },
  {
    code: 'AMOUNT_BELOW_MINIMUM',
    write: 'create_subscription',
    input: { ...create, amount: '0.009999' },
    facts: { minimum: { amount: '0.01', amountRaw: '10000' } },
  },
  {
    code: 'AMOUNT_UNPAYABLE',
    write: 'create_subscription',
    input: { ...create, amount: `1${'0'.repeat(56)}` },
  },
  { code: 'OWN_SUBSCRIPTION', ...subscribing, input: { from: provider, id } },
  {
    code: 'ALREADY_SUBSCRIBED',
    ...subscribing,
    input: { from: alice, id },
    arrange: () => protocol.join(weekly, alice),
  },
  { code: 'NOT_SUBSCRIBED', write: 'unsubscribe_by_id', input: { from: bob, id } },
  {
    code: 'NOT_SUBSCRIBED',
    write: 'unsubscribe_by_provider_by_id',
    input: { from: provider, id, subscriber: bob },
  },
  {
    code: 'NOT_PROVIDER',
    write: 'unsubscribe_by_provider_by_id',
    input: { from: stranger, id, subscriber: alice },
    arrange: () => protocol.join(weekly, alice),
  },
  {
    code: 'NOT_PROVIDER',
    write: 'cancel_subscription_by_id',
    input: { from: stranger, id },
    facts: { provider, from: stranger },
  },
  {
    code: 'NOT_PROVIDER',
    write: 'edit_details',
    input: { from: stranger, id, details: DETAILS },
    facts: { provider, from: stranger },
  },
  {
    code: 'ALREADY_CANCELLED',
    write: 'cancel_subscription_by_id',
    input: { from: provider, id },
    arrange: cancel,
  },
  {
    code: 'INSUFFICIENT_BALANCE',
    ...subscribing,
    input: { from: bob, id },
    facts: { balance: { amount: '0' }, required: { amount: '10', amountRaw: '10000000' } },
  },
  {
    code: 'SUBSCRIPTION_PAGING',
    ...subscribing,
    input: { from: alice, id },
    arrange: () => protocol.send(admin, 'setPageStart', [checkpointAt(id)]),
  },
  {
    code: 'REMIT_NOT_DUE',
    ...remitting,
    arrange: async () => protocol.send(admin, 'setNextUncheckedDay', [await tomorrow()]),
  },
  { code: 'NOTHING_DUE', ...remitting },
  {
    code: 'REMIT_STALLED',
    ...remitting,
    arrange: async () => {
      await protocol.join(weekly, alice)
      await chain.advanceDays(2)
      await protocol.send(admin, 'changeMaxRemits', [0n])
    },
  },
  {
    code: 'REMIT_BLOCKED_BY_TRANSFER',
    ...remitting,
    arrange: async () => {
      await protocol.join(awkward, alice)
      await contractAt(chain.client, blocking, BlockingToken.abi).send(admin, 'setRefusal', [alice, 1])
      await chain.advanceDays(2)
    },
  },
  {
    code: 'TRANSACTION_GAS_CAP',
    ...remitting,
    arrange: async () => {
      for (const account of [alice, bob, admin, keeper, stranger]) {
        for (const plan of [weekly, awkward]) await protocol.join(plan, account)
      }
      await chain.advanceDays(2)
    },
  },
  {
    code: 'NOTHING_TO_REVOKE',
    write: 'revoke_allowance',
    input: { from: bob, token: usdc },
    facts: { token: usdc },
  },
  { code: 'NOTHING_TO_EXTEND', write: 'extend_coverage', input: { from: bob, token: usdc } },
]

/** No view tells it: the calls have to be run. */
const ONLY_BY_RUNNING = 'SIMULATION_FAILED'

function operationNamed(name: string) {
  const operation = operations.find((one) => one.name === name)
  if (operation === undefined) throw new Error(`There is no operation ${name}`)
  return operation
}

/** What REST and MCP, which are to agree, answer to one input. */
async function ask(name: string, input: Input): Promise<Record<string, unknown>> {
  const operation = operationNamed(name)
  const [rest, tool] = await Promise.all([surfaces.rest(operation, input), surfaces.tool(operation, input)])
  expect({ failed: tool.failed, body: tool.body }).toEqual({ failed: rest.failed, body: rest.body })
  return { status: rest.status, ...rest.body }
}

describe('a precondition that fails is named alike by the refusal, by the readiness, by REST and by MCP', () => {
  it.each(ROWS)('$code of $write', async ({ code, write, input, arrange, facts, check }) => {
    await arrange?.()
    await service.caughtUp()
    const issues = [{ code, ...facts, message: expect.stringMatching(/\w.*\.$/) }]
    const refused = await ask(`prepare_${write}`, input)
    expect(refused).toMatchObject({ status: 422, code: 'NOT_READY', error: expect.any(String), issues })
    expect(refused).not.toHaveProperty('unsignedTransactions')

    const ready = await ask(`prepare_${write}`, { ...input, readinessOnly: true })
    expect(ready).toMatchObject({ status: 200, ready: false, issues })
    expect(ready).not.toHaveProperty('gasEstimates')
    if (check !== undefined) {
      expect(await ask(check, input)).toMatchObject({ status: 200, ready: false, issues })
    }
  })

  it(`${ONLY_BY_RUNNING} of subscribe_by_id, which the prepare refuses with itself`, async () => {
    await contractAt(chain.client, blocking, BlockingToken.abi).send(admin, 'setRefusal', [alice, 1])
    await service.caughtUp()
    const input = { from: alice, id: awkward.id }
    const refused = await ask('prepare_subscribe_by_id', input)
    const reason = { message: expect.stringContaining('payer is blocked') }
    expect(refused).toMatchObject({ status: 422, code: ONLY_BY_RUNNING, reason })
    expect(refused).not.toHaveProperty('unsignedTransactions')

    const issues = [{ code: ONLY_BY_RUNNING, message: refused.error, reason: refused.reason }]
    const ready = await ask('prepare_subscribe_by_id', { ...input, readinessOnly: true })
    expect(ready).toMatchObject({ status: 200, ready: false, issues })
    const checked = await ask('check_subscribe_readiness_by_id', input)
    expect(checked).toMatchObject({ status: 200, ready: false, issues })
  })

  it('is each of the closed list', () => {
    const codes = [...ROWS.map(({ code }) => code), ONLY_BY_RUNNING]
    expect([...new Set(codes)]).toEqual(PRECONDITION_CODES)
  })

  it('comes with every other that fails', async () => {
    await protocol.join(weekly, bob)
    await cancel()
    await pause()
    const balance = await protocol.balanceOf(usdc, bob)
    await contractAt(chain.client, usdc, BlockingToken.abi).send(bob, 'transfer', [alice, balance])
    await service.caughtUp()
    const { issues } = await ask('prepare_subscribe_by_id', { from: bob, id })
    const codes = ['TOKEN_PAUSED', 'SUBSCRIPTION_CANCELLED', 'ALREADY_SUBSCRIBED', 'INSUFFICIENT_BALANCE']
    expect(issues).toMatchObject(codes.map((code) => ({ code })))
    expect(balance).toBeGreaterThan(units('0'))
  })
})
