import { BlockingToken } from '@remit/contracts/BlockingToken'
import { operations } from '@remit/service/operations/index'
import type { Operation } from '@remit/service/testing/calls/serviceOperation'
import { useLife } from '@remit/testing/parity/life'
import { type Input, useSurfaces } from '@remit/testing/parity/surfaces'
import { approvedToken } from '@remit/testing/support/chain/approvedToken'
import { protocolOn, tupleOf } from '@remit/testing/support/chain/protocolOn'
import { checkpointAt } from '@remit/testing/support/chain/useReadingGround'
import { signerOf } from '@remit/testing/support/chain/useTestChain'
import { useTestService } from '@remit/testing/support/service/testService'
import { expectKept } from '@remit/testing/support/wallets/expectKept'
import { describe, expect, it } from 'vitest'
import { assertPaymaster } from './answer/options.ts'

// What all prepares have in common. Unknown ids and input that does not fit are tested for all operations in test/parity
// and test/badInput, and each precondition by its name in test/preconditions.

const { chain, subscriptionId, sample } = await useLife()
const protocol = protocolOn(chain)
const { admin, alice, provider } = chain.wallets
const { usdc } = chain.tokens
const mistaken = await approvedToken(chain, BlockingToken, { decimals: 6, enteredDecimals: 8 })
const inMistaken = await protocol.create({ token: mistaken })
await protocol.join(inMistaken, alice)
await chain.keep()
const service = await useTestService([chain])
const surfaces = await useSurfaces(service)

const prepares = operations.filter(({ effect }) => effect === 'prepare')
const named = (list: readonly Operation[]) => list.map((operation) => [operation.name, operation] as const)
const prepareNamed = (name: string) =>
  prepares.find((operation) => operation.name === `prepare_${name}`) ?? expect.fail(`no prepare of ${name}`)

async function ask(operation: Operation, change: Input = {}) {
  await service.caughtUp()
  return surfaces.rest(operation, { ...sample(operation), ...change })
}

const signers = Array.from({ length: 10 }, (_, index) => signerOf(index))
function sendingFor(operation: Operation) {
  const { from } = sample(operation)
  const signer = signers.find(({ address }) => address === from) ?? expect.fail(`nobody signs for ${from}`)
  return { chain, service, signer }
}

// A new id depends on the time of its block: prepareCreateSubscription.test.ts.
const kept = prepares.filter(({ name }) => name !== 'prepare_create_subscription')

it.each(named(kept))('%s gives transactions that keep their promise', async (_, operation) => {
  const prepared = await ask(operation)
  const { from } = sample(operation)
  const count = operation.name.startsWith('prepare_subscribe') ? 2 : 1
  expect(prepared).toMatchObject({ status: 200, body: { gasSummary: { transactionCount: count } } })
  expect(prepared.body.unsignedTransactions).toMatchObject(Array.from({ length: count }, () => ({ from })))
  const { signingMode, eip5792 } = prepared.body
  expect({ signingMode, eip5792 }).toMatchObject(
    count === 1
      ? { signingMode: 'raw', eip5792: undefined }
      : {
          signingMode: 'eip5792',
          eip5792: { version: '2.0.0', from, chainId: '0x7a69', atomicRequired: false },
        },
  )
  await expectKept(sendingFor(operation), prepared, [mistaken])
})

const PAYMASTER = 'https://pay.example/rpc?policy=1'

it.each(named(prepares))(
  '%s hands a paymaster on to wallets, also with one transaction',
  async (_, operation) => {
    const plain = await ask(operation)
    const { status, body } = await ask(operation, { paymasterUrl: PAYMASTER })
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        signingMode: 'eip5792',
        eip5792: {
          version: '2.0.0',
          atomicRequired: false,
          capabilities: { paymasterService: { url: PAYMASTER, optional: true } },
        },
        unsignedTransactions: plain.body.unsignedTransactions,
        instructions: expect.arrayContaining([
          expect.stringContaining('have pay.example pay the network’s fee'),
        ]),
      },
    })
    expect(plain.body.eip5792 ?? {}).not.toHaveProperty('capabilities')
  },
)

it.each([
  'http://pay.example',
  'ftp://pay.example',
  'https://user:word@pay.example',
  'https://pay.example#part',
  'http://127.0.0.1.pay.example',
  'pay.example',
])('refuses %s as a paymaster, also where only the readiness is asked for', async (paymasterUrl) => {
  const leaving = prepareNamed('unsubscribe_by_id')
  for (const change of [{ paymasterUrl }, { paymasterUrl, readinessOnly: true }]) {
    const { status, body } = await ask(leaving, change)
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR', issues: [{ path: 'paymasterUrl' }] },
    })
  }
})

