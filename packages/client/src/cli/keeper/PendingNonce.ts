import { isSameHex } from '../../request/isSameHex.ts'
import type { Bounds, Order } from './decide/decideRemit.ts'
import { feeCeiling, weighRemit } from './decide/weighRemit.ts'
import type { KeeperLog } from './journal.ts'
import type { KeeperChain, PendingTransaction } from './ports.ts'
import { type SendOrderDeps, type SendOutcome, sendOrder } from './sendOrder.ts'

interface PendingSettings extends Bounds {
  readonly raiseAfterMs: number
  readonly drainMs: number
  readonly isDryRun: boolean
}

interface PendingDeps extends Pick<SendOrderDeps, 'wallet' | 'account' | 'clock'> {
  readonly chain: KeeperChain
  readonly log: KeeperLog
}

/** What to do while a transaction of the wallet waits to be mined. */
type PendingResult =
  /** It was a remit of the keeper's own, and the keeper waited until its outcome was known. */
  | { readonly kind: 'followed'; readonly outcome: SendOutcome }
  | { readonly kind: 'wait'; readonly waitMs: number }
  /** Nobody mines it and the node does not show it: a remit may take its place, at the same nonce. */
  | { readonly kind: 'replaceable' }

/** How long a foreign transaction is left alone before the keeper looks again: a few blocks of a fast chain, one of a slow one. */
const NONCE_WAIT_MS = 5_000

/** Deals with a transaction of the wallet that waits to be mined and was not sent by this run of the keeper: an earlier run's, or another program's. */
export class PendingNonce {
  readonly #settings: PendingSettings
  readonly #deps: PendingDeps
  /** The nonce that was looked at last, since when, and whether it was once seen to be no remit. */
  #nonce: number | undefined
  #sinceMs = 0
  #isForeign = false

  constructor(settings: PendingSettings, deps: PendingDeps) {
    this.#settings = settings
    this.#deps = deps
  }

  /** Follows a remit of the keeper until its outcome is known, and waits for any other transaction. */
  async followOrWait(nonce: number, signal: AbortSignal): Promise<PendingResult> {
    const { chain, clock, log } = this.#deps
    const { isDryRun, raiseAfterMs } = this.#settings
    if (nonce !== this.#nonce) {
      this.#nonce = nonce
      this.#sinceMs = clock.now()
      this.#isForeign = false
    }
    const found = await chain.pendingAt(nonce)
    if (found !== undefined && !isDryRun && isOwnRemit(found, this.#settings)) {
      const order = await orderOf(found, nonce, this.#settings, chain)
      const { hash } = found
      log.tell('adopted', `The remit ${hash} of this wallet waits to be mined: it is carried on.`, {
        hash,
        nonce,
      })
      const deps = { ...this.#deps, journal: log, onSigning: () => {}, ...this.#settings, signal }
      return { kind: 'followed', outcome: await sendOrder(order, deps, hash) }
    }
    // A transaction that was once seen to be no remit is never replaced.
    this.#isForeign ||= found !== undefined
    const isStuck = clock.now() - this.#sinceMs >= raiseAfterMs
    if (!this.#isForeign && !isDryRun && isStuck) return { kind: 'replaceable' }
    const message = `A transaction of this wallet (nonce ${nonce}) waits to be mined: nothing is sent before it is${
      this.#isForeign || isDryRun ? '' : `, or before it has waited ${raiseAfterMs / 1000} s`
    }.`
    log.tellOnce(`pending ${nonce} ${this.#isForeign}`, 'pending', message, { nonce })
    return { kind: 'wait', waitMs: NONCE_WAIT_MS }
  }
}

/** Whether a transaction is a remit as this keeper signs it. */
function isOwnRemit({ to, data, value }: PendingTransaction, { call }: Pick<Bounds, 'call'>): boolean {
  return to !== null && isSameHex(to, call.to) && isSameHex(data, call.data) && value === 0n
}

/**
 * The order for a remit that waits to be mined: as it was sent, with the fee ceiling of today's bounds. Where the node
 * cannot tell what it pays, its value counts as 0.
 */
async function orderOf(
  { gas, fees }: PendingTransaction,
  nonce: number,
  { chainId, call, prices, minProfitWei, maxFeeWei }: Bounds,
  chain: Pick<KeeperChain, 'tryRemit' | 'l1DataFee'>,
): Promise<Order> {
  const transaction = { chainId, ...call, nonce, gas, fees }
  const [tried, l1DataFeeWei] = await Promise.all([chain.tryRemit(), chain.l1DataFee(transaction)])
  const gains = tried.kind === 'runs' ? (tried.gains ?? []) : []
  const { valueWei } = weighRemit({ gains, prices, costWei: 0n, minProfitWei })
  const ceiling = feeCeiling({ valueWei, minProfitWei, maxFeeWei, gasLimit: gas, l1DataFeeWei })
  return { ...transaction, ceiling, isReplacing: false }
}
