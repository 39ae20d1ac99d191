import { createKeeperChain } from '@remit/client/testing/cli/keeper/node/createKeeperChain'
import { TokenReads } from '@remit/client/testing/cli/keeper/node/TokenReads'
import { ChainFaultError } from '@remit/client/testing/cli/keeper/ports'
import { createPublicClient, encodeFunctionData, http } from 'viem'
import { describe, expect, it } from 'vitest'
import { protocolOn, units } from '../support/chain/protocolOn.ts'
import { useTestChain } from '../support/chain/useTestChain.ts'
import { whileNothingIsMined } from '../support/chain/whileNothingIsMined.ts'
import { useCountingProxy } from '../support/nodes/countingProxy.ts'

const GAS_PRICE_ORACLE = '0x420000000000000000000000000000000000000F'
/** Answers every call with 1234, as a contract: PUSH2 1234, PUSH0 MSTORE, PUSH1 32, PUSH0 RETURN. */
const ANSWERS_1234 = '0x6104d25f5260205ff3'

const chain = await useTestChain()
const { wallets, tokens } = chain
const protocol = protocolOn(chain)
const proxy = await useCountingProxy(chain.url)

/** Two subscriptions of one day in the same token, one of them with a subscriber who is dropped; one in another. */
const coffee = await protocol.create({ dueDay: 3 })
const tea = await protocol.create({ dueDay: 3, amount: units('7.5'), provider: wallets.otherProvider })
const dai = await protocol.create({ dueDay: 3, token: tokens.dai })
await protocol.join(coffee, wallets.alice)
await protocol.join(coffee, wallets.bob, { allowance: 10_000_000n })
await protocol.join(tea, wallets.alice)
await protocol.join(dai, wallets.alice)
await chain.advanceDays(3)
await chain.keep()

const data = encodeFunctionData({ abi: protocol.abi, functionName: 'remit' })
const call = { functionName: 'remit', to: chain.contract, data }

function nodeOf(address = wallets.keeper, contract = chain.contract) {
  const node = createPublicClient({ transport: http(proxy.url, { retryCount: 0 }) })
  return createKeeperChain(node, {
    address,
    call: { functionName: 'remit', to: contract, data },
    tokens: new TokenReads(node, chain.contract),
  })
}

const refusing = (method: string, code: number, message: string) =>
  proxy.fail({ answer: (asked) => (asked.method === method ? { error: { code, message } } : undefined) })

/** Sends the remit with just so much gas. */
async function send(account = wallets.keeper, gas = 5_000_000n) {
  const hash = await chain.client.sendTransaction({ account, chain: null, to: call.to, data, gas })
  return chain.client.waitForTransactionReceipt({ hash })
}