it('takes a paymaster over http on this machine on a development chain alone', async () => {
  const local = 'http://127.0.0.1:4100/'
  const { status, body } = await ask(prepareNamed('remit'), { paymasterUrl: local })
  const capabilities = { paymasterService: { url: local } }
  expect({ status, body }).toMatchObject({ status: 200, body: { eip5792: { capabilities } } })
  expect(() => assertPaymaster({ paymasterUrl: local }, { isDevChain: false })).toThrow(
    /must begin with https/,
  )
  assertPaymaster({ paymasterUrl: PAYMASTER }, { isDevChain: false })
})

it.each(named(prepares))('%s tells only its readiness where that is asked for', async (_, operation) => {
  const { status, body } = await ask(operation, { readinessOnly: true })
  expect({ status, body }).toMatchObject({ status: 200, body: { ready: true, unproven: false, issues: [] } })
  expect(body.details).toEqual(expect.any(Object))
  const others = ['unsignedTransactions', 'simulation', 'gasEstimates', 'gasSummary', 'preflight']
  expect(others.filter((field) => field in body)).toEqual([])
})

it.each(named(prepares))('%s warns a wallet without the ether to send it', async (_, operation) => {
  await chain.client.setBalance({ address: sendingFor(operation).signer.address, value: 1n })
  await chain.client.mine({ blocks: 1 })
  const { status, body } = await ask(operation)
  const warning = expect.objectContaining({ code: 'INSUFFICIENT_GAS_FUNDS' })
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { warnings: expect.arrayContaining([warning]) },
  })
})

describe('where nothing but the batch itself is refused, there are no transactions, and readiness says the same', () => {
  /** Reverts whatever it is asked. */
  const REFUSING = '0x60006000fd'

  // Remit tries itself out before it is proven, and says by name what it finds.
  it.each(named(prepares.filter(({ name }) => name !== 'prepare_remit')))('%s', async (_, operation) => {
    // Its state is read, and kept for this block, of which nothing else is known.
    await chain.client.mine({ blocks: 1 })
    expect(await ask(operation)).toMatchObject({ status: 200 })
    const input = sample(operation)
    for (const address of [chain.contract, usdc]) {
      await chain.client.setCode({ address, bytecode: REFUSING })
    }
    const rest = await surfaces.rest(operation, input)
    const tool = await surfaces.tool(operation, input)
    expect(rest).toMatchObject({
      status: 422,
      body: { code: 'SIMULATION_FAILED', reason: { name: 'EMPTY_REVERT', callIndex: 0 } },
    })
    expect(rest.body).not.toHaveProperty('unsignedTransactions')
    expect(tool).toMatchObject({ failed: true, body: rest.body })
    const { error: message, reason } = rest.body
    const readiness = await surfaces.rest(operation, { ...input, readinessOnly: true })
    const issues = [{ code: 'SIMULATION_FAILED', message, reason }]
    const said = { ready: false, unproven: false, issues, instructions: [message] }
    expect(readiness).toMatchObject({ status: 200, body: said })
  })
})

describe('nobody is kept from', () => {
  const STATES: Readonly<Record<string, () => Promise<unknown>>> = {
    'what is in a paused token': () => protocol.send(admin, 'pauseToken', [usdc, true]),
    'that in whose middle a remit has stopped': () =>
      protocol.send(admin, 'setPageStart', [checkpointAt(subscriptionId)]),
    'what is cancelled': () => protocol.send(provider, 'cancelSubscription', [tupleOf(subscriptionId)]),
  }

  it.each(
    [
      ['unsubscribe_by_id', 'what is in a paused token', 'that in whose middle a remit has stopped'],
      ['unsubscribe_by_provider_by_id', ...Object.keys(STATES)],
      ['cancel_subscription_by_id', 'what is in a paused token', 'that in whose middle a remit has stopped'],
      ['edit_details', ...Object.keys(STATES)],
      ['revoke_allowance', 'what is in a paused token'],
    ].flatMap(([name = '', ...states]) => states.map((state) => [name, state] as const)),
  )('%s of %s', async (name, state) => {
    await STATES[state]?.()
    const operation = prepareNamed(name)
    await expectKept(sendingFor(operation), await ask(operation))
  })

  it.each([
    ['unsubscribe_by_id', { id: inMistaken.id }],
    ['unsubscribe_by_provider_by_id', { id: inMistaken.id }],
    ['cancel_subscription_by_id', { id: inMistaken.id }],
    ['revoke_allowance', { token: mistaken }],
  ])('%s in a token whose decimals are entered wrong, which is a warning', async (name, change) => {
    const operation = prepareNamed(name)
    const prepared = await ask(operation, change)
    const warning = { code: 'TOKEN_DECIMALS_MISMATCH', token: mistaken, protocolDecimals: 8, ownDecimals: 6 }
    expect(prepared.body.warnings).toEqual(expect.arrayContaining([expect.objectContaining(warning)]))
    await expectKept(sendingFor(operation), prepared, [mistaken])
  })
})
