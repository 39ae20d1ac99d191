/** Answers of a service that are believed only as far as their proofs go: `client.verify`, and `getMembership` with `verify: 'state'`. */

import type { ProvenMembership } from '@remit/protocol/inclusion/membershipProof'
import type { Proven } from '@remit/protocol/inclusion/merkleProof'
import { ProofRefusedError } from '@remit/protocol/inclusion/ProofRefusedError'
import type { ProvenPayment } from '@remit/protocol/inclusion/paymentProof'
import { type Address, type Hex, isAddressEqual } from 'viem'
import type { CallOptions } from '../call/CallOptions.ts'
import { isRecord } from '../call/isRecord.ts'
import type { ApiClient } from '../createApiClient.ts'
import type { GetMembershipAnswer, GetMembershipInput } from '../generated/api.ts'
import type { OwnNode } from '../node/OwnNode.ts'
import type { ContractOptions } from '../sending/check/findContract.ts'
import type { Verify } from './Verify.ts'
import {
  askingOf,
  type BlockStanding,
  confirmBlock,
  verifyMembershipProof,
  verifyPaymentProof,
} from './verifyProof.ts'

/** How old the block of an answer may be that is to say how things are now. */
const MOST_AGE_SECONDS = 600

/** What is trusted: one's own node, and where the contract is. */
export type VerifySource = Pick<ContractOptions, 'contracts'> & { readonly node?: OwnNode | undefined }

export async function verifiedPayment(
  api: Pick<ApiClient, 'getPayment'>,
  { node, contracts }: VerifySource,
  request: Parameters<Verify['payment']>[0],
): ReturnType<Verify['payment']> {
  const { proof } = await api.getPayment({ ...request, proof: true })
  if (proof === undefined) throw new ProofRefusedError('The service sent no proof.')
  const proven = verifyPaymentProof(proof, { blockHash: proof.blockHash, contracts })
  const { isFinal } = await confirm(node, proven)
  const { transactionIndex } = proof.receipt
  if (!isLogOf(await receiptOf(node, request.txHash), { ...proven, transactionIndex }, request.logIndex))
    throw new ProofRefusedError('The proof is about another payment.')
  return { ...proven, isFinal }
}

function receiptOf(node: OwnNode | undefined, txHash: Hex): Promise<unknown> {
  return askingOf(required(node))('eth_getTransactionReceipt', [txHash])
}

/**
 * Whether the log with this index in its block is one of the proven payment's, as one's own node has the receipt. A remit pays many
 * payments in one transaction, and a proof numbers the logs of one receipt alone.
 */
function isLogOf(
  receipt: unknown,
  { block, logs, transactionIndex }: ProvenPayment & { readonly transactionIndex: number },
  logIndex: number,
): boolean {
  if (!isRecord(receipt) || !Array.isArray(receipt.logs)) return false
  const [begin]: unknown[] = receipt.logs
  const place = isRecord(begin) ? logIndex - Number(begin.logIndex) : Number.NaN
  const isSame = receipt.blockHash === block.hash && Number(receipt.transactionIndex) === transactionIndex
  return isSame && place >= logs.first && place <= logs.last
}

export async function verifiedMembership(
  api: Pick<ApiClient, 'getMembership'>,
  { node, contracts }: VerifySource,
  request: Parameters<Verify['membership']>[0],
): ReturnType<Verify['membership']> {
  const answer = await api.getMembership({ ...request, proof: true })
  const proven = provenMembership(answer, request, contracts)
  const { isFinal } = await confirm(node, proven)
  return { ...proven, isFinal }
}

export async function checkedMembership(
  api: Pick<ApiClient, 'getMembership'>,
  { node, contracts }: VerifySource,
  request: GetMembershipInput,
  options: CallOptions | undefined,
): Promise<GetMembershipAnswer> {
  const answer = await api.getMembership({ ...request, proof: true }, options)
  const { ageSeconds } = await confirm(node, provenMembership(answer, request, contracts))
  // Not `>`: an age that is not a number is refused too.
  if (!(ageSeconds <= MOST_AGE_SECONDS))
    throw new ProofRefusedError(`The service answered from a block that is ${ageSeconds} s old.`)
  return answer
}

function confirm(node: OwnNode | undefined, proven: Proven): Promise<BlockStanding> {
  return confirmBlock(required(node), proven)
}

function required(node: OwnNode | undefined): OwnNode {
  if (node !== undefined) return node
  throw new TypeError('a block is confirmed by a node of your own: createClient({ url, node })')
}

/** @throws ProofRefusedError unless the answer is about what was asked, and says what its proof shows */
function provenMembership(
  { proof, state, entitled, asOf }: GetMembershipAnswer,
  asked: { readonly id: Hex; readonly address: Address },
  contracts: ContractOptions['contracts'],
): ProvenMembership {
  if (proof === undefined) throw new ProofRefusedError('The service sent no proof.')
  const proven = verifyMembershipProof(proof, { blockHash: asOf.blockHash, contracts })
  const { subscriptionId, subscriber, isMember } = proven.membership
  if (subscriptionId !== asked.id.toLowerCase() || !isAddressEqual(subscriber, asked.address))
    throw new ProofRefusedError('The proof is about another membership.')
  if (isMember !== (state === 'active'))
    throw new ProofRefusedError(
      `The service says "${state}", and its proof shows ${isMember ? 'a member' : 'no member'}.`,
    )
  if (isMember && !entitled)
    throw new ProofRefusedError('The service says that a member is not entitled, and every member is.')
  return proven
}
