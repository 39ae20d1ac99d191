import { useNodeGround } from '@remit/testing/support/nodes/useNodeGround'
import { numberToHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { UpstreamError } from '../errors/chain.ts'

const { chain, first, nodesOf, headerAt, signal } = await useNodeGround()

describe('receipts', () => {
  it.each([
    ['of the whole block', undefined],
    [
      'one by one if the node has no method for a whole block',
      {
        refuse: ({ method }: { method: string }) =>
          method === 'eth_getBlockReceipts'
            ? { error: { code: -32601, message: 'the method does not exist' } }
            : undefined,
      },
    ],
  ])('give the block’s logs, %s', async (_, fault) => {
    first.fail(fault)
    const node = nodesOf([first.url])
    const head = Number(await chain.client.getBlockNumber())
    const { logs } = await node.logs({ from: 1, to: head, headers: [] }, signal)
    const block = logs.at(-1)?.blockNumber ?? 0
    const receipts = await node.receiptLogs(await headerAt(block), signal)
    expect(receipts.fitBloom).toBe(true)
    const ours = logs.filter(({ blockNumber }) => blockNumber === block)
    expect(receipts.logs).toEqual(expect.arrayContaining(ours))
  })

  it('with logs left out do not fit the bloom', async () => {
    first.fail({ alter: ({ method }, result) => (method === 'eth_getBlockReceipts' ? [] : result) })
    const node = nodesOf([first.url])
    const { logs } = await node.logs({ from: 1, to: 12, headers: [] }, signal)
    const header = await headerAt(logs[0]?.blockNumber ?? 0)
    expect(await node.receiptLogs(header, signal)).toEqual({ logs: [], fitBloom: false })
  })

  it('of another block in its place are refused', async () => {
    const gone = { ...(await headerAt(5)), hash: `0x${'ee'.repeat(32)}` as const }
    await expect(nodesOf([first.url]).receiptLogs(gone, signal)).rejects.toThrow(UpstreamError)
  })

  it('whose logs are placed in another block do not fit it, and those of a transaction are left out', async () => {
    const node = nodesOf([first.url])
    const [log] = (await node.logs({ from: 1, to: 12, headers: [] }, signal)).logs
    if (log === undefined) throw new Error('there is no log')
    const header = await headerAt(log.blockNumber)
    const later = numberToHex(log.blockNumber + 1)
    const moved = (value: unknown): unknown =>
      JSON.parse(
        JSON.stringify(value, (_, inner: unknown) =>
          isLog(inner) ? { ...inner, blockNumber: later } : inner,
        ),
      )
    first.fail({ alter: ({ method }, result) => (/Receipt/.test(method) ? moved(result) : result) })
    expect(await node.receiptLogs(header, signal)).toMatchObject({ fitBloom: false })
    expect(await node.transactionLogs([log.transactionHash], signal)).toEqual(new Map())
  })
})

function isLog(value: unknown): value is object {
  return typeof value === 'object' && value !== null && 'topics' in value
}

describe('the logs of transactions', () => {
  it('are all of their receipts, and transactions that are not there are left out', async () => {
    const node = nodesOf([first.url])
    const { logs } = await node.logs({ from: 1, to: 12, headers: [] }, signal)
    const hashes = [...new Set(logs.map(({ transactionHash }) => transactionHash))]
    const found = await node.transactionLogs([...hashes, `0x${'ee'.repeat(32)}`], signal)
    expect([...found.keys()]).toEqual(hashes)
    const all = [...found.values()].flat()
    expect(all).toEqual(expect.arrayContaining([...logs]))
    // Transfers of tokens are among them.
    expect(all.length).toBeGreaterThan(logs.length)
  })

  it('that are too many bytes together are asked for fewer at a time', async () => {
    const node = nodesOf([first.url])
    const { logs } = await node.logs({ from: 1, to: 12, headers: [] }, signal)
    const hashes = [...new Set(logs.map(({ transactionHash }) => transactionHash))].slice(0, 3)
    const whole = await node.transactionLogs(hashes, signal)
    first.fail({
      alter: ({ method }, result) =>
        method === 'eth_getTransactionReceipt'
          ? { ...Object(result), logsBloom: 'f'.repeat(9 * 1024 * 1024) }
          : result,
    })
    expect(await node.transactionLogs(hashes, signal)).toEqual(whole)
  })
})
