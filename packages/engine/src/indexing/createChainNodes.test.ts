import { protocolOn } from '@remit/testing/support/chain/protocolOn'
import { useNodeGround } from '@remit/testing/support/nodes/useNodeGround'
import { erc20Abi } from 'viem'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { UpstreamError } from '../errors/chain.ts'
import { BlockGoneError } from '../ports/chains.ts'
import { NodeLagsError, RangeRefusedError } from '../ports/nodes.ts'

const { chain, life, first, second, nodesOf, headerAt, signal } = await useNodeGround()

const refusing = (refused: string, message: string, code = -32601) => ({
  refuse: ({ method }: { method: string }) => (method === refused ? { error: { code, message } } : undefined),
})

describe('logs', () => {
  it('come with headers and what is final from one node, in one HTTP request', async () => {
    const node = nodesOf([first.url, second.url])
    await node.headers([0], signal)
    first.reset()
    const range = { from: 1, to: 10, headers: Array.from({ length: 38 }, (_, index) => index) }
    const { logs, headers, finalizedBlock } = await node.logs(range, signal)
    expect(first.requests.length).toBe(1)
    expect(second.requests).toEqual([])
    expect(logs.length).toBeGreaterThan(0)
    const head = Number(await chain.client.getBlockNumber())
    expect(headers.map((header) => header?.number)).toEqual(
      range.headers.map((number) => (number > head ? undefined : number)),
    )
    expect(finalizedBlock).toBe(Number((await chain.client.getBlock({ blockTag: 'finalized' })).number))
  })

  it('and their headers come from one node: if one part fails, all of it is asked of the next node', async () => {
    first.fail(refusing('eth_getLogs', 'not here'))
    const node = nodesOf([first.url, second.url])
    await node.logs({ from: 1, to: 5, headers: [0, 5] }, signal)
    expect(second.requests.at(-1)?.filter((method) => method === 'eth_getBlockByNumber').length).toBe(3)
  })

  it('that are marked as removed are left out, and among final blocks they are no answer', async () => {
    const node = nodesOf([first.url])
    const range = { from: 1, to: 10, headers: [] }
    const { logs } = await node.logs(range, signal)
    const Rows = z.array(z.looseObject({}))
    const withRemoved = (change: object) =>
      first.fail({
        alter: ({ method }, result) =>
          method === 'eth_getLogs'
            ? Rows.parse(result).flatMap((row) => [
                { ...row, ...change, removed: true },
                { ...row, removed: false },
              ])
            : result,
      })
    withRemoved({ blockNumber: '0xffffff' })
    const kept = await node.logs(range, signal)
    expect(kept.logs.map(({ logIndex }) => logIndex)).toEqual(logs.map(({ logIndex }) => logIndex))
    withRemoved({})
    await expect(node.logs(range, signal)).rejects.toThrow(UpstreamError)
  })

  it('are asked of one node alone where it is named', async () => {
    const node = nodesOf([first.url, second.url])
    await node.logs({ from: 1, to: 5, headers: [], node: 1 }, signal)
    expect(first.requests).toEqual([])
    second.fail({ status: 500 })
    await expect(node.logs({ from: 1, to: 5, headers: [], node: 1 }, signal)).rejects.toThrow(UpstreamError)
    expect(first.requests).toEqual([])
    expect(node.working()).toEqual([0])
  })

  it('of a range that no node answers are refused, with the range that the node suggests', async () => {
    const node = nodesOf([first.url])
    first.fail(refusing('eth_getLogs', 'Try with this block range [0x1, 0x4].', -32005))
    const refused = node.logs({ from: 1, to: 9, headers: [] }, signal)
    await expect(refused).rejects.toThrow(RangeRefusedError)
    await expect(refused).rejects.toMatchObject({ suggestedTo: 4 })
    first.fail(refusing('eth_getLogs', 'whatever', -32099))
    await expect(node.logs({ from: 1, to: 9, headers: [] }, signal)).rejects.toThrow(RangeRefusedError)
  })

  it('of too long a range are refused, and how many blocks the node gives is known then', async () => {
    const node = nodesOf([first.url])
    expect(node.mostBlocks(undefined)).toBeUndefined()
    first.fail(refusing('eth_getLogs', 'exceed maximum block range: 3', -32701))
    await expect(node.logs({ from: 1, to: 9, headers: [] }, signal)).rejects.toThrow(RangeRefusedError)
    expect(node.mostBlocks(0)).toBe(4)
  })

  it('that the node has no longer are its failure, and no range that is too long', async () => {
    const node = nodesOf([first.url])
    first.fail(refusing('eth_getLogs', 'Pruned history unavailable', 4444))
    await expect(node.logs({ from: 1, to: 9, headers: [] }, signal)).rejects.toThrow(UpstreamError)
    expect(node.mostBlocks(0)).toBeUndefined()
  })

  it('that are too many bytes are refused as well, and the node does not count as failed', async () => {
    first.fail({
      alter: ({ method }, result) => (method === 'eth_getLogs' ? 'f'.repeat(17 * 1024 * 1024) : result),
    })
    const node = nodesOf([first.url])
    await expect(node.logs({ from: 1, to: 9, headers: [] }, signal)).rejects.toThrow(RangeRefusedError)
    expect(node.working()).toEqual([0])
  })

  it('of blocks that one node does not have yet are asked of the next node, and then waited for', async () => {
    first.fail(refusing('eth_getLogs', 'block range extends beyond current head block', -32000))
    const node = nodesOf([first.url, second.url])
    await node.logs({ from: 1, to: 9, headers: [] }, signal)
    second.fail(refusing('eth_getLogs', 'One of the blocks specified in filter cannot be found', -32000))
    await expect(node.logs({ from: 1, to: 9, headers: [] }, signal)).rejects.toThrow(NodeLagsError)
  })
})

