import { NotReadyError } from '@remit/client/testing/errors/RemitError'
import type { SendingError } from '@remit/client/testing/sending/SendingError'
import { createPublicClient, createWalletClient, custom, http } from 'viem'
import { base } from 'viem/chains'
import { beforeEach, describe, expect, it } from 'vitest'
import { walletProvider } from '../support/wallets/walletProvider.ts'
import { type InjectedOptions, localWallet, QUICK, SIGNERS, useSendingGround } from './sendingGround.ts'

const ground = await useSendingGround()
const { chain, protocol, service, api, flows, flowsOver, weekly, injected } = ground
const { alice, bob, provider } = chain.wallets
const { usdc } = chain.tokens
const subscribe = flows.subscribe({ id: weekly.id })

beforeEach(() => service.caughtUp())

/** The error that a sending ends with. */
async function failureOf(sending: Promise<unknown>): Promise<SendingError> {
  return sending.then(
    () => expect.unreachable('it was sent'),
    (error) => error,
  )
}

/** Has the provider cancel the subscription right before the wallet carries out its n-th request of a kind. */
function cancelledBefore(method: string, count = 1): NonNullable<InjectedOptions['around']> {
  let seen = 0
  return async (request, go) => {
    if (request.method === method) seen += 1
    if (request.method === method && seen === count) {
      await protocol.send(provider, 'cancelSubscription', [weekly])
    }
    return go()
  }
}

/** Answers receipts without their logs. */
function withoutLogs(methods: RegExp): NonNullable<InjectedOptions['around']> {
  return async ({ method }, go) => {
    const answer = await go()
    if (!methods.test(method)) return answer
    return JSON.parse(JSON.stringify(answer, (key, value) => (key === 'logs' ? [] : value)))
  }
}

describe('a user who refuses', () => {
  it('is asked once: the calls are not tried one by one', async () => {
    const { wallet, signatures } = injected(alice, { approvals: 0 })
    expect(await failureOf(subscribe.send(wallet, QUICK))).toMatchObject({ code: 'USER_REJECTED', sent: [] })
    expect(signatures().map(({ method }) => method)).toEqual(['wallet_sendCalls'])
    expect(await protocol.subscribersOf(weekly)).toEqual([])
  })

  it('gets an error that says the allowance remains, if it was given before', async () => {
    const { wallet } = injected(alice, {
      approvals: 1,
      sendsCalls: false,
      refuses: { wallet_sendCalls: 4200 },
    })
    const failure = await failureOf(subscribe.send(wallet, QUICK))
    expect(failure).toMatchObject({
      code: 'USER_REJECTED',
      sent: [{ functions: ['approve'], status: 'success' }],
      allowanceRemains: { token: usdc, spender: chain.contract, amountRaw: 122_857_142n },
    })
    expect(failure.message).toMatch(/The allowance remains: .* may take 122857142/)
  })
})

describe('the chain', () => {
  it('must be the one asked for, as the wallet itself says', async () => {
    const { wallet, provider: asked } = injected(alice, { chainId: 1 })
    expect(await failureOf(subscribe.send(wallet, QUICK))).toMatchObject({
      code: 'WRONG_CHAIN',
      expected: 31337,
      actual: 1,
    })
    expect(asked.requests.map(({ method }) => method)).toEqual(['eth_accounts', 'eth_chainId'])
    // What its client was made for says nothing.
    const made = createWalletClient({ account: alice, chain: base, transport: http(chain.url) })
    const onBase = flows.subscribe({ id: weekly.id, chainId: base.id }).send(made, QUICK)
    expect(await failureOf(onBase)).toMatchObject({ code: 'WRONG_CHAIN', expected: 8453, actual: 31337 })
  })

  it('is switched to if switching is allowed', async () => {
    const { wallet, provider: asked } = injected(alice, { chainId: 1 })
    const outcome = await subscribe.send(wallet, { ...QUICK, switchChain: true })
    expect(outcome.subscriptionId).toBe(weekly.id)
    expect(asked.requests.filter(({ method }) => method === 'wallet_switchEthereumChain')).toHaveLength(1)
  })

  it('is named in an error if the wallet does not know it', async () => {
    const { wallet } = injected(alice)
    const sending = flowsOver(api).subscribe({ id: weekly.id, chainId: 84532 })
    const failure = await failureOf(sending.send(wallet, { ...QUICK, switchChain: true }))
    expect(failure).toMatchObject({ code: 'WRONG_CHAIN', expected: 84532, actual: 31337 })
  })

  it('is asked again before every signature', async () => {
    let pretended = false
    const { wallet, signatures } = injected(alice, {
      refuses: { wallet_sendCalls: 4200 },
      around: async ({ method }, go) => {
        if (method === 'eth_chainId' && pretended) return '0x1'
        const answer = await go()
        // The user switches while the approval is on its way.
        if (method === 'eth_sendTransaction') pretended = true
        return answer
      },
    })
    const failure = await failureOf(subscribe.send(wallet, QUICK))
    expect(failure).toMatchObject({ code: 'WRONG_CHAIN', actual: 1, allowanceRemains: { token: usdc } })
    expect(signatures().filter(({ method }) => method === 'eth_sendTransaction')).toHaveLength(1)
  })
})