describe('a remit tried at the keeper’s own node', () => {
  it('earns what the trial says, each token once, and runs with the given gas limit', async () => {
    const node = nodeOf()
    const tried = await node.tryRemit()
    if (tried.kind !== 'runs') throw new Error('it reverts')
    const before = await protocol.balanceOf(tokens.usdc, wallets.keeper)
    const { transactionHash, status, gasUsed } = await send(wallets.keeper, tried.gasLimit)
    expect(status).toBe('success')
    expect(tried.gasLimit).toBeLessThan(2n * gasUsed)

    const { logs } = await chain.client.getTransactionReceipt({ hash: transactionHash })
    expect(await node.earned(logs)).toEqual(tried.gains)
    const paid = (await protocol.balanceOf(tokens.usdc, wallets.keeper)) - before
    expect(tried.gains?.map(({ token, amountRaw }) => [token.symbol, token.decimals, amountRaw])).toEqual(
      expect.arrayContaining([
        ['USDC', 6, paid],
        ['DAI', 18, 2n * 10n ** 17n],
      ]),
    )
    expect(tried.gains).toHaveLength(2)
  })

  it('does not count what its sender receives as a provider', async () => {
    const tried = await nodeOf(wallets.provider).tryRemit()
    const stranger = await nodeOf(wallets.keeper).tryRemit()
    if (tried.kind !== 'runs' || stranger.kind !== 'runs') throw new Error('it reverts')
    expect(tried.gains).toEqual(stranger.gains)
  })

  it('reverts with the contract’s reason if nothing is due', async () => {
    await send()
    await chain.client.mine({ blocks: 1 })
    expect(await nodeOf().tryRemit()).toEqual({ kind: 'reverts', reason: '6' })
    refusing('eth_simulateV1', -32_601, 'no')
    expect(await nodeOf().tryRemit()).toEqual({ kind: 'reverts', reason: '6' })
  })

  it.each([
    [-32_601, 'the method eth_simulateV1 does not exist/is not available'],
    [-32_004, 'Method not supported'],
    [-32_600, 'Unsupported method: eth_simulateV1 on BASE_MAINNET'],
    [-32_000, 'method eth_simulateV1 is not supported'],
  ])('is only estimated if the node says that it has no eth_simulateV1: %i %s', async (code, message) => {
    refusing('eth_simulateV1', code, message)
    const tried = await nodeOf().tryRemit()
    if (tried.kind !== 'runs') throw new Error('it reverts')
    expect(tried.gains).toBeUndefined()
    expect((await send(wallets.keeper, tried.gasLimit)).status).toBe('success')
  })

  it.each([
    [-32_602, 'invalid params'],
    [-32_000, 'timed out'],
    [-32_005, 'limit exceeded'],
    [-32_603, 'method handler crashed'],
    [-38_026, 'client adjustable limit reached'],
  ])('is a fault on any other error, and nobody else is asked: %i %s', async (code, message) => {
    refusing('eth_simulateV1', code, message)
    await expect(nodeOf().tryRemit()).rejects.toBeInstanceOf(ChainFaultError)
    expect(proxy.methods).not.toContain('eth_estimateGas')
  })
})

describe('fees at the keeper’s own node', () => {
  const transaction = {
    chainId: chain.chainId,
    ...call,
    nonce: 7,
    gas: 300_000n,
    fees: { maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 10n ** 6n },
  }

  it('cover five full blocks, and include the next block’s price', async () => {
    const { nextFeePerGas, maxFeePerGas, maxPriorityFeePerGas } = await nodeOf().fees()
    await chain.client.mine({ blocks: 1 })
    const { baseFeePerGas } = await chain.client.getBlock()
    expect(nextFeePerGas - maxPriorityFeePerGas).toBe(baseFeePerGas)
    expect(maxFeePerGas).toBe(2n * (baseFeePerGas ?? 0n) + maxPriorityFeePerGas)
  })

  it('include the L1 fee of an OP Stack chain, and none elsewhere', async () => {
    expect(await nodeOf().l1DataFee(transaction)).toBe(0n)
    await chain.client.setCode({ address: GAS_PRICE_ORACLE, bytecode: ANSWERS_1234 })
    expect(await nodeOf().l1DataFee(transaction)).toBe(1234n)
  })

  it('are a fault, and not 0, if the oracle cannot be asked', async () => {
    refusing('eth_call', -32_000, 'busy')
    await expect(nodeOf().l1DataFee(transaction)).rejects.toBeInstanceOf(ChainFaultError)
  })
})

it.each([
  ['in the pool', 'eth_getBlockByNumber'],
  ['in the pending block', 'txpool_contentFrom'],
])('a transaction that waits to be mined is found %s', async (_where, lacking) => {
  await whileNothingIsMined(chain.client, async () => {
    const nonce = await chain.client.getTransactionCount({ address: wallets.keeper })
    expect(await nodeOf().pendingAt(nonce)).toBeUndefined()
    const hash = await chain.client.sendTransaction({
      account: wallets.keeper,
      chain: null,
      to: call.to,
      data,
      gas: 400_000n,
    })
    proxy.fail({
      answer: ({ method, params: [address] }) => {
        if (method === lacking) return { error: { code: -32_601, message: 'no' } }
        // As geth answers: the chain of this test does not have it.
        const pending = address === wallets.keeper ? { [nonce]: { hash } } : {}
        return method === 'txpool_contentFrom' ? { result: { pending, queued: {} } } : undefined
      },
    })
    expect(await nodeOf().pendingAt(nonce)).toMatchObject({ hash, data, value: 0n, gas: 400_000n })
    expect(await nodeOf(wallets.alice).pendingAt(nonce)).toBeUndefined()
  })
})
