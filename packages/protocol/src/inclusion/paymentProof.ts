/** Proofs that a payment was made: the service makes them (`proof=true`), and clients check them by themselves. */

import { type Address, getAddress, type Hex, isAddress, numberToHex, toRlp } from 'viem'
import type { EncodedLog } from '../logs/events.ts'
import { matchPayments } from '../payments/matchPayments.ts'
import { chargedOf, type Payment } from '../payments/Payment.ts'
import {
  decodeRlp,
  fieldsOf,
  isBytes,
  isCount,
  type Known,
  mustSay,
  openProof,
  type Proven,
  type Rlp,
  trieValue,
} from './merkleProof.ts'
import { mustHold } from './ProofRefusedError.ts'

/** The type of these proofs, with the version of their form. */
export const PAYMENT_PROOF = 'remit-payment-1'

/** A payment with what shows it: anybody can check it against the hash of its block, without asking anybody. */
export interface PaymentProof {
  readonly type: typeof PAYMENT_PROOF
  readonly chainId: number
  readonly contract: Address
  readonly blockHash: Hex
  /** The block's header, RLP: it hashes to `blockHash` and has the root of the receipts. */
  readonly header: Hex
  readonly receipt: {
    /** The transaction's place in its block, from 0: the receipt's key in their trie. */
    readonly transactionIndex: number
    /** The nodes of that trie from its root to the receipt, as they are encoded. */
    readonly nodes: readonly Hex[]
    /** The place of the payment's first log among the receipt's, from 0. */
    readonly log: number
  }
  readonly payment: PaymentWords
}

/** A payment in words that JSON has: fields as in `Payment`, and `chargedOf` it. Amounts are in the token's smallest unit, decimal. */
export interface PaymentWords {
  readonly kind: Payment['kind']
  readonly subscriptionId: Hex
  readonly provider: Address
  readonly subscriber: Address
  readonly token: Address
  /** The due day that was charged, or the day on which it happened: days since 1970, UTC. */
  readonly dayNumber: number
  readonly charged: string
  readonly toProvider: string
  readonly toFeeBalance: string
  readonly toSubscriber: string
  readonly callerFee: string
  readonly systemShare: string
}

/** What a proof has shown. */
export interface ProvenPayment extends Proven {
  readonly payment: PaymentWords
  /** The places of its first and last log among the receipt's, from 0: one receipt can hold many payments. */
  readonly logs: { readonly first: number; readonly last: number }
}

/** A log of the receipt. `logIndex` counts the receipt's logs from 0. */
type ProvenLog = EncodedLog & { readonly logIndex: number }

/** A payment as proofs say it. */
export function paymentWords(payment: Pick<Payment, Exclude<keyof PaymentWords, 'charged'>>): PaymentWords {
  const { kind, subscriptionId, provider, subscriber, token, dayNumber } = payment
  return {
    kind,
    subscriptionId,
    provider: getAddress(provider),
    subscriber: getAddress(subscriber),
    token: getAddress(token),
    dayNumber,
    charged: String(chargedOf(payment)),
    toProvider: String(payment.toProvider),
    toFeeBalance: String(payment.toFeeBalance),
    toSubscriber: String(payment.toSubscriber),
    callerFee: String(payment.callerFee),
    systemShare: String(payment.systemShare),
  }
}

/**
 * Checks a payment's proof. It asks nobody: whether the block is on the chain, and final, is the caller's to know.
 *
 * @returns the payment as the block's own receipt has it
 * @throws ProofRefusedError where anything of it does not fit
 */
export function verifyPaymentProof(proof: unknown, known: Known): ProvenPayment {
  const { proven, fields } = openProof(proof, PAYMENT_PROOF, known)
  const { transactionIndex, nodes, log } = fieldsOf(fields.receipt)
  mustHold(isCount(transactionIndex) && isCount(log), 'a place is no number')
  const encoded = trieValue(proven.block.receiptsRoot, receiptKey(transactionIndex), nodes)
  mustHold(encoded !== undefined, 'the block has no such transaction')
  // Of no token the decimals are known here. They decide `isStated` alone, and a proof does not have that field.
  const payments = matchPayments(receiptLogs(encoded), proven.contract, () => undefined)
  const found = payments.find(({ logIndex }) => logIndex === log)
  mustHold(found !== undefined, 'no payment begins at that log')
  mustHold(found.timestamp === proven.block.timestamp, 'the log tells another time than its block')
  const payment = paymentWords(found)
  mustSay(fieldsOf(fields.payment), payment)
  return { ...proven, payment, logs: { first: found.logIndex, last: found.lastLogIndex } }
}

/** EIP-2718 types of receipts that hold their logs in the fourth field, as those without a type do. 0x7e: deposits of the OP stack. */
const RECEIPT_TYPES = ['0x01', '0x02', '0x03', '0x04', '0x7e']

/**
 * The logs of a receipt, as it is encoded in its trie.
 * @throws ProofRefusedError for one of a type that is not known, and for that of a transaction that failed
 */
function receiptLogs(encoded: Hex): readonly ProvenLog[] {
  const type = encoded.slice(0, 4)
  // From 0xc0 on the first byte begins an RLP list: a receipt without a type.
  const isTyped = Number.parseInt(type, 16) < 0xc0
  mustHold(!isTyped || RECEIPT_TYPES.includes(type), `a receipt of type ${type} is not known`)
  const [status, , , logs] = listIn(decodeRlp(isTyped ? `0x${encoded.slice(4)}` : encoded))
  mustHold(status === '0x01', 'the transaction failed')
  return listIn(logs).map((log, logIndex) => {
    const [address, topics, data] = listIn(log)
    mustHold(isAddress(String(address), { strict: false }) && isBytes(data), 'a log has no such form')
    // Safe: both were looked at.
    return { address: address as Address, topics: listIn(topics) as Hex[], data, logIndex }
  })
}

function listIn(value: Rlp | undefined): readonly Rlp[] {
  mustHold(typeof value === 'object', 'a receipt has no such form')
  return value
}

/** The key of a transaction's receipt in the trie of its block. */
export function receiptKey(transactionIndex: number): Hex {
  return toRlp(transactionIndex === 0 ? '0x' : numberToHex(transactionIndex))
}
