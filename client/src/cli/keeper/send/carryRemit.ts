import type { Hex } from 'viem'
import { type Fees, raisedFees } from '../decide/fees.ts'
import { faultWaitMs } from '../pace/schedule.ts'
import { ChainFaultError } from '../ports/faults.ts'
import type {
  Facts,
  Journal,
  KeeperChain,
  KeeperClock,
  KeeperWallet,
  RemitReceipt,
  RemitTransaction,
} from '../ports/ports.ts'

/** A remit that is to be sent. */
export interface RemitOrder extends RemitTransaction {
  /** What no replacement may offer more than, so that the profit stays and the call within its bound. */
  readonly ceiling: bigint
}

export type RemitOutcome =
  | { readonly kind: 'mined'; readonly receipt: RemitReceipt }
  /** Another transaction of the same wallet took the nonce. */
  | { readonly kind: 'displaced' }
  | { readonly kind: 'refused'; readonly reason: string }
  /** Still pending when the keeper had to end. */
  | { readonly kind: 'left'; readonly hashes: readonly Hex[] }

export interface CarryDeps {
  readonly chain: KeeperChain
  readonly wallet: KeeperWallet
  readonly clock: KeeperClock
  readonly journal: Journal
  /** Raise the fees after so long without a block. */
  readonly stuckMs: number
  /** How long to wait for a receipt once the keeper is asked to end. */
  readonly drainMs: number
  readonly signal: AbortSignal
}

const POLL_MS = 2000
const MOST_FAULT_WAIT_MS = 30_000
/** Nodes behind one URL differ by a block or two: the nonce may be seen before the receipt. */
const LOOKS_FOR_A_RECEIPT = 8

/**
 * Sends one remit and stays with it until it is in a block: sends it again where the node may not have got it, and
 * replaces it at the same nonce with higher fees where nobody mines it. So at most one of them ever runs.
 * @param sent the order's own transaction, where the node has it already
 */
export async function carryRemit(order: RemitOrder, deps: CarryDeps, sent?: Hex): Promise<RemitOutcome> {
  return new Carrying(order, deps, sent).run()
}

class Carrying {
  readonly #order: RemitOrder
  readonly #deps: CarryDeps
  #fees: Fees
  /** Every version that was signed, the newest last. */
  readonly #versions: { readonly hash: Hex; readonly signed: Hex | undefined }[] = []
  #sentAt = 0
  /** Whether a node has said that it has the newest version. */
  #isKnown = false
  #wasKnown = false
  #faults = 0
  #looksAfterNonce = 0
  #saidCeiling = false
  #deadline: number | undefined

  constructor(order: RemitOrder, deps: CarryDeps, sent: Hex | undefined) {
    this.#order = order
    this.#deps = deps
    this.#fees = order.fees
    if (sent === undefined) return
    this.#versions.push({ hash: sent, signed: undefined })
    this.#sentAt = deps.clock.now()
    this.#isKnown = true
    this.#wasKnown = true
  }

