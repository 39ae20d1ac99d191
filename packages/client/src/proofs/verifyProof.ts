import {
  type ProvenMembership,
  verifyMembershipProof as verifyMembership,
} from '@remit/protocol/inclusion/membershipProof'
import type { Proven } from '@remit/protocol/inclusion/merkleProof'
import { ProofRefusedError } from '@remit/protocol/inclusion/ProofRefusedError'
import {
  type ProvenPayment,
  verifyPaymentProof as verifyPayment,
} from '@remit/protocol/inclusion/paymentProof'
import { type Address, type Hex, http, isAddressEqual, numberToHex } from 'viem'
import { isRecord } from '../call/isRecord.ts'
import { askableNode, type OwnNode } from '../node/OwnNode.ts'
import { findContract, KNOWN_CONTRACTS } from '../sending/check/findContract.ts'

/** What is known from somewhere else than the proof. */
export interface VerifyProofOptions {
  /** The hash of the block, from a node, a light client, or an explorer that you trust: `confirmBlock` asks a node. */
  readonly blockHash: Hex
  /** Where the protocol's contract is, by chain id, as for `createClient`. Base and Base Sepolia are built in. */
  readonly contracts?: Readonly<Record<number, Address>> | undefined
}

/** The protocol's contract on the chain that a proof names. Throws ProofRefusedError. */
function knownContract(proof: unknown, { contracts }: VerifyProofOptions): Address {
  const chainId = isRecord(proof) ? Number(proof.chainId) : 0
  const contract = findContract(chainId, contracts)
  if (contract === undefined)
    throw new ProofRefusedError(
      `Where the protocol’s contract is on chain ${chainId} is not known: give it by contracts.`,
    )
  return contract
}

/**
 * Checks the proof of a payment without asking anybody: the header hashes to the block's hash, the receipt is under the header's
 * root, and its logs say this payment, by the protocol's rules.
 *
 * Whether that block is on the chain is for you to know. Not proven: the token's symbol and decimals, the hash of the transaction,
 * and, but for the block's hash, on which chain it is.
 *
 * @param proof the `proof` of getPayment, or the file of a receipt's page, as it came
 * @throws ProofRefusedError where anything of it does not fit, and for a chain whose contract is neither built in nor given
 *
 * @example
 * import { readFileSync } from 'node:fs'
 * import { verifyPaymentProof } from '@remit/client/proofs'
 *
 * const kept: unknown = JSON.parse(readFileSync('payment.json', 'utf8'))
 * const { payment, block } = verifyPaymentProof(kept, { blockHash })
 * console.log(`${payment.subscriber} paid ${payment.charged} of ${payment.token} in block ${block.number}`)
 */
export function verifyPaymentProof(proof: unknown, options: VerifyProofOptions): ProvenPayment {
  return verifyPayment(proof, { blockHash: options.blockHash, contract: knownContract(proof, options) })
}

/**
 * Checks whether somebody was a member at a block, and by which terms, as `verifyPaymentProof` does: from the contract's own
 * storage under the block's state root.
 *
 * @param proof the `proof` of getMembership, as it came
 * @throws ProofRefusedError as `verifyPaymentProof` does
 *
 * @example
 * import { verifyMembershipProof } from '@remit/client/proofs'
 *
 * const { proof } = await client.getMembership({ id, address: account, proof: true })
 * const { membership } = verifyMembershipProof(proof, { blockHash })
 * if (membership.isMember) console.log('let in')
 */
export function verifyMembershipProof(proof: unknown, options: VerifyProofOptions): ProvenMembership {
  const contract = knownContract(proof, options)
  // Any other contract is the reference contract, which `npm start` deploys and lays out its storage differently.
  const isLive = Object.values(KNOWN_CONTRACTS).some((known) => isAddressEqual(known, contract))
  const layout = isLive ? 'live' : 'reference'
  return verifyMembership(proof, { blockHash: options.blockHash, contract, layout })
}

/** A block is asked for so often, with this pause. */
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

/** Asks one's own node by JSON-RPC. */
export function askingOf(node: OwnNode): (method: string, params: readonly unknown[]) => Promise<unknown> {
  const askable = askableNode(node)
  if (typeof askable === 'function') return (method, params) => askable({ method, params })
  const { request } = http(askable)({})
  return (method, params) => request({ method, params })
}
