import { inspectContract } from '@remit/engine/chain/inspectContract'
import { BlockHeader } from '@remit/engine/head/blockHeader'
import { GAS_PRICE_ORACLE } from '@remit/engine/proof/gasL1'
import { NodeBytes, Quantity } from '@remit/engine/rpc/quantity'
import { refusalIn } from '@remit/engine/rpc/refusal'
import { numberToHex } from 'viem'
import * as z from 'zod'
import { duration } from '../../history/status/backfillPlan.ts'
import type { CheckName } from '../consequences.ts'
import { type Check, count, type ExaminedNode, type Finding, type State, unanswered } from '../Finding.ts'

/** An address without code, over which code is laid. */
export const EMPTY = '0x00000000000000000000000000000000d0c70000'
/** Returns 42. */
const FORTY_TWO = '0x602a60005260206000f3'

/** Asks a question whose answer does not matter. */
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

/** The age of the newest block. A development chain stands still between transactions. */
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
