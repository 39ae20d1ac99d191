import { BlockingToken } from '@remit/contracts/BlockingToken'
import { FeeOnTransferToken } from '@remit/contracts/FeeOnTransferToken'
import { ReentrantToken } from '@remit/contracts/ReentrantToken'
import { StubbornAllowanceToken } from '@remit/contracts/StubbornAllowanceToken'
import { Subscriptions } from '@remit/contracts/Subscriptions'
import { TestToken } from '@remit/contracts/TestToken'
import { findProtocolRevert } from '@remit/protocol/reverts'
import { operations } from '@remit/service/operations/index'
import { type Abi, type Address, encodeFunctionData, type Hex, maxUint256, zeroAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { useSurfaces } from './parity/surfaces.ts'
import { approvedToken } from './support/chain/approvedToken.ts'
import { contractAt } from './support/chain/contractAt.ts'
import { minedReceipt } from './support/chain/minedReceipt.ts'
import {
  DETAILS,
  Frequency,
  protocolOn,
  type Subscription,
  type Terms,
  tupleOf,
  units,
} from './support/chain/protocolOn.ts'
import { checkpointAt } from './support/chain/useReadingGround.ts'
import { useTestChain } from './support/chain/useTestChain.ts'
import { useTestService } from './support/service/testService.ts'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { client, contract, tokens, wallets } = chain
const { admin, alice, bob, dave, janitor, keeper, provider, stranger } = wallets
const { usdc } = tokens
const blocking = await approvedToken(chain, BlockingToken)
const reentrant = await approvedToken(chain, ReentrantToken)
const stubborn = await approvedToken(chain, StubbornAllowanceToken)
const costless = await approvedToken(chain, BlockingToken, { minimum: 0n })
const feeOnTransfer = await approvedToken(chain, FeeOnTransferToken)
const weekly = await protocol.create()
await protocol.fund(usdc, alice, { balance: 1_000_000_000n, allowance: maxUint256 })
await chain.keep()
const service = await useTestService([chain])
const surfaces = await useSurfaces(service)

type Call = readonly [functionName: string, args: readonly unknown[], more?: Partial<Sending>]
interface Sending {
  readonly to: Address
  readonly abi: Abi
  readonly gas: bigint
}

const create = (terms: { amount?: bigint; token?: Address; frequency?: number; dueDay?: number }): Call => {
  const { amount = units('10'), token = usdc, frequency = 0, dueDay = 3 } = terms
  return ['createSubscription', [amount, token, DETAILS, frequency, dueDay]]
}
const onToken = (to: Address, functionName: string, args: readonly unknown[]): Call => [
  functionName,
  args,
  { to, abi: TestToken.abi },
]
const send = protocol.send
const arm = (to: Address, data: Hex) =>
  contractAt(client, reentrant, ReentrantToken.abi).send(admin, 'arm', [to, data])
const refuse = (refusal: number) =>
  contractAt(client, blocking, BlockingToken.abi).send(admin, 'setRefusal', [alice, refusal])
const remitData = encodeFunctionData({ abi: Subscriptions.abi, functionName: 'remit' })
const today = async () => Math.floor((await chain.now()) / 86_400)

/** Sends the call although it reverts, and tells its hash. */
async function reverted(from: Address, [functionName, args, more = {}]: Call): Promise<Hex> {
  const { to = contract, abi = Subscriptions.abi, gas = 2_000_000n } = more
  const data = encodeFunctionData({ abi, functionName, args })
  const hash = await client.sendTransaction({ account: from, chain: null, to, data, gas })
  expect((await minedReceipt(client, hash)).status).toBe('reverted')
  return hash
}

/** What REST and MCP, which are to agree, answer to one input. */
async function answer(name: string, input: Record<string, unknown>) {
  const operation = operations.find((one) => one.name === name)
  if (operation === undefined) throw new Error(`There is no operation ${name}`)
  await service.caughtUp()
  const [rest, tool] = await Promise.all([surfaces.rest(operation, input), surfaces.tool(operation, input)])
  expect({ failed: tool.failed, body: tool.body }).toEqual({ failed: rest.failed, body: rest.body })
  return rest
}

async function reasonOf(txHash: Hex) {
  const { status, body } = await answer('get_transaction_status', { txHash })
  expect({ status, sent: body.status }).toEqual({ status: 200, sent: 'reverted' })
  return body.reason
}

/** By code: what is arranged, who sends what. */
const ROWS: readonly [code: string, from: Address, call: Call, arrange?: () => Promise<unknown>][] = [
  [
    '0',
    provider,
    ['subscribe', [weekly]],
    () => protocol.fund(usdc, provider, { balance: 10n ** 8n, allowance: 10n ** 8n }),
  ],
  ['1', admin, ['addERC20Contract', [usdc, 1n, 6]]],
  ['3', alice, ['subscribe', [tupleOf(`0x${'77'.repeat(32)}`)]]],
  ['4', provider, create({ token: zeroAddress })],
  ['5', provider, create({ token: contract })],
  ['6', keeper, ['remit', []]],
  ['8', stranger, ['unsubscribeByProvider', [weekly, alice]]],
  ['9', provider, ['unsubscribeByProvider', [weekly, bob]]],
  ['10', bob, ['subscribe', [weekly]]],
  ['13', stranger, ['cancelSubscription', [weekly]]],
  ['14', provider, create({ dueDay: 8 })],
  ['15', provider, create({ frequency: Frequency.MONTHLY, dueDay: 29 })],
  ['16', provider, create({ frequency: Frequency.QUARTERLY, dueDay: 91 })],
  ['17', provider, create({ frequency: Frequency.YEARLY, dueDay: 366 })],
  ['18', provider, create({ amount: 1n })],
  [
    '19',
    keeper,
    ['remit', []],
    async () => {
      await protocol.join(await protocol.create({ token: reentrant }), alice)
      await chain.advanceDays(3)
      await arm(contract, remitData)
    },
  ],
  ['20', alice, ['subscribe', [weekly]], () => send(admin, 'pauseToken', [usdc, true])],
  ['22', janitor, ['cleanUnsubscribeList', [weekly.id]]],
  ['23', alice, ['subscribe', [weekly]], () => send(provider, 'cancelSubscription', [weekly])],
  ['24', alice, ['subscribe', [weekly]], () => send(admin, 'setPageStart', [checkpointAt(weekly.id)])],
  ['25', alice, ['subscribe', [weekly]], () => send(alice, 'subscribe', [weekly])],
]

/** Not revert strings of the protocol: whose they are and what they say, by what is sent. */
const OTHERS: readonly [reason: object, from: Address, call: Call, arrange?: () => Promise<unknown>][] = [
  [{ name: 'ERC20InsufficientBalance' }, bob, onToken(usdc, 'transfer', [alice, 1n])],
  [{ name: 'ERC20InsufficientAllowance' }, bob, onToken(usdc, 'transferFrom', [alice, bob, maxUint256])],
  [{ name: 'ERC20InvalidReceiver' }, alice, onToken(usdc, 'transfer', [zeroAddress, 1n])],
  [{ name: 'ERC20InvalidSpender' }, alice, onToken(usdc, 'approve', [zeroAddress, 1n])],
  [{ name: 'AccessControlUnauthorizedAccount' }, stranger, ['changeMaxRemits', [9n]]],
  [
    { name: 'ERROR', message: expect.stringContaining('approve 0 first') },
    alice,
    onToken(stubborn, 'approve', [contract, 5n]),
    () => protocol.fund(stubborn, alice, { allowance: 4n }),
  ],
  [
    { name: 'PANIC_ARITHMETIC' },
    keeper,
    ['remit', []],
    async () => {
      await send(alice, 'subscribe', [weekly])
      await send(admin, 'setPageStart', [{ ...checkpointAt(weekly.id), initialized: false }])
      for (const account of [dave, stranger]) await send(account, 'unsubscribe', [weekly])
      await chain.advanceDays(3)
    },
  ],
  [{ name: 'EMPTY_REVERT' }, provider, create({ frequency: 9 })],
  [{ name: 'OUT_OF_GAS' }, provider, ['createSubscription', create({})[1], { gas: 60_000n }]],
]

describe('a transaction that reverted tells why, on both surfaces', () => {
  it.each(ROWS)('with "%s"', async (code, from, call, arrange) => {
    await arrange?.()
    const reason = await reasonOf(await reverted(from, call))
    expect(reason).toEqual(findProtocolRevert(code))
  })

  it.each(OTHERS)('with %o', async (expected, from, call, arrange) => {
    await arrange?.()
    const reason = await reasonOf(await reverted(from, call))
    expect(reason).toMatchObject({ message: expect.stringMatching(/\.$/), ...expected })
    expect(reason).not.toHaveProperty('protocolCode')
  })

  it('with every string that the contract uses', () => {
    const unused = ['2', '7', '11', '12', '21']
    const all = Array.from({ length: 26 }, (_, code) => String(code))
    expect(ROWS.map(([code]) => code)).toEqual(all.filter((code) => !unused.includes(code)))
  })
})

describe('a simulation that reverts tells why, on both surfaces, and gives no transactions', () => {
  async function simulated(name: string, input: Record<string, unknown>) {
    const { status, body } = await answer(name, input)
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'SIMULATION_FAILED' })
    expect(body).not.toHaveProperty('unsignedTransactions')
    return body.reason
  }
  const subscribe = ({ id }: Subscription) => simulated('prepare_subscribe_by_id', { from: alice, id })
  const affordable = async (terms: Terms) => {
    const subscription = await protocol.create(terms)
    await protocol.fund(subscription.token, alice, { balance: 10n ** 12n })
    return subscription
  }

  it.each([
    ['3', ['cancelSubscription', [tupleOf(`0x${'77'.repeat(32)}`)]]],
    ['5', create({ token: contract })],
    ['6', ['remit', []]],
    ['10', ['subscribe', [weekly]]],
    ['13', ['cancelSubscription', [weekly]]],
    ['14', create({ dueDay: 8 })],
    ['18', create({ amount: 1n })],
  ] as const)('with "%s", met by the token in the middle of the call', async (code, [functionName, args]) => {
    const subscription = await affordable({ token: reentrant })
    const abi: Abi = Subscriptions.abi
    await arm(contract, encodeFunctionData({ abi, functionName, args }))
    expect(await subscribe(subscription)).toEqual({ ...findProtocolRevert(code), callIndex: 1 })
  })

  it('with the token’s own words', async () => {
    const subscription = await affordable({ token: blocking })
    await refuse(1)
    expect(await subscribe(subscription)).toMatchObject({
      name: 'ERROR',
      message: expect.stringContaining('payer is blocked'),
    })
  })

  it('with a transfer that answers false', async () => {
    const subscription = await affordable({ token: blocking })
    await refuse(2)
    expect(await subscribe(subscription)).toMatchObject({ name: 'SafeERC20FailedOperation' })
  })

  it('with a custom error, where the contract lacks what it is to pay back', async () => {
    const subscription = await protocol.create({ token: feeOnTransfer })
    await protocol.join(subscription, alice)
    expect(await simulated('prepare_unsubscribe_by_id', { from: alice, id: subscription.id })).toMatchObject({
      name: 'ERC20InsufficientBalance',
    })
  })

  it('with a panic, where an amount is 0', async () => {
    const terms = { token: costless, amount: 0n, frequency: Frequency.MONTHLY, dueDay: 20 }
    const subscription = await affordable(terms)
    await send(admin, 'setNextUncheckedDay', [(await today()) + 1])
    expect(await protocol.reverts(alice, 'subscribe', [subscription])).toBe('Panic(18)')
    expect(await subscribe(subscription)).toMatchObject({ name: 'PANIC_DIVISION_BY_ZERO' })
  })

  it('with no data at all', async () => {
    const subscription = await affordable({ token: reentrant })
    await arm(contract, '0xdeadbeef')
    expect(await subscribe(subscription)).toMatchObject({ name: 'EMPTY_REVERT' })
  })

  it('with data that nobody can read, which is passed on', async () => {
    // Reverts with four bytes of its own.
    const odd = '0x00000000000000000000000000000000000000aa'
    await client.setCode({ address: odd, bytecode: '0x63c0ffee005f526004601cfd' })
    const subscription = await affordable({ token: reentrant })
    await arm(odd, '0x')
    expect(await subscribe(subscription)).toMatchObject({ name: 'UNKNOWN_REVERT', data: '0xc0ffee00' })
  })
})