it.each([
  ['0x7fffffff', 1],
  ['0x80000000', 0],
])('a log with the index %s is read %i times: the store holds no larger one', async (logIndex, times) => {
  const node = nodesOf([first.url])
  const [log] = (await node.logs({ from: 1, to: 12, headers: [] }, signal)).logs
  const { address, topics = [], data } = log ?? {}
  const raw = {
    address,
    topics,
    data,
    logIndex,
    blockNumber: '0x1',
    blockHash: topics[0],
    transactionHash: topics[0],
  }
  first.fail({ alter: ({ method }, result) => (method === 'eth_getLogs' ? [raw] : result) })
  const found = await node.logs({ from: 1, to: 1, headers: [] }, signal).catch((error: unknown) => {
    if (error instanceof UpstreamError) return { logs: [] }
    throw error
  })
  expect(found.logs).toHaveLength(times)
})

describe('what is final', () => {
  it('goes by depth if no node names it', async () => {
    first.fail({
      refuse: ({ method, params }) =>
        method === 'eth_getBlockByNumber' && params[0] === 'finalized'
          ? { error: { code: -32602, message: 'no such tag' } }
          : undefined,
    })
    const { head, finalizedBlock } = await nodesOf([first.url]).head(signal)
    expect(finalizedBlock).toBe(head.number - 5)
    expect(head.hash).toBe((await chain.client.getBlock()).hash)
  })

  it('is never above the head', async () => {
    first.fail({
      alter: ({ params }, result) =>
        params[0] === 'finalized' ? { ...Object(result), number: '0x3b9aca00' } : result,
    })
    const node = nodesOf([first.url])
    const { head, finalizedBlock } = await node.head(signal)
    expect(finalizedBlock).toBe(head.number)
    expect(await node.logs({ from: 1, to: 5, headers: [] }, signal)).toMatchObject({ finalizedBlock })
  })
})

it('headers of blocks that are not there are left out, and the header of another block is refused', async () => {
  const node = nodesOf([first.url])
  expect((await node.headers([1, 999_999], signal)).map((header) => header?.number)).toEqual([1, undefined])
  first.fail({
    alter: ({ method, params }, result) =>
      method === 'eth_getBlockByNumber' && params[0] === '0x3'
        ? { ...Object(result), number: '0x2' }
        : result,
  })
  await expect(node.headers([3], signal)).rejects.toThrow(UpstreamError)
})

it('what accounts held is read in the block before, with the decimals that the contract has', async () => {
  const node = nodesOf([first.url])
  const [account] = life.people
  if (account === undefined) throw new Error('there is nobody')
  const { usdc: token } = chain.tokens
  const head = await chain.client.getBlockNumber()
  const header = await headerAt(Number(head))
  const [held] = await node.holdingsBefore(header, [{ token, account }], signal)
  const at = { address: token, abi: erc20Abi, blockNumber: head - 1n } as const
  expect(held?.balance).toBe(
    await chain.client.readContract({ ...at, functionName: 'balanceOf', args: [account] }),
  )
  const unknown = chain.contract
  expect(await node.tokenDecimals([token, unknown], header, signal)).toEqual(new Map([[token, 6]]))
  const gone = { ...header, hash: `0x${'ee'.repeat(32)}` as const }
  await expect(node.holdingsBefore(gone, [{ token, account }], signal)).rejects.toThrow(BlockGoneError)
})

describe('schedules', () => {
  it.each([
    ['by the block’s hash', undefined],
    [
      'by its number if the node takes no hash',
      {
        refuse: ({ method, params }: { method: string; params: readonly unknown[] }) =>
          method === 'eth_call' && typeof params[1] === 'object'
            ? { error: { code: -32602, message: 'invalid block' } }
            : undefined,
      },
    ],
  ])('are read %s, and unknown ids are left out', async (_, fault) => {
    first.fail(fault)
    const { read } = protocolOn(chain)
    const head = await headerAt(Number(await chain.client.getBlockNumber()))
    const unknown = `0x${'99'.repeat(32)}` as const
    const found = await nodesOf([first.url]).schedules([...life.ids, unknown], head, signal)
    expect([...found.keys()]).toEqual([...life.ids])
    for (const [id, { frequency, dueDay }] of found) {
      const [, , , , , expectedFrequency, expectedDay] = await read('idSubMap', [id])
      expect([frequency, dueDay]).toEqual([expectedFrequency, expectedDay])
    }
  })

  it('of a block that is gone, or of a state without the contract, are an error', async () => {
    const node = nodesOf([first.url])
    const head = await headerAt(5)
    const gone = { ...head, hash: `0x${'ee'.repeat(32)}` as const }
    await expect(node.schedules(life.ids, gone, signal)).rejects.toThrow(BlockGoneError)
    await expect(node.schedules(life.ids, await headerAt(0), signal)).rejects.toThrow(BlockGoneError)
  })
})
