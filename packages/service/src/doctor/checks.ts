import { simulationAnswer, simulationRequest } from '@remit/engine/block/simulateV1'
import { inspectContract } from '@remit/engine/chain/inspectContract'
import { gasCapOf } from '@remit/engine/chain/registry'
import { BlockHeader } from '@remit/engine/head/blockHeader'
import { PlacedLog } from '@remit/engine/indexing/nodeLogs'
import { GAS_PRICE_ORACLE } from '@remit/engine/proof/gasL1'
import { gasLimitIn } from '@remit/engine/rpc/limits/limitIn'
import { isRangeRefusal, suggestedTo } from '@remit/engine/rpc/limits/logsRefusal'
import { NodeBytes, Quantity } from '@remit/engine/rpc/quantity'
import { RpcResponseError, refusalIn } from '@remit/engine/rpc/refusal'
import { PROBED_CALLS, REMIT_GAS } from '@remit/engine/simulation/simulationBudget'
import { HISTORY_TOPICS } from '@remit/protocol/logs/wantedLogs'
import { numberToHex } from 'viem'
import { WebSocket } from 'ws'
import * as z from 'zod'
import { duration } from '../history/status/backfill.ts'
import type { CheckName } from './consequences.ts'
import {
  type Check,
  count,
  type ExaminedNode,
  type Finding,
  isLimited,
  reasonOf,
  type State,
  unanswered,
} from './Finding.ts'
import { parseJson } from './RawNode.ts'

// The checks of the doctor: each asks one node one thing and says what it found. `examine.ts` runs them in the order of the three
// lists: READING (what reads and prepares need), SIMULATING, FILLING (what an index needs). Beside them: the head, new blocks.

/** An address without code. Checks have the node pretend that it has code ("state overrides"), which then shows what the node does. */
const EMPTY = '0x00000000000000000000000000000000d0c70000'
/** EVM code that returns 42. */
const FORTY_TWO = '0x602a60005260206000f3'

/**
 * Asks a question, and makes the finding: `good` with the text that it resolves with, or the finding that it resolves with.
 * @param without the state of the finding where the node refuses, or does not answer
 */
async function ask(
  check: CheckName,
  without: State,
  question: () => Promise<string | Finding>,
): Promise<Finding> {
  try {
    const found = await question()
    return typeof found === 'string' ? { check, state: 'good', fact: found } : found
  } catch (error) {
    return unanswered(check, without, error)
  }
}

/** Whether the configured contract is there and is the protocol's. */
export const checkContract: Check = ({ node, entry }) =>
  ask('contract', 'bad', async () => {
    const problem = await inspectContract(node, entry.contractAddress)
    if (problem === undefined) return entry.contractAddress
    return { check: 'contract', state: 'bad', fact: `${entry.contractAddress} ${problem}` }
  })

const finalized: Check = ({ node, entry, head }) =>
  ask('finalized', 'note', async () => {
    const [final, safe] = await Promise.all(
      ['finalized', 'safe'].map((tag) =>
        node.request('eth_getBlockByNumber', [tag, false], BlockHeader.nullable()).catch((error: unknown) => {
          if (refusalIn(error) === undefined) throw error
          return null
        }),
      ),
    )
    if (!final) {
      return {
        check: 'finalized',
        state: 'note',
        fact: `no; a block counts as final after ${count(entry.finalityDepth)} blocks`,
      }
    }
    const behind = (number: number) => `${count(head.number - number)} blocks behind`
    return `final: ${behind(final.number)} the newest${safe ? `; safe: ${behind(safe.number)}` : ''}`
  })

const blockHash: Check = ({ node, entry, head }) =>
  ask('blockHash', 'poorer', async () => {
    await node
      .request('eth_call', [{ to: entry.contractAddress, data: '0x' }, { blockHash: head.hash }], NodeBytes)
      .catch((error: unknown) => {
        // The contract refuses an empty call, which shows that it was run.
        if (refusalIn(error)?.kind !== 'reverted') throw error
      })
    return 'yes (EIP-1898)'
  })