describe('before anything is signed', () => {
  it('reports that the wallet has no account', async () => {
    const provider = walletProvider({ rpcUrl: chain.url, account: alice })
    const empty = {
      request: async ({ method }: { method: string }) =>
        method === 'eth_accounts' ? [] : provider.request({ method }),
    }
    const wallet = createWalletClient({ transport: custom(empty) })
    expect(await failureOf(subscribe.send(wallet, QUICK))).toMatchObject({ code: 'NO_ACCOUNT' })
  })

  it('reports why it is not ready', async () => {
    const { wallet, signatures } = injected(bob)
    const failure: unknown = await failureOf(subscribe.send(wallet, QUICK))
    expect(failure).toBeInstanceOf(NotReadyError)
    expect(failure).toMatchObject({ issues: [{ code: 'INSUFFICIENT_BALANCE' }] })
    expect(signatures()).toEqual([])
  })

  it('never skips the check if the wallet answers no reads', async () => {
    const { wallet, signatures } = injected(alice, { refuses: { eth_call: 4200 } })
    expect(await failureOf(subscribe.send(wallet, QUICK))).toMatchObject({
      code: 'CHAIN_READ_FAILED',
      sent: [],
    })
    expect(signatures()).toEqual([])
    // It is given another node then, which must be one of the same chain.
    const publicClient = createPublicClient({ transport: http(chain.url) })
    expect(await subscribe.send(wallet, { ...QUICK, publicClient })).toMatchObject({ status: 'success' })
  })

  it('does not check by a node of another chain', async () => {
    const elsewhere = walletProvider({ rpcUrl: chain.url, account: alice, chainId: 1 })
    const publicClient = createPublicClient({ transport: custom(elsewhere) })
    const { wallet, signatures } = injected(alice)
    const failure = await failureOf(subscribe.send(wallet, { ...QUICK, publicClient }))
    expect(failure).toMatchObject({ code: 'WRONG_CHAIN', actual: 1 })
    expect(signatures()).toEqual([])
  })

  it('checks once more at the wallet’s node, and signs nothing that would fail now', async () => {
    await protocol.fund(usdc, alice, { allowance: 500_000_000n })
    await service.caughtUp()
    const { wallet, signatures } = injected(alice, { around: cancelledBefore('eth_estimateGas') })
    expect(await failureOf(subscribe.send(wallet, QUICK))).toMatchObject({
      code: 'WOULD_REVERT',
      reason: { protocolCode: '23', name: 'SUBSCRIPTION_CANCELLED' },
      sent: [],
    })
    expect(signatures()).toEqual([])
  })

  it('ends if its caller throws or aborts', async () => {
    const { wallet, signatures } = injected(alice)
    const veto = new Error('not today')
    const onProgress = () => {
      throw veto
    }
    expect(await failureOf(subscribe.send(wallet, { ...QUICK, onProgress }))).toBe(veto)
    const aborted = AbortSignal.abort(veto)
    expect(await failureOf(subscribe.send(wallet, { ...QUICK, signal: aborted }))).toBe(veto)
    expect(signatures()).toEqual([])
  })
})

