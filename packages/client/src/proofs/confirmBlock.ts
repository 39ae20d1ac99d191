import type { Proven } from '@remit/protocol/inclusion/merkleProof'
import { ProofRefusedError } from '@remit/protocol/inclusion/ProofRefusedError'
import { http, numberToHex } from 'viem'
import { isRecord } from '../call/isRecord.ts'
import { askableNode, type OwnNode } from '../node/OwnNode.ts'

const TRIES = 4
const PAUSE_MS = 700

/** How a proven block stands on the chain of one's own node. */
export interface BlockStanding {
  /** Whether it can no longer be replaced; false too where the node names no final block. */
  readonly isFinal: boolean
  /** By how many seconds the node's newest block is newer. */
  readonly ageSeconds: number
}

/**
 * Asks one's own node, or a light client, the one thing that a proof leaves open: whether its block is on the chain.
 *
 * @param node its URL, or what has `request`, as wallets and light clients do (EIP-1193)
 * @throws ProofRefusedError where the node is on another chain, or has no such block there
 * @throws what the node fails with
 *
 * @example
 * import { confirmBlock, verifyPaymentProof } from '@remit/client/proofs'
 *
 * const proven = verifyPaymentProof(proof, { blockHash: proof.blockHash })
 * const { isFinal } = await confirmBlock('https://base.example', proven)
 */
export async function confirmBlock(node: OwnNode, { chainId, block }: Proven): Promise<BlockStanding> {
  const ask = askingOf(node)
  const byHash = await untilThere(() => ask('eth_getBlockByHash', [block.hash, false]))
  const [isOn, byNumber, newest, final] = await Promise.all([
    ask('eth_chainId', []),
    ask('eth_getBlockByNumber', [numberToHex(block.number), false]),
    ask('eth_getBlockByNumber', ['latest', false]),
    ask('eth_getBlockByNumber', ['finalized', false]).catch(() => null),
  ])
  if (Number(isOn) !== chainId)
    throw new ProofRefusedError(
      `The node is on chain ${Number(isOn)}, and the proof is about chain ${chainId}.`,
    )
  // A node also knows blocks that were replaced.
  if (!isRecord(byHash) || !isRecord(byNumber) || byNumber.hash !== block.hash)
    throw new ProofRefusedError(`The node has no block ${block.hash} on its chain.`)
  if (!isRecord(newest)) throw new ProofRefusedError('The node has no newest block.')
  return {
    ageSeconds: Number(newest.timestamp) - block.timestamp,
    isFinal: isRecord(final) && Number(final.number) >= block.number,
  }
}

/** The node may be some seconds behind the one that the proof was made at. */
async function untilThere(ask: () => Promise<unknown>): Promise<unknown> {
  for (let tries = 1; ; tries += 1) {
    const found = await ask()
    if (isRecord(found) || tries === TRIES) return found
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
}

/** What asks one's own node. */
export function askingOf(node: OwnNode): (method: string, params: readonly unknown[]) => Promise<unknown> {
  const askable = askableNode(node)
  if (typeof askable === 'function') return (method, params) => askable({ method, params })
  const { request } = http(askable)({})
  return (method, params) => request({ method, params })
}