  async run(): Promise<RemitOutcome> {
    if (this.#versions.length === 0) await this.#sign()
    for (;;) {
      const { clock } = this.#deps
      let waitMs = POLL_MS
      try {
        const outcome = await this.#look()
        if (outcome !== undefined) return outcome
        this.#faults = 0
      } catch (error) {
        if (!(error instanceof ChainFaultError)) throw error
        this.#faults += 1
        waitMs = faultWaitMs(this.#faults, MOST_FAULT_WAIT_MS)
        if (this.#faults === 1) this.#tell('rpc_fault', `${error.message} The remit stays watched.`)
      }
      if (this.#isOverdue()) return { kind: 'left', hashes: this.#versions.map(({ hash }) => hash) }
      await clock.sleep(waitMs)
    }
  }

  async #look(): Promise<RemitOutcome | undefined> {
    const { chain, clock, stuckMs } = this.#deps
    if (!this.#isKnown) {
      const refusal = await this.#broadcast()
      if (refusal !== undefined) return refusal
    }
    for (const { hash } of [...this.#versions].reverse()) {
      const receipt = await chain.receipt(hash)
      if (receipt !== undefined) return { kind: 'mined', receipt }
    }
    const { latest } = await chain.nonces()
    if (latest > this.#order.nonce) {
      this.#looksAfterNonce += 1
      return this.#looksAfterNonce > LOOKS_FOR_A_RECEIPT ? { kind: 'displaced' } : undefined
    }
    this.#looksAfterNonce = 0
    if (clock.now() - this.#sentAt >= stuckMs) await this.#raise()
    return undefined
  }

  /** Sends the newest version. A refusal ends it only where no version can be on its way. */
  async #broadcast(): Promise<RemitOutcome | undefined> {
    const { chain, clock } = this.#deps
    const newest = this.#versions.at(-1)
    // The bytes of what another run has sent are not here.
    if (newest?.signed === undefined) return undefined
    const isFirstTry = this.#sentAt === 0
    this.#sentAt = clock.now()
    const answer = await chain.broadcast(newest.signed)
    this.#isKnown = true
    if (answer.kind === 'accepted') {
      if (!this.#wasKnown) this.#tell('sent', `Sent remit ${newest.hash}.`, { nonce: this.#order.nonce })
      this.#wasKnown = true
      return undefined
    }
    const mayBeOnItsWay = this.#wasKnown || this.#versions.length > 1 || !isFirstTry
    if (!mayBeOnItsWay) {
      const reason = answer.kind === 'nonceTaken' ? 'another transaction has its nonce' : answer.reason
      return { kind: 'refused', reason }
    }
    // Where the nonce is taken, the next look finds out by whom.
    if (answer.kind === 'nonceTaken') return undefined
    this.#tell('refused', `The node refused to take ${newest.hash}: ${answer.reason}. It stays watched.`)
    return undefined
  }

  async #raise(): Promise<void> {
    const { chain, clock } = this.#deps
    const { ceiling } = this.#order
    const isPointless = await chain.reverts('latest')
    const fees = isPointless
      ? undefined
      : raisedFees({ sent: this.#fees, usual: await chain.fees(), ceiling })
    if (fees === undefined) {
      if (!this.#saidCeiling) {
        const why = isPointless
          ? 'somebody else was first'
          : 'more would cost the profit, or more than --max-fee'
        this.#tell('stuck', `Nobody mines the remit, and its fees are not raised: ${why}.`)
      }
      this.#saidCeiling = true
      // It may have been dropped: the node is given it once more.
      this.#isKnown = false
      this.#sentAt = clock.now()
      return
    }
    this.#fees = fees
    await this.#sign()
    const hash = this.#versions.at(-1)?.hash ?? null
    this.#tell('raised', `Nobody mined the remit: replacing it by ${hash} with higher fees.`, {
      maxFeePerGas: fees.maxFeePerGas,
    })
    await this.#broadcast()
  }

  async #sign(): Promise<void> {
    const { chainId, to, data, nonce, gas } = this.#order
    const transaction = { chainId, to, data, nonce, gas, fees: this.#fees }
    this.#versions.push(await this.#deps.wallet.sign(transaction))
    this.#isKnown = false
  }

  #isOverdue(): boolean {
    const { signal, clock, drainMs } = this.#deps
    if (!signal.aborted) return false
    if (this.#deadline === undefined) {
      this.#deadline = clock.now() + drainMs
      this.#tell('draining', `Waiting for the remit’s receipt, ${drainMs / 1000} s at most.`)
    }
    return clock.now() >= this.#deadline
  }

  #tell(event: string, message: string, facts: Facts = {}): void {
    const hash = this.#versions.at(-1)?.hash ?? null
    this.#deps.journal.tell(event, message, { hash, ...facts })
  }
}