describe('a failure on the chain', () => {
  it('of the second of two calls is reported with its reason and the remaining allowance', async () => {
    const { wallet } = injected(alice, {
      refuses: { wallet_sendCalls: -32601 },
      around: cancelledBefore('eth_sendTransaction', 2),
    })
    const failure = await failureOf(subscribe.send(wallet, QUICK))
    expect(failure).toMatchObject({
      code: 'TRANSACTION_REVERTED',
      reason: { protocolCode: '23', name: 'SUBSCRIPTION_CANCELLED' },
      sent: [
        { functions: ['approve'], status: 'success' },
        { functions: ['subscribe'], status: 'reverted' },
      ],
      allowanceRemains: { amountRaw: 122_857_142n },
    })
    expect(failure).toMatchObject({ hash: failure.sent[1]?.hash })
  })

  it('of some calls of a bundle is reported call by call', async () => {
    const { wallet } = injected(alice, { around: cancelledBefore('wallet_sendCalls') })
    expect(await failureOf(subscribe.send(wallet, QUICK))).toMatchObject({
      code: 'TRANSACTION_REVERTED',
      callsId: expect.stringMatching(/^calls-/),
      reason: { protocolCode: '23' },
      sent: [
        { functions: ['approve'], status: 'success' },
        { functions: ['subscribe'], status: 'reverted' },
      ],
      allowanceRemains: { token: usdc, amountRaw: 122_857_142n },
    })
  })

  it('is reported with its hash if the node cannot tell the reason', async () => {
    const cancel = cancelledBefore('wallet_sendCalls')
    const { wallet } = injected(alice, {
      around: (request, go) =>
        request.method === 'eth_getTransactionByHash'
          ? Promise.reject(new Error('gone'))
          : cancel(request, go),
    })
    expect(await failureOf(subscribe.send(wallet, QUICK))).toMatchObject({
      code: 'TRANSACTION_REVERTED',
      reason: null,
      sent: [{ status: 'success' }, { status: 'reverted' }],
    })
  })

  it('before anything is mined is reported in the wallet’s words', async () => {
    const { wallet } = injected(alice, {
      around: async ({ method }, go) =>
        method === 'wallet_getCallsStatus' ? { version: '2.0.0', status: 400, receipts: [] } : go(),
    })
    expect(await failureOf(subscribe.send(wallet, QUICK))).toMatchObject({
      code: 'CALLS_FAILED',
      statusCode: 400,
    })
  })

  it('that only the wallet reports is not taken for a refusal', async () => {
    const { wallet, signatures } = injected(alice, { refuses: { wallet_sendCalls: -32603 } })
    expect(await failureOf(subscribe.send(wallet, QUICK))).toMatchObject({ code: 'WALLET_FAILED' })
    expect(signatures().map(({ method }) => method)).toEqual(['wallet_sendCalls'])
  })

  it('is reported if the contract accepted the calls but logged nothing', async () => {
    const { wallet } = injected(alice, {
      around: withoutLogs(/^(wallet_getCallsStatus|eth_getTransactionReceipt)$/),
    })
    expect(await failureOf(subscribe.send(wallet, QUICK))).toMatchObject({
      code: 'MISSING_EVENT',
      sent: [{ status: 'success' }, { status: 'success' }],
    })
  })

  it('is found in the node’s logs if the wallet returns none', async () => {
    const { wallet } = injected(alice, { around: withoutLogs(/^wallet_getCallsStatus$/) })
    expect(await subscribe.send(wallet, QUICK)).toMatchObject({ events: [{ eventName: 'Subscribed' }, {}] })
  })

  it('of the sending itself is reported with the node’s error', async () => {
    const poor = localWallet(chain, SIGNERS.alice)
    await chain.client.setBalance({ address: alice, value: 1n })
    const failure = await failureOf(subscribe.send(poor, QUICK))
    expect(failure).toMatchObject({
      code: 'NOT_SENT',
      sent: [],
      message: expect.stringMatching(/was not sent: .*insufficient funds/i),
    })
  })
})
