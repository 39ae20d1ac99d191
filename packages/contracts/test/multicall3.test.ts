import { MULTICALL3_ADDRESS } from '@remit/devchain/testing/chain/deploy'
import { contractAt } from '@remit/testing/support/chain/contractAt'
import { useTestChain } from '@remit/testing/support/chain/useTestChain'
import { decodeFunctionResult, encodeFunctionData, multicall3Abi, toFunctionSelector, zeroHash } from 'viem'
import { describe, expect, test } from 'vitest'
import { Multicall3 } from '../generated/Multicall3.ts'
import { Subscriptions } from '../generated/Subscriptions.ts'

const chain = await useTestChain()
const { alice, bob } = chain.wallets
const multicall = contractAt(chain.client, MULTICALL3_ADDRESS, Multicall3.abi)

const good = {
  target: chain.contract,
  callData: encodeFunctionData({ abi: Subscriptions.abi, functionName: 'callerFee' }),
}
const bad = {
  target: chain.contract,
  callData: encodeFunctionData({ abi: Subscriptions.abi, functionName: 'remit' }),
}
const FEE = `0x${10_200n.toString(16).padStart(64, '0')}`
const simulate = (from = alice, value = 0n) => ({ ...multicall, account: from, value })

describe('Multicall3', () => {
  test('has every function that viem knows of it', () => {
    const ours = Multicall3.abi.map((item) => toFunctionSelector(item))
    for (const item of multicall3Abi) expect(ours).toContain(toFunctionSelector(item))
  })

  test('serves the multicall of viem at its well-known address', async () => {
    const contract = { address: chain.contract, abi: Subscriptions.abi } as const
    const answers = await chain.client.multicall({
      contracts: [
        { ...contract, functionName: 'callerFee' },
        { ...contract, functionName: 'remit' },
        { ...contract, functionName: 'maxRemits' },
      ],
      multicallAddress: MULTICALL3_ADDRESS,
    })
    expect(answers.map(({ status, result }) => [status, result])).toEqual([
      ['success', 10_200n],
      ['failure', undefined],
      ['success', 25n],
    ])
  })

  test('aggregate answers the block and the data, and fails as one', async () => {
    const { client } = chain
    const { result } = await client.simulateContract({
      ...simulate(),
      functionName: 'aggregate',
      args: [[good, good]],
    })
    expect(result[1]).toEqual([FEE, FEE])
    expect(await multicall.reverts(alice, 'aggregate', [[good, bad]])).toBe('Multicall3: call failed')
  })

  test('tryAggregate and aggregate3 tell failures where they may', async () => {
    const { client } = chain
    const tried = await client.simulateContract({
      ...simulate(),
      functionName: 'tryAggregate',
      args: [false, [bad, good]],
    })
    expect(tried.result.map(({ success }) => success)).toEqual([false, true])
    expect(await multicall.reverts(alice, 'tryAggregate', [true, [bad]])).toBe('Multicall3: call failed')
    const calls = [
      { ...bad, allowFailure: true },
      { ...good, allowFailure: false },
    ]
    const third = await client.simulateContract({ ...simulate(), functionName: 'aggregate3', args: [calls] })
    expect(third.result[1]).toEqual({ success: true, returnData: FEE })
    expect(third.result[0]?.success).toBe(false)
    const strict = [{ ...bad, allowFailure: false }]
    expect(await multicall.reverts(alice, 'aggregate3', [strict])).toBe('Multicall3: call failed')
  })

  test('blockAndAggregate and tryBlockAndAggregate add the block', async () => {
    const data = encodeFunctionData({ ...multicall, functionName: 'blockAndAggregate', args: [[good]] })
    const { data: answer = '0x' } = await chain.client.call({ to: multicall.address, data })
    const [number, hash, results] = decodeFunctionResult({
      ...multicall,
      functionName: 'blockAndAggregate',
      data: answer,
    })
    expect(number).toBe(await chain.client.getBlockNumber())
    expect(hash).toBe(zeroHash)
    expect(results).toEqual([{ success: true, returnData: FEE }])
    expect(await multicall.reverts(alice, 'tryBlockAndAggregate', [true, [bad]])).toBe(
      'Multicall3: call failed',
    )
  })

  test('aggregate3Value passes value on, all of it or none', async () => {
    const calls = [{ target: bob, allowFailure: false, value: 3n, callData: '0x' as const }]
    const request = { ...simulate(alice, 3n), functionName: 'aggregate3Value', args: [calls] } as const
    const { result } = await chain.client.simulateContract(request)
    expect(result).toEqual([{ success: true, returnData: '0x' }])
    await expect(chain.client.simulateContract({ ...request, value: 4n })).rejects.toThrow('value mismatch')
  })

  test('tells the block and balances', async () => {
    const { client } = chain
    const block = await client.getBlock()
    expect(await multicall.read('getBlockNumber', [])).toBe(block.number)
    expect(await multicall.read('getCurrentBlockTimestamp', [])).toBe(block.timestamp)
    expect(await multicall.read('getCurrentBlockGasLimit', [])).toBe(block.gasLimit)
    expect(await multicall.read('getLastBlockHash', [])).toBe(block.parentHash)
    expect(await multicall.read('getBlockHash', [0n])).toMatch(/^0x[0-9a-f]{64}$/)
    expect(await multicall.read('getChainId', [])).toBe(31_337n)
    expect(await multicall.read('getEthBalance', [bob])).toBe(await client.getBalance({ address: bob }))
    expect(typeof (await multicall.read('getBasefee', []))).toBe('bigint')
    expect(await multicall.read('getCurrentBlockCoinbase', [])).toBe(block.miner)
    expect(typeof (await multicall.read('getCurrentBlockDifficulty', []))).toBe('bigint')
  })
})
