import { PlacedLog } from '@remit/engine/indexing/nodeAnswers'
import { isRangeRefusal, suggestedTo } from '@remit/engine/rpc/limits/logsRefusal'
import { RpcResponseError } from '@remit/engine/rpc/refusal'
import { HISTORY_TOPICS } from '@remit/protocol/logs/wantedLogs'
import { numberToHex } from 'viem'
import * as z from 'zod'
import {
  type Check,
  count,
  type ExaminedNode,
  type Finding,
  isLimited,
  reasonOf,
  unanswered,
} from '../Finding.ts'

const BATCHES = [3, 10, 40]
const RANGES = [10, 100, 500, 1_000, 2_000, 10_000, 50_000, 200_000]
/** Below this, the first reading of Base takes more than ten thousand requests. */
const FEW_BLOCKS = 2_000

const batch: Check = async ({ node }) => {
  let [most, why, isUnknown] = [1, '', false]
  for (const size of BATCHES) {
    try {
      if ((await node.batch(size, 'eth_blockNumber', [])) < size) break
      most = size
    } catch (error) {
      isUnknown = isLimited(error)
      why = isUnknown ? ' (more was not found out)' : ` (${size} are ${reasonOf(error)})`
      break
    }
  }
  const state = most >= 40 ? 'good' : most >= 10 || isUnknown ? 'note' : 'poorer'
  const fact = most >= 40 ? `${most} or more` : `${most === 1 ? 'none' : most}${why}`
  return { check: 'batch', state, fact, value: most }
}

/** Asks for logs of the chain’s past, in ranges that grow until the node refuses. */
const logRange: Check = async (examined) => {
  const { entry, head } = examined
  const all = head.number - entry.firstBlock + 1
  let best: { blocks: number; ms: number } | undefined
  let refusal: unknown
  for (const blocks of [...RANGES.filter((size) => size < all), Math.min(all, 200_000)]) {
    const begun = performance.now()
    try {
      await readLogs(examined, blocks)
      best = { blocks, ms: performance.now() - begun }
    } catch (error) {
      refusal = error
      best = (await readSuggested(examined, error, blocks, best?.blocks ?? 0)) ?? best
      break
    }
    // Longer ranges would only take longer.
    if (best.ms > 5_000) break
  }
  if (best === undefined) return unanswered('pastLogs', 'bad', refusal)
  const { blocks, ms } = best
  const isAll = blocks >= Math.min(all, 200_000)
  const more = blocks >= all ? ' (all there are)' : isAll ? ' or more' : ''
  const fact = `${count(blocks)}${more}, in ${Math.round(ms)} ms`
  const state = isAll || blocks >= FEW_BLOCKS ? 'good' : isLimited(refusal) ? 'note' : 'poorer'
  const found: Finding[] = [
    { check: 'logRange', state, fact, value: blocks, ms: Math.round(ms) },
    { check: 'pastLogs', state: 'good', fact: `yes, from block ${count(entry.firstBlock)}` },
  ]
  return found
}

/** What the node says that it would answer. */
async function readSuggested(examined: ExaminedNode, error: unknown, asked: number, known: number) {
  if (!(error instanceof RpcResponseError) || !isRangeRefusal(error)) return undefined
  const { firstBlock } = examined.entry
  const to = suggestedTo(error, firstBlock, firstBlock + asked - 1)
  const blocks = to === undefined ? 0 : to - firstBlock + 1
  if (blocks <= known) return undefined
  const begun = performance.now()
  return readLogs(examined, blocks).then(
    () => ({ blocks, ms: performance.now() - begun }),
    () => undefined,
  )
}

async function readLogs({ node, entry }: ExaminedNode, blocks: number): Promise<void> {
  const range = {
    fromBlock: numberToHex(entry.firstBlock),
    toBlock: numberToHex(entry.firstBlock + blocks - 1),
  }
  const filter = { address: entry.contractAddress, topics: [HISTORY_TOPICS], ...range }
  await node.request('eth_getLogs', [filter], z.array(PlacedLog))
}

const receipts: Check = async ({ node, head }) => {
  try {
    await node.request('eth_getBlockReceipts', [numberToHex(head.number)], z.array(z.unknown()))
    return { check: 'receipts', state: 'good', fact: 'yes' }
  } catch (error) {
    return unanswered('receipts', 'note', error)
  }
}

export const FILLING: readonly Check[] = [batch, logRange, receipts]
