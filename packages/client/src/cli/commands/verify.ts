import { readFileSync } from 'node:fs'
import { formatHuman } from '@remit/protocol/amounts'
import {
  MEMBERSHIP_PROOF,
  type MembershipWords,
  type ProvenMembership,
} from '@remit/protocol/inclusion/membershipProof'
import { ProofRefusedError } from '@remit/protocol/inclusion/ProofRefusedError'
import type { PaymentWords, ProvenPayment } from '@remit/protocol/inclusion/paymentProof'
import { BaseError, type Hex, isHash } from 'viem'
import { isRecord } from '../../call/isRecord.ts'
import { decimalsIn, mustSayAgain } from '../../proofs/mustSayAgain.ts'
import {
  type BlockStanding,
  confirmBlock,
  verifyMembershipProof,
  verifyPaymentProof,
} from '../../proofs/verifyProof.ts'
import type { Command } from '../Command.ts'
import { CliError, EXIT, UsageError } from '../errors.ts'
import { factsOf } from '../output/table.ts'
import { dayOf, readAddress, timeOf } from './words.ts'

/**
 * `remit verify`: checks a proof in a file. The service is not asked. A proof shows that a block with a certain hash contains the payment
 * or the membership. That this block is on the chain is the user's word (`--block-hash`) or that of a node (`--node`), which also says
 * whether it is final.
 */
export const verify: Command = {
  name: 'verify',
  summary: 'Checks the proof of a payment or a membership, without asking the service',
  operands: '<file>',
  options: {
    'block-hash': {
      type: 'string',
      value: '<hash>',
      help: 'the hash of its block, from where you trust it',
    },
    node: {
      type: 'string',
      value: '<url>',
      help: 'your own node or light client, which is asked for that block',
    },
    contract: {
      type: 'string',
      value: '<address>',
      help: 'the protocol’s contract; needed unless the chain is Base or Base Sepolia',
    },
  },
  notes:
    'The file is a proof, or an answer that has one; then the answer must say what its proof shows. A proof is as\n' +
    'good as the hash of its block: give it with --block-hash, or let your own node say it with --node. It exits\n' +
    'with 0 only where the proof holds.',
  async run({ operands, flags, terminal, json }) {
    const [file, ...more] = operands
    if (file === undefined || more.length > 0) throw new UsageError('remit verify takes one file.')
    const { proof, answer } = readProof(file)
    const node = flags.text('node')
    const blockHash = readHash(flags.text('block-hash')) ?? (node === undefined ? undefined : hashIn(proof))
    if (blockHash === undefined)
      throw new UsageError('A proof needs the hash of its block: --block-hash, or --node to ask for it.')
    const contract = flags.text('contract')
    try {
      const proven = verifyEither(proof, {
        blockHash,
        contracts:
          contract === undefined ? {} : { [Number(proof.chainId)]: readAddress('contract', contract) },
      })
      if (answer !== undefined) mustSayAgain(answer, proven)
      const standing = node === undefined ? undefined : await standingAt(node, proven)
      const decimals = decimalsIn(answer)
      const shown = { ...proven, ...(standing && { isFinal: standing.isFinal }) }
      terminal.out(
        json
          ? `${JSON.stringify(shown, null, 2)}\n`
          : factsOf(terminal, [...factsAbout(proven, standing?.isFinal, decimals), ...ownWordOf(decimals)]),
      )
    } catch (error) {
      if (error instanceof ProofRefusedError)
        throw new CliError(error.message, EXIT.refused, { cause: error })
      throw error
    }
    return EXIT.done
  },
}

/** How the proof's block stands at a node. Throws CliError where that does not answer. */
async function standingAt(node: string, proven: ProvenSubject): Promise<BlockStanding> {
  try {
    return await confirmBlock(node, proven)
  } catch (error) {
    if (error instanceof ProofRefusedError) throw error
    const why = error instanceof BaseError ? error.shortMessage : 'no answer'
    throw new CliError(`The node did not say whether the block is on the chain: ${why}`, EXIT.unavailable, {
      cause: error,
    })
  }
}

type ProvenSubject = ProvenPayment | ProvenMembership

function verifyEither(
  proof: Readonly<Record<string, unknown>>,
  options: Parameters<typeof verifyPaymentProof>[1],
): ProvenSubject {
  return proof.type === MEMBERSHIP_PROOF
    ? verifyMembershipProof(proof, options)
    : verifyPaymentProof(proof, options)
}

/** What each word of a proof is called here. Raw amounts are in the token's smallest unit. */
const LABELS: Readonly<Record<keyof PaymentWords | keyof MembershipWords, string>> = {
  kind: 'Kind',
  isMember: 'Member',
  subscriptionId: 'Subscription',
  subscriber: 'Subscriber',
  provider: 'Provider',
  token: 'Token',
  dayNumber: 'Day',
  charged: 'Charged, raw',
  toProvider: '  to the provider',
  toFeeBalance: '  to the reserve',
  toSubscriber: 'Back to the subscriber, raw',
  callerFee: 'Fee of the caller, raw',
  systemShare: 'The system’s part, raw',
  amount: 'One period, 18 decimals',
  frequency: 'Frequency',
  dueDay: 'Due day',
  cancelled: 'Cancelled',
}