const stateOverrides: Check = ({ node }) =>
  ask('stateOverrides', 'poorer', async () => {
    const params = [{ to: EMPTY, data: '0x' }, 'latest', { [EMPTY]: { code: FORTY_TWO } }]
    const answer = await node.request('eth_call', params, NodeBytes)
    if (answer !== '0x' && BigInt(answer) === 42n) return 'yes'
    return { check: 'stateOverrides', state: 'poorer', fact: 'takes them and ignores them' }
  })

const estimateGas: Check = ({ node }) =>
  ask('estimateGas', 'poorer', async () => {
    const gas = await node.request('eth_estimateGas', [{ from: EMPTY, to: EMPTY, value: '0x0' }], Quantity)
    return `yes (a transfer takes ${count(Number(gas))})`
  })

const feeHistory: Check = ({ node }) =>
  ask('feeHistory', 'bad', async () => {
    await node.request(
      'eth_feeHistory',
      ['0x5', 'latest', [50]],
      z.looseObject({ baseFeePerGas: z.array(Quantity) }),
    )
    return 'yes'
  })

const l1Fee: Check = async ({ node, entry }) => {
  if (!entry.opStack) return undefined
  return ask('l1Fee', 'bad', async () => {
    // getL1Fee(bytes) of no bytes.
    const data = `0x49948e0e${'20'.padStart(64, '0')}${'0'.repeat(64)}`
    const answer = await node.request('eth_call', [{ to: GAS_PRICE_ORACLE, data }, 'latest'], NodeBytes)
    if (answer.length === 66) return 'yes'
    return { check: 'l1Fee', state: 'bad', fact: 'the oracle has no code: this is no OP-stack chain' }
  })
}

const archive: Check = ({ node, entry, head }) =>
  ask('archive', 'note', async () => {
    const block = Math.min(head.number, entry.firstBlock + 1)
    await node.request('eth_getBalance', [EMPTY, numberToHex(block)], Quantity)
    return `yes (state of block ${count(block)})`
  })

export const READING: readonly Check[] = [
  checkContract,
  finalized,
  blockHash,
  stateOverrides,
  estimateGas,
  feeHistory,
  l1Fee,
  archive,
]

/** The finding about the newest block: older than a minute is poorer. @param nowSeconds unix time, by this machine's clock */
export function headFinding(
  { head }: Pick<ExaminedNode, 'head'>,
  latencyMs: number,
  nowSeconds: number,
): Finding {
  const age = Math.max(0, Math.round(nowSeconds - head.timestamp))
  const fact = `block ${count(head.number)}, ${duration(age)} old, answered in ${latencyMs} ms`
  const state = age <= 60 ? 'good' : 'poorer'
  return { check: 'head', state, fact, value: age }
}

/** Sizes of a batch that are tried, in this order. */
const BATCHES = [3, 10, 40]
/** The longest range of blocks that is tried in one eth_getLogs: a longer one is of no use. */
const LONGEST_RANGE = 200_000
/** The ranges that are tried, in this order. */
const RANGES = [10, 100, 500, 1_000, 2_000, 10_000, 50_000, LONGEST_RANGE]
/** After an answer that took so long, no longer range is tried. */
const SLOW_MS = 5_000
/** A node that grants fewer blocks at once is poorer: the first reading of Base would take more than ten thousand requests. */
const FEW_BLOCKS = 2_000

