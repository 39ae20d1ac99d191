import type { SendingError } from '@remit/client/testing/sending/SendingError'
import type { Progress } from '@remit/client/testing/sending/wallet/Wallet'
import { encodeErrorResult, type Hash, parseAbi } from 'viem'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { localWallet, QUICK, SIGNERS, useSendingGround } from '../sendingGround.ts'

const ground = await useSendingGround()
const { chain, protocol, service, flows, weekly, injected } = ground
const { alice, provider, stranger } = chain.wallets
const { usdc } = chain.tokens
const { client } = chain
const cancel = flows.cancelSubscription({ id: weekly.id })

beforeEach(() => service.caughtUp())
afterEach(async () => {
  // Mines what still waits. Otherwise anvil would, as soon as it mines by itself again: perhaps while it is set back.
  await client.mine({ blocks: 1 })
  await client.setAutomine(true)
})

async function failureOf(sending: Promise<unknown>): Promise<SendingError> {
  return sending.then(
    () => expect.unreachable('it was sent'),
    (error) => error,
  )
}

/** Runs on the hash of a transaction as soon as it is sent, before anybody waits for it. */
function onSent(act: (hash: Hash) => void) {
  return (progress: Progress) => {
    if (progress.kind === 'sent' && progress.hash !== null) act(progress.hash)
  }
}

/** Sends in the place of a transaction that is not mined yet, with its nonce and at twice its price; then mines. */
async function replace(hash: Hash, patch: (old: { to: `0x${string}`; data: `0x${string}` }) => object) {
  const { from, nonce, to, input, maxFeePerGas = 0n } = await client.getTransaction({ hash })
  if (to === null) throw new Error('It deploys')
  const price = { maxFeePerGas: maxFeePerGas * 2n, maxPriorityFeePerGas: maxFeePerGas * 2n }
  const same = { account: from, chain: null, nonce, to, data: input, gas: 500_000n, ...price }
  const replacement = await client.sendTransaction({ ...same, ...patch({ to, data: input }) })
  await client.mine({ blocks: 3 })
  return replacement
}

describe('a transaction that is not mined', () => {
  it('is reported with its hash when the time is up', async () => {
    await client.setAutomine(false)
    const failure = await failureOf(cancel.send(injected(provider).wallet, { ...QUICK, timeoutMs: 2_000 }))
    expect(failure).toMatchObject({
      code: 'STILL_PENDING',
      sent: [{ functions: ['cancelSubscription'], status: 'pending' }],
    })
    await client.mine({ blocks: 1 })
    const [sent] = failure.sent
    if (sent === undefined) throw new Error('No hash was told')
    expect((await client.getTransactionReceipt({ hash: sent.hash })).status).toBe('success')
  })

  it('is reported with its hash when the caller aborts', async () => {
    await client.setAutomine(false)
    const abort = new AbortController()
    const reason = new Error('gone home')
    const onProgress = onSent(() => setTimeout(() => abort.abort(reason), 50))
    const options = { ...QUICK, signal: abort.signal, onProgress }
    expect(await failureOf(cancel.send(injected(provider).wallet, options))).toMatchObject({
      code: 'STILL_PENDING',
      cause: reason,
      sent: [{ status: 'pending' }],
    })
  })

  it('is reported with the wallet’s id if the wallet has the calls', async () => {
    await client.setAutomine(false)
    const { wallet, provider: own } = injected(alice)
    const sending = flows.subscribe({ id: weekly.id }).send(wallet, { ...QUICK, timeoutMs: 2_000 })
    const failure = await failureOf(sending)
    expect(failure).toMatchObject({ code: 'STILL_PENDING', callsId: expect.stringMatching(/^calls-/) })
    // The wallet goes on by itself. It shall not send its last call while the chain is set back.
    await client.mine({ blocks: 1 })
    await client.setAutomine(true)
    const status = () => own.request({ method: 'wallet_getCallsStatus', params: [failure.callsId] })
    await expect.poll(status).toMatchObject({ status: 200 })
  })

  it('is not lost if the caller’s own code throws after it was sent', async () => {
    const veto = new Error('my bug')
    const onProgress = onSent(() => {
      throw veto
    })
    const failure = await failureOf(cancel.send(injected(provider).wallet, { ...QUICK, onProgress }))
    expect(failure).toMatchObject({ code: 'SENDING_INTERRUPTED', cause: veto, sent: [{ status: 'pending' }] })
  })

  it('is waited for through faults of the node', async () => {
    await client.setAutomine(false)
    let faults = 0
    const { wallet } = injected(provider, {
      around: ({ method }, go) => {
        if (method !== 'eth_getTransactionReceipt' || faults === 3) return go()
        faults += 1
        if (faults === 3) void client.mine({ blocks: 1 })
        return Promise.reject(Object.assign(new Error('overloaded'), { code: -32000 }))
      },
    })
    expect(await cancel.send(wallet, QUICK)).toMatchObject({ status: 'success' })
    expect(faults).toBe(3)
  })
})