/** The raw amounts, in the token's smallest unit. */
const RAW: ReadonlySet<string> = new Set([
  'charged',
  'toProvider',
  'toFeeBalance',
  'toSubscriber',
  'callerFee',
  'systemShare',
])

/** What the kinds of payments are called. `HAPPENED` tells the others. */
const KINDS: Readonly<Record<string, string>> = {
  firstCharge: 'the first payment, at subscribing',
  period: 'the payment of a full period',
  feeFill: 'the payment of a full period, which also fills the reserve',
}

/** What happened by a kind that is no payment. */
const HAPPENED: Readonly<Record<string, string>> = {
  dropped: 'this payment failed, and ended the membership',
  left: 'this membership ended: the subscriber left',
  removed: 'this membership ended: the provider removed the subscriber',
  cleanedUp: 'this reserve was paid back after the plan was cancelled',
}

/**
 * What a proof that holds says, as rows to print.
 * @param isFinal `undefined` where no node was asked
 * @param decimals by which the file writes amounts; `undefined` where it says none
 */
function factsAbout(proven: ProvenSubject, isFinal: boolean | undefined, decimals: number | undefined) {
  const { block, chainId, contract } = proven
  const place = `${block.number} of chain ${chainId}, ${timeOf(new Date(block.timestamp * 1000))}`
  const final = isFinal === undefined ? '' : isFinal ? ', final' : ', not final yet'
  const words: Readonly<Record<string, unknown>> =
    'payment' in proven ? { ...proven.payment } : { ...proven.membership }
  // Where nothing was charged, what moved was in the collecting reserve (the fee balance) before.
  const labels = words.charged === '0' ? { ...LABELS, toProvider: 'Of the reserve, to provider' } : LABELS
  return [
    [
      'The proof holds',
      'payment' in proven
        ? (HAPPENED[proven.payment.kind] ?? 'this payment was made')
        : 'the contract kept this',
    ],
    ...Object.entries(labels).flatMap(([name, label]) =>
      name in words && (name !== 'toFeeBalance' || words.charged !== '0')
        ? [[label, factText(name, words[name], decimals)] as const]
        : [],
    ),
    ['Contract', contract],
    ['Block', `${place}${final}`],
    ['Its hash', block.hash],
  ] as const
}

/** What the answer around a proof says that no proof shows, as a row to print: by which decimals it writes amounts. */
function ownWordOf(decimals: number | undefined): readonly (readonly [string, string])[] {
  return decimals === undefined
    ? []
    : [['Decimals', `${decimals}, by the file’s own word, as what is in brackets: no proof shows them`]]
}

function factText(name: string, value: unknown, decimals: number | undefined): string {
  if (name === 'dayNumber') return dayText(value)
  const text = String(value)
  if (name === 'kind') return KINDS[text] ?? text
  const isRaw = RAW.has(name) && text !== '0' && decimals !== undefined
  return isRaw ? `${text} (${formatHuman(BigInt(text), decimals)})` : text
}

function dayText(dayNumber: unknown): string {
  const date = new Date(Number(dayNumber) * 86_400_000).toISOString().slice(0, 10)
  return dayOf({ date, dayNumber: Number(dayNumber) })
}

interface ReadProof {
  readonly proof: Readonly<Record<string, unknown>>
  /** What it came in; `undefined` where the file is the proof alone. */
  readonly answer: unknown
}

/** The proof in a file, alone or in the field `proof` of an answer. Throws UsageError. */
function readProof(file: string): ReadProof {
  let value: unknown
  try {
    value = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new UsageError(`${file} cannot be read as JSON.`, { cause: error })
  }
  const answer = isRecord(value) && isRecord(value.proof) ? value : undefined
  const proof = answer?.proof ?? value
  if (isRecord(proof) && typeof proof.type === 'string') return { proof, answer }
  // The file may hold an error that the service answered with.
  const why = isRecord(value) && typeof value.error === 'string' ? `: ${value.error}` : '.'
  throw new UsageError(`${file} holds no proof${why}`)
}

function readHash(text: string | undefined): Hex | undefined {
  if (text === undefined) return undefined
  if (isHash(text)) return text
  throw new UsageError('--block-hash must be 0x and 64 hex digits.')
}

/** The block's hash by the proof's own word, for a node that is then asked whether it is on the chain. */
function hashIn(proof: Readonly<Record<string, unknown>>): Hex {
  const { blockHash } = proof
  if (typeof blockHash === 'string' && isHash(blockHash)) return blockHash
  throw new CliError('The proof does not hold: it names no block.', EXIT.refused)
}
