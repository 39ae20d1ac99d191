import { block, hashOf } from '@remit/testing/support/history/fakeChain'
import { contract, period, usdc } from '@remit/testing/support/models/paymentLogs'
import { pad } from 'viem'
import { expect, it } from 'vitest'
import type { ChainNodes, NodeLog } from '../../ports/nodes.ts'
import type { Step } from '../../ports/source.ts'
import { toEvents } from '../logs/decodeLogs.ts'
import { PaymentReader } from './PaymentReader.ts'

const TRANSACTION = pad('0x7a')
const { signal } = new AbortController()
const logs: readonly NodeLog[] = period().map((log, logIndex) => ({
  ...log,
  ...{ blockNumber: 50, blockHash: hashOf(50), transactionHash: TRANSACTION, logIndex },
}))
const own = toEvents(logs.filter(({ address }) => address === contract).slice(1))
const step: Step = {
  ancestor: block(40),
  to: block(60),
  finalizedBlock: 60,
  events: own,
  blocks: [block(60)],
}

/** Two nodes, of which each gives these logs of the transaction. */
function reading(first: readonly NodeLog[], second: readonly NodeLog[], { events } = step) {
  const nodes: Partial<ChainNodes> = {
    ...{ chainId: 1, contract, working: () => [0, 1] },
    head: async () => ({ head: block(100), finalizedBlock: 60 }),
    tokenDecimals: async () => new Map([[usdc, 6]]),
    transactionLogs: async (_hashes, _signal, asked) =>
      new Map([[TRANSACTION, asked === 0 ? first : second]]),
  }
  // Safe: nothing else of a node is asked for payments that were not dropped.
  return new PaymentReader(nodes as ChainNodes).read({ ...step, events }, signal)
}

it('places a payment where its events are, whatever one node says of the logs between them', async () => {
  const [first, ...rest] = logs.map((log) => ({ ...log }))
  if (first === undefined) throw new Error('a period has logs')
  const moved = [{ ...first, blockNumber: 1_000_000_000 }, ...rest]
  expect(await reading(moved, logs)).toMatchObject([{ blockNumber: 50, blockHash: hashOf(50) }])
  await expect(reading(moved, moved)).rejects.toThrow(/no node has the receipts/)
})

it('believes neither of two nodes that name different hashes of a block that the step has no hash of', async () => {
  const events = own.map(({ blockHash: _, ...event }) => event)
  const elsewhere = logs.map((log) => ({ ...log, blockHash: hashOf(51) }))
  expect(await reading(logs, logs, { ...step, events })).toMatchObject([{ blockHash: hashOf(50) }])
  await expect(reading(elsewhere, logs, { ...step, events })).rejects.toThrow(/different receipts/)
})
