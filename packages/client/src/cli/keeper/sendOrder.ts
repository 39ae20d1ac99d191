import type { Account, Hash, Hex, TransactionReceipt } from 'viem'
import {
  ChainReadError,
  NotSentError,
  StillPendingError,
  TransactionReplacedError,
  WalletFailedError,
  WouldRevertError,
  WrongChainError,
} from '../../sending/errors.ts'
import { type Fees, lastLook, type Pricing, type PricingEvent } from '../../sending/send/lastLook.ts'
import { type Sending, SentSoFar } from '../../sending/send/Sending.ts'
import { resumeOne, sendOne } from '../../sending/send/sendOne.ts'
import { UnknownSuccessorError } from '../../sending/wait/awaitReceipt.ts'
import { LONGEST_WAIT_MS } from '../../sending/wait/waiting.ts'
import { assertOnChain, type Wallet } from '../../sending/wallet/Wallet.ts'
import { causes, isRefusedByNode } from '../../sending/wallet/walletErrors.ts'
import { CliError, EXIT } from '../errors.ts'
import type { Order } from './decide/decideRemit.ts'
import { raisedFees } from './decide/weighRemit.ts'
import {
  ChainFaultError,
  type Facts,
  type Journal,
  type KeeperChain,
  type KeeperClock,
  type RemitReceipt,
} from './ports.ts'

/** What became of an order: a transaction that the keeper has decided to send (`decide/decideRemit.ts`). */
export type SendOutcome =
  | { readonly kind: 'mined'; readonly receipt: RemitReceipt }
  /** It would revert now, and was not signed: somebody else may be first. */
  | { readonly kind: 'raced'; readonly reason: string | undefined }
  /** Another transaction of the same wallet took the nonce. */
  | { readonly kind: 'displaced' }
  /** The node did not take it, and nothing was sent. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Still pending when the keeper had to end. */
  | { readonly kind: 'left'; readonly hashes: readonly Hex[] }

export interface SendOrderDeps {
  readonly chain: Pick<KeeperChain, 'fees' | 'earned'>
  /** Reads and sends by the keeper's own node, and signs with the key of `account`. */
  readonly wallet: Wallet
  readonly account: Account
  readonly clock: KeeperClock
  readonly journal: Journal
  /** Called when it is about to be signed. */
  readonly onSigning: () => void
  /** Raise the fees after so long without a block. */
  readonly raiseAfterMs: number
  /** How long to wait for a receipt once the keeper is asked to end. */
  readonly drainMs: number
  readonly signal: AbortSignal
}

const POLL_MS = 2000
/**
 * Several nodes behind one URL differ by a block or two: one can say that the nonce is used before another has the receipt. So the receipt
 * is looked for so many times more.
 */
const MOST_LOOKS_AFTER_NONCE = 8
/** A flow of the client may take several signatures; an order takes one. */
const ONLY_STEP = { step: 1, of: 1 }

/**
 * Sends one transaction of the keeper (a remit, or a permit that it carries) as the client sends a wallet's, and follows it until it or
 * another one with its nonce is mined. If nobody mines it, its fees are raised up to the order's ceiling. Throws ChainFaultError before
 * anything was sent.
 * @param adopted the order's own transaction, where an earlier run has sent it
 */
export async function sendOrder(order: Order, deps: SendOrderDeps, adopted?: Hash): Promise<SendOutcome> {
  const { journal, signal, drainMs, chain } = deps
  const sentSoFar = new SentSoFar()
  const hashes = () => sentSoFar.happened(null).sent.map(({ hash }) => hash)
  const tell = (event: string, message: string, facts: Facts = {}) =>
    journal.tell(event, message, { hash: hashes().at(-1) ?? null, ...facts })
  const sending = sendingOf(order, deps, sentSoFar, tell)
  const pricing = pricingOf(order, deps, tell)
  const drain = () => {
    if (!sentSoFar.isEmpty)
      tell('draining', `Waiting for the ${order.functionName}’s receipt, ${drainMs / 1000} s at most.`)
  }
  signal.addEventListener('abort', drain, { once: true })
  try {
    const { receipt } =
      adopted === undefined
        ? await sendOne(sending, order, ONLY_STEP, pricing)
        : await resumeOne(sending, order, ONLY_STEP, pricing, adopted)
    return { kind: 'mined', receipt: await readReceipt(receipt, chain) }
  } catch (error) {
    if (error instanceof StillPendingError) return { kind: 'left', hashes: hashes() }
    if (error instanceof TransactionReplacedError || error instanceof UnknownSuccessorError) {
      return { kind: 'displaced' }
    }
    if (error instanceof WouldRevertError) return { kind: 'raced', reason: error.reason.protocolCode }
    if (error instanceof NotSentError && isRefusedByNode(error.cause)) {
      return { kind: 'refused', reason: nodesWords(error.cause) }
    }
    throw toFault(error, order.functionName)
  } finally {
    signal.removeEventListener('abort', drain)
  }
}