/** How many requests the node answers in one batch: 40 or more is good, 10 passes, less is poorer. */
const batch: Check = async ({ node }) => {
  let most = 1
  /** Why a larger batch was refused, in words that follow the number. */
  let why = ''
  let isUnknown = false
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

/**
 * Asks for logs from the contract's first block on, in ranges that grow until the node refuses, is slow, or has given all. Two findings:
 * the longest range (`logRange`), and whether it has logs that old at all (`pastLogs`).
 */
const logRange: Check = async (examined) => {
  const { entry, head } = examined
  const all = head.number - entry.firstBlock + 1
  let best: { blocks: number; ms: number } | undefined
  let refusal: unknown
  for (const blocks of [...RANGES.filter((size) => size < all), Math.min(all, LONGEST_RANGE)]) {
    const begun = performance.now()
    try {
      await readLogs(examined, blocks)
      best = { blocks, ms: performance.now() - begun }
    } catch (error) {
      refusal = error
      best = (await readSuggested(examined, error, blocks, best?.blocks ?? 0)) ?? best
      break
    }
    if (best.ms > SLOW_MS) break
  }
  if (best === undefined) return unanswered('pastLogs', 'bad', refusal)
  const { blocks, ms } = best
  const isAll = blocks >= Math.min(all, LONGEST_RANGE)
  const more = blocks >= all ? ' (all there are)' : isAll ? ' or more' : ''
  const fact = `${count(blocks)}${more}, in ${Math.round(ms)} ms`
  const lacking = isLimited(refusal) ? 'note' : 'poorer'
  const state = isAll || blocks >= FEW_BLOCKS ? 'good' : lacking
  const found: Finding[] = [
    { check: 'logRange', state, fact, value: blocks, ms: Math.round(ms) },
    { check: 'pastLogs', state: 'good', fact: `yes, from block ${count(entry.firstBlock)}` },
  ]
  return found
}

/** Reads as many blocks as the node's refusal says that it grants; `undefined` where it says nothing, or no more than is known. */
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

/** EVM code that returns the gas that it has left: nodes lower the gas of a call to their cap without saying so. */
const GAS_LEFT = '0x5a60005260206000f3'
/** With this gas for one call, every read fits: that of a long list takes less. */
const ENOUGH_CALL_GAS = 25_000_000
/** The gas of a simulation, tried one after the other until the node takes one. The last is the most that a transaction may have. */
const SIMULATION_GAS = [50_000_000, 30_000_000, 25_000_000, 16_777_216]

/**
 * How much gas the node gives one call. It asks for far more than is needed, and has the call return what it got. Where the node refuses
 * that much, its refusal may name the most; else three smaller amounts are tried.
 */
const callGas: Check = async ({ node }) => {
  // More than any node is expected to grant.
  const asked = 200_000_000
  /** The gas that a call is given if this much is asked for. */
  const given = async (gas: number) => {
    const call = { to: EMPTY, data: '0x', gas: numberToHex(gas) }
    const left = await node.request('eth_call', [call, 'latest', { [EMPTY]: { code: GAS_LEFT } }], NodeBytes)
    if (left === '0x') throw new RpcResponseError({ code: 0, message: 'no state overrides' })
    // The call itself costs 21,000 before its code begins, and the instruction that reads the rest costs 2.
    return Math.min(gas, Number(BigInt(left)) + 21_002)
  }
  try {
    return callGasFinding(await given(asked), asked)
  } catch (error) {
    const granted = error instanceof RpcResponseError ? gasLimitIn(error) : undefined
    if (granted) return callGasFinding(granted, asked)
    for (const gas of [50_000_000, ENOUGH_CALL_GAS, 10_000_000]) {
      const got = await given(gas).catch(() => undefined)
      if (got !== undefined) return callGasFinding(got, asked)
    }
    return { check: 'callGas', state: 'note', fact: `not found out (${reasonOf(error)})` }
  }
}

function callGasFinding(gas: number, asked: number): Finding {
  const state = gas >= ENOUGH_CALL_GAS ? 'good' : 'poorer'
  return { check: 'callGas', state, fact: gas >= asked ? `${count(asked)} or more` : count(gas), value: gas }
}

const simulateV1: Check = async (examined) => {
  try {
    const [call] = await simulate(examined, 1, 1_000_000n)
    if (call !== true) {
      return {
        check: 'simulateV1',
        state: 'poorer',
        fact: 'takes simulations and does not run lent code in them',
      }
    }
  } catch (error) {
    return unanswered('simulateV1', 'poorer', error)
  }
  return [{ check: 'simulateV1', state: 'good', fact: 'yes' }, await simulationGas(examined)]
}

/** How much gas one simulation may have. A forecast of remit simulates PROBED_CALLS transactions at once. */
async function simulationGas(examined: ExaminedNode): Promise<Finding> {
  const one = gasCapOf(examined.entry) ?? REMIT_GAS
  const wanted = Number(one) * PROBED_CALLS
  for (const gas of [wanted, ...SIMULATION_GAS]) {
    const calls = Math.max(1, Math.floor(gas / Number(one)))
    try {
      await simulate(examined, calls, BigInt(Math.floor(gas / calls)))
      const state = gas >= wanted ? 'good' : 'poorer'
      const fact =
        gas >= wanted ? count(gas) : `${count(gas)} of ${count(wanted)} that a long forecast asks for`
      return { check: 'simulationGas', state, fact, value: gas }
    } catch (error) {
      // A node that does not answer any more would not answer less either.
      if (!(error instanceof RpcResponseError)) return unanswered('simulationGas', 'poorer', error)
    }
  }
  const fact = `less than ${count(SIMULATION_GAS.at(-1) ?? 0)}, the most gas of one transaction`
  return { check: 'simulationGas', state: 'poorer', fact }
}

/** Simulates calls of code that returns the block's time. @returns of each whether it returned the simulated one @param gas of each call */
async function simulate({ node, head }: ExaminedNode, count: number, gas: bigint): Promise<boolean[]> {
  const time = head.timestamp + 60
  const calls = Array.from({ length: count }, () => ({ from: EMPTY, to: EMPTY, data: '0x', gas }) as const)
  const request = simulationRequest(calls, { number: numberToHex(head.number + 1), time: numberToHex(time) })
  const blockStateCalls = request.blockStateCalls.map((block) => ({
    ...block,
    // EVM code that returns the block’s time.
    stateOverrides: { [EMPTY]: { code: '0x4260005260206000f3' } },
  }))
  const params = [{ ...request, blockStateCalls }, numberToHex(head.number)]
  const answers = await node.request('eth_simulateV1', params, simulationAnswer(calls))
  return answers.calls.map(({ returnData }) => returnData !== '0x' && BigInt(returnData) === BigInt(time))
}

export const SIMULATING: readonly Check[] = [callGas, simulateV1]

/** Blocks of most chains come within this time. */
const WAIT_MS = 15_000

const Notification = z.object({
  method: z.literal('eth_subscription'),
  params: z.object({ result: BlockHeader }),
})
const Refusal = z.object({ error: z.object({ code: z.number() }) })

/** Whether a WebSocket URL announces new blocks: subscribes, and waits for one. Never throws. */
export async function checkNewHeads(url: string, waitMs = WAIT_MS): Promise<Finding> {
  const failed = (fact: string): Finding => ({ check: 'newHeads', state: 'poorer', fact })
  const socket = new WebSocket(url, { handshakeTimeout: waitMs, maxPayload: 1024 * 1024 })
  try {
    return await new Promise<Finding>((resolve) => {
      const timer = setTimeout(() => resolve(failed(`no block within ${waitMs / 1_000} s`)), waitMs)
      const end = (finding: Finding) => {
        clearTimeout(timer)
        resolve(finding)
      }
      socket.on('error', () => end(failed('cannot be connected to')))
      socket.on('close', () => end(failed('closes the connection')))
      socket.on('open', () => {
        socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }))
      })
      socket.on('message', (data) => {
        const message = parseJson(String(data))
        const refusal = Refusal.safeParse(message)
        if (refusal.success) end(failed(`refuses eth_subscribe (code ${refusal.data.error.code})`))
        const head = Notification.safeParse(message)
        if (!head.success) return
        end({ check: 'newHeads', state: 'good', fact: `yes, block ${count(head.data.params.result.number)}` })
      })
    })
  } finally {
    socket.terminate()
  }
}