describe('the call after an approval', () => {
  const oneByOne = { refuses: { wallet_sendCalls: 4200 } }
  const refused = () =>
    Object.assign(new Error('execution reverted: 10'), {
      code: 3,
      data: encodeErrorResult({ abi: parseAbi(['error Error(string)']), args: ['10'] }),
    })

  it('is checked again if a node behind the same URL has not seen the approval yet', async () => {
    let estimates = 0
    const { wallet } = injected(alice, {
      ...oneByOne,
      around: ({ method }, go) => {
        if (method !== 'eth_estimateGas') return go()
        estimates += 1
        return estimates === 2 || estimates === 3 ? Promise.reject(refused()) : go()
      },
    })
    expect(await flows.subscribe({ id: weekly.id }).send(wallet, QUICK)).toMatchObject({ status: 'success' })
    expect(estimates).toBe(4)
  })

  it('is not signed if the user approved too little in the wallet', async () => {
    const { wallet, signatures } = injected(alice, {
      ...oneByOne,
      around: async ({ method }, go) => {
        const answer = await go()
        if (method === 'eth_sendTransaction') await protocol.fund(usdc, alice, { allowance: 9_999_999n })
        return answer
      },
    })
    expect(await failureOf(flows.subscribe({ id: weekly.id }).send(wallet, QUICK))).toMatchObject({
      code: 'WOULD_REVERT',
      reason: { protocolCode: '10', name: 'INSUFFICIENT_ALLOWANCE_OR_BALANCE' },
      sent: [{ functions: ['approve'], status: 'success' }],
      allowanceRemains: { amountRaw: 9_999_999n },
    })
    expect(signatures().filter(({ method }) => method === 'eth_sendTransaction')).toHaveLength(1)
  })
})

it('a client with its own key knows the hash even if the node’s answer is lost', async () => {
  const wallet = localWallet(chain, SIGNERS.provider)
  const request: typeof wallet.request = async (args, options) => {
    const answer = await Reflect.apply(wallet.request, wallet, [args, options])
    if (args.method === 'eth_sendRawTransaction') throw new TypeError('fetch failed')
    return answer
  }
  expect(await cancel.send({ ...wallet, request }, QUICK)).toMatchObject({ status: 'success' })
})

describe('a transaction that the wallet replaces', () => {
  const local = localWallet(chain, SIGNERS.provider)

  /** Sends the cancellation into a chain that stands still, and acts on its hash. */
  async function sendAnd(wallet: Parameters<typeof cancel.send>[0], act: (hash: Hash) => Promise<unknown>) {
    await client.setAutomine(false)
    let acted: Promise<unknown> = Promise.resolve()
    const onProgress = onSent((hash) => {
      acted = act(hash)
    })
    try {
      return await cancel.send(wallet, { ...QUICK, onProgress })
    } finally {
      await acted
    }
  }

  it('by the same one with higher fees is followed under its new hash', async () => {
    const { wallet, provider: asked } = injected(provider)
    const outcome = await sendAnd(wallet, async (hash) => {
      // Only who has seen it waiting knows the nonce of what a browser's wallet has sent.
      await expect.poll(() => asked.requests.at(-1)?.method).toBe('eth_getTransactionCount')
      await replace(hash, () => ({}))
    })
    expect(outcome).toMatchObject({ status: 'success', events: [{ eventName: 'Cancelled' }] })
    const [mined] = outcome.transactions
    const block = await client.getBlock({ blockNumber: BigInt(mined?.blockNumber ?? 0) })
    expect(block.transactions).toEqual([mined?.hash])
  })

  it('by an empty one is reported as cancelled', async () => {
    const failure = await failureOf(
      sendAnd(local, (hash) => replace(hash, () => ({ to: provider, data: '0x' }))),
    )
    expect(failure).toMatchObject({
      code: 'TRANSACTION_REPLACED',
      how: 'cancelled',
      sent: [{ functions: ['cancelSubscription'], status: 'replaced' }],
    })
    expect((await protocol.read('idSubMap', [weekly.id]))[4]).toBe(false)
  })

  it('by another one is reported as replaced', async () => {
    const failure = await failureOf(
      sendAnd(local, (hash) => replace(hash, () => ({ to: stranger, data: '0x' }))),
    )
    expect(failure).toMatchObject({ code: 'TRANSACTION_REPLACED', how: 'replaced' })
  })
})

describe('a day that ends', () => {
  it('between the approval and the subscribe causes a new prepare, and no second approval', async () => {
    const prepared: string[] = []
    let sent = 0
    const { wallet, signatures } = injected(alice, {
      refuses: { wallet_sendCalls: 4200 },
      around: async ({ method }, go) => {
        const answer = await go()
        // Not after the subscribe: it may be mined a moment after it was sent, and then on the next day.
        if (method === 'eth_sendTransaction' && sent++ === 0) {
          await chain.advanceDays(1)
          await service.caughtUp()
        }
        return answer
      },
    })
    const onProgress = (told: Progress) => prepared.push(told.kind)
    const outcome = await flows.subscribe({ id: weekly.id }).send(wallet, { ...QUICK, onProgress })
    expect(outcome.firstCharge.toFeeBalance.amount).toBe('1.428571')
    expect(outcome.transactions).toMatchObject([{ functions: ['approve'] }, { functions: ['subscribe'] }])
    expect(prepared.filter((kind) => kind === 'prepared')).toHaveLength(2)
    expect(signatures().filter(({ method }) => method === 'eth_sendTransaction')).toHaveLength(2)
    expect(await protocol.balanceOf(usdc, alice)).toBe(1_000_000_000n - 1_428_571n)
  })
})
