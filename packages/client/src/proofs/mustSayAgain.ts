import { formatHuman } from '@remit/protocol/amounts'
import { dateOf } from '@remit/protocol/calendar'
import type { ProvenMembership } from '@remit/protocol/inclusion/membershipProof'
import { ProofRefusedError } from '@remit/protocol/inclusion/ProofRefusedError'
import type { ProvenPayment } from '@remit/protocol/inclusion/paymentProof'
import { isRecord } from '../call/isRecord.ts'

/** A field of an answer by its path, such as `payment.token.address`, with what the proof shows of it. */
type Shown = readonly [path: string, shown: string | number | boolean]

/**
 * Holds an answer that came around a proof against that proof, because people read the answer. A field that it
 * lacks, or has as null, says nothing. docs/proofs.md names the fields that are looked at.
 *
 * @throws ProofRefusedError for the first field that says something else
 */
export function mustSayAgain(answer: unknown, proven: ProvenPayment | ProvenMembership): void {
  for (const [path, shown] of 'payment' in proven
    ? ofPayment(answer, proven)
    : ofMembership(answer, proven)) {
    const said = saidAt(answer, path)
    if (said === undefined || said === null || isSame(said, shown)) continue
    throw new ProofRefusedError(
      `The file says ${path} ${JSON.stringify(said)}, and its proof shows ${JSON.stringify(shown)}.`,
    )
  }
}

/** By how many decimals the answer around a payment's proof writes amounts: its own word. `undefined` where it has none. */
export function decimalsIn(answer: unknown): number | undefined {
  const said = saidAt(answer, DECIMALS)
  // No token has more: the field is one byte.
  return Number.isInteger(said) && Number(said) >= 0 && Number(said) < 256 ? Number(said) : undefined
}

const DECIMALS = 'payment.token.decimals'

const AMOUNTS = ['charged', 'toProvider', 'toFeeBalance', 'toSubscriber', 'callerFee', 'systemShare'] as const

function ofPayment(answer: unknown, { payment, chainId, block }: ProvenPayment): readonly Shown[] {
  // Without decimals an amount can only be the raw digits.
  const decimals = decimalsIn(answer) ?? 0
  return [
    ['chainId', chainId],
    ['payment.kind', payment.kind],
    ['payment.subscriptionId', payment.subscriptionId],
    ['payment.provider', payment.provider],
    ['payment.subscriber', payment.subscriber],
    ['payment.token.address', payment.token],
    [DECIMALS, decimals],
    ['payment.day.dayNumber', payment.dayNumber],
    ['payment.day.date', dateOf(payment.dayNumber)],
    ...AMOUNTS.flatMap((name): readonly Shown[] => [
      [`payment.${name}.amountRaw`, payment[name]],
      [`payment.${name}.tokenDecimals`, decimals],
      [`payment.${name}.amount`, formatHuman(BigInt(payment[name]), decimals)],
    ]),
    ['payment.blockNumber', block.number],
    ['payment.timestamp', block.timestamp],
    // As the API writes it: without milliseconds.
    ['payment.formattedTimestamp', new Date(block.timestamp * 1000).toISOString().replace('.000Z', 'Z')],
  ]
}

/** What a membership's `state` can be where the account is no member. */
const ENDED = ['left', 'removed', 'dropped', 'cancelled']

function ofMembership(answer: unknown, { membership, chainId, block }: ProvenMembership): readonly Shown[] {
  const { subscriptionId, subscriber, token, isMember } = membership
  const state = saidAt(answer, 'state')
  return [
    ['chainId', chainId],
    ['subscriptionId', subscriptionId],
    ['subscriber', subscriber],
    ['token.address', token],
    ['state', isMember ? 'active' : (ENDED.find((ended) => ended === state) ?? 'no member')],
    // Somebody who is no member any more can be entitled for what was paid.
    ...(isMember ? [['entitled', true] as const] : []),
    ['asOf.blockNumber', block.number],
    ['asOf.blockHash', block.hash],
    ['asOf.timestamp', block.timestamp],
  ]
}

/** What an answer has at a path. Where a part on the way is no object, that part: it says something else than the proof. */
function saidAt(answer: unknown, path: string): unknown {
  return path.split('.').reduce((part, name) => (isRecord(part) ? part[name] : part), answer)
}

/** Addresses are the same in any case, numbers as text too. */
function isSame(said: unknown, shown: Shown[1]): boolean {
  return String(said).toLowerCase() === String(shown).toLowerCase()
}