/**
 * A failure of the keeper's own node as a fault, which passes; a node that has moved to another chain as a CliError,
 * which ends the keeper. Everything else is returned as it is.
 */
export function toFault(error: unknown, functionName = 'remit'): unknown {
  if (error instanceof WrongChainError) return new CliError(error.message, EXIT.refused, { cause: error })
  const isFault =
    error instanceof ChainReadError || error instanceof WalletFailedError || error instanceof NotSentError
  // A node's message may contain its URL and so a key. It is kept as the cause only.
  return isFault ? new ChainFaultError(`The RPC failed at a ${functionName}.`, { cause: error }) : error
}

/** Whom and how long the client's sending asks and waits, and what it reports to the journal. */
function sendingOf(
  { chainId, nonce, functionName }: Order,
  { wallet, account, clock, signal, drainMs, onSigning }: SendOrderDeps,
  sentSoFar: SentSoFar,
  tell: (event: string, message: string, facts?: Facts) => void,
): Sending {
  return {
    wallet,
    account,
    chainId,
    reader: wallet,
    sentSoFar,
    limits: { timeoutMs: LONGEST_WAIT_MS, pollingIntervalMs: POLL_MS, signal, graceMs: drainMs, clock },
    report: (progress) => {
      if (progress.kind === 'signing') onSigning()
      if (progress.kind === 'sent') tell('sent', `Sent ${functionName} ${progress.hash}.`, { nonce })
    },
    assertMaySign: () => assertOnChain(wallet, chainId),
  }
}

/** The order's nonce, gas and fees, and what is done while nobody mines it: the fees are raised, unless that has become pointless. */
function pricingOf(
  order: Order,
  { chain, wallet, account, raiseAfterMs }: SendOrderDeps,
  tell: (event: string, message: string, facts?: Facts) => void,
): Pricing {
  const { nonce, gas, fees, ceiling, isReplacing, functionName } = order
  let hasToldStuck = false
  // A transaction that would revert by now, because somebody else has remitted, is left as it is.
  const raise = async (sent: Fees): Promise<Fees | undefined> => {
    const isPointless = await lastLook(wallet, account.address, order, 'latest').then(
      () => false,
      (error: unknown) => {
        if (error instanceof WouldRevertError) return true
        throw error
      },
    )
    const raised = isPointless ? undefined : raisedFees({ sent, usual: await chain.fees(), ceiling })
    if (raised === undefined && !hasToldStuck) {
      const why = isPointless
        ? 'somebody else was first'
        : 'more would cost the profit, or more than --max-fee'
      tell('stuck', `Nobody mines the ${functionName}, and its fees are not raised: ${why}.`)
      hasToldStuck = true
    }
    return raised
  }
  return {
    nonce,
    gas,
    fees,
    // The state on which the call is tried before it is signed. The pending state has the effects of the remit that is to be replaced,
    // after which this one would revert.
    lookAt: isReplacing ? 'latest' : 'pending',
    raiseAfterMs,
    raise,
    mostLooksAfterNonce: MOST_LOOKS_AFTER_NONCE,
    onEvent: (event) => tell(...describe(event, functionName)),
  }
}

/** An event of the waiting, as a line of the journal. */
function describe(
  event: PricingEvent,
  functionName: string,
): [event: string, message: string, facts?: Facts] {
  switch (event.kind) {
    case 'raised': {
      const { hash, fees } = event
      const message = `Nobody mined the ${functionName}: replacing it by ${hash} with higher fees.`
      return ['raised', message, { hash, maxFeePerGas: fees.maxFeePerGas }]
    }
    case 'refused':
      return [
        'refused',
        `The node refused to take ${event.hash}: ${nodesWords(event.error)}. It stays watched.`,
      ]
    case 'fault':
      return ['rpc_fault', `The RPC does not answer. The ${functionName} stays watched.`]
  }
}

/** A node's own words for a refusal. */
function nodesWords(error: unknown): string {
  const words = causes(error).map((cause) =>
    'details' in cause && typeof cause.details === 'string' ? cause.details : cause.message,
  )
  return (words.at(-1) ?? String(error)).slice(0, 200)
}

async function readReceipt(
  receipt: TransactionReceipt,
  chain: Pick<KeeperChain, 'earned'>,
): Promise<RemitReceipt> {
  const { transactionHash, gasUsed, effectiveGasPrice, status, blockNumber, logs } = receipt
  return {
    hash: transactionHash,
    blockNumber: Number(blockNumber),
    succeeded: status === 'success',
    paidWei: gasUsed * effectiveGasPrice + l1FeeOf(receipt),
    // It is mined, whether or not its tokens can be read.
    earned: await chain.earned(logs).catch(() => undefined),
  }
}

/** The L1 data fee, which OP-stack nodes tell in a field of their own. */
function l1FeeOf(receipt: object): bigint {
  const fee: unknown = Reflect.get(receipt, 'l1Fee')
  if (typeof fee === 'bigint') return fee
  return typeof fee === 'string' && /^0x[0-9a-f]+$/i.test(fee) ? BigInt(fee) : 0n
}
