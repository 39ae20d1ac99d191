/**
 * The loop of `remit keeper`: it looks at the protocol again and again and, whenever the caller's fee is worth more than the gas, sends a
 * call of `remit()`. What to do is decided in `decide/`, how long to wait in `pace.ts`, and the sending is `sendOrder.ts`.
 *
 * One look goes through these steps, and ends at the first that leaves nothing more to do or makes it wait:
 * 1. A transaction of the wallet that is still pending is followed, or waited for (`PendingNonce`).
 * 2. Ether that was missing for the last remit must have come.
 * 3. The service says up to which day remit has come; with `--carry`, a permission may be carried first (`Carrier`).
 * 4. If days are due (the backlog), the service prepares a remit. Its worth is decided at the keeper's own node, and it is sent.
 * Then the keeper sleeps as long as the look says.
 */

import type { Account } from 'viem'
import type { OwnWrites } from '../../request/freshCaller.ts'
import type { Wallet } from '../../sending/wallet/Wallet.ts'
import { Carrier } from './Carrier.ts'
import { checkState } from './checkAnswers.ts'
import { type Bounds, decideRemit, type NextNonce, type Offer } from './decide/decideRemit.ts'
import { eth, weighRemit } from './decide/weighRemit.ts'
import { describeGains, factsOfGains, KeeperLog, Totals } from './journal.ts'
import { PendingNonce } from './PendingNonce.ts'
import { BacklogWait, FaultWait, untilNextCheckMs, type WriteBudget } from './pace.ts'
import {
  type Facts,
  type Journal,
  type KeeperChain,
  type KeeperClock,
  type KeeperPermits,
  type KeeperService,
  type KeeperState,
  type KeeperToken,
  NoRemitError,
  type PreparedRemit,
  type RemitReceipt,
  ServiceFaultError,
} from './ports.ts'
import { type SendOutcome, sendOrder } from './sendOrder.ts'

/** What the owner has set on the command line. */
export interface KeeperSettings extends Bounds {
  /** Whether to trust the service on what a remit pays, if the node cannot simulate it. */
  readonly trustForecast: boolean
  /** The longest sleep between two looks. */
  readonly intervalMs: number
  /** The fees of a transaction are raised after so long without a block. */
  readonly raiseAfterMs: number
  /** How long a keeper that is asked to end waits for the receipt of what it has sent. */
  readonly drainMs: number
  /** Whether it carries permissions that members have left for anybody, where a fee that it saves pays for it. */
  readonly carries: boolean
  /** Does everything but sign. */
  readonly isDryRun: boolean
  /** Ends as soon as there is nothing to do. */
  readonly once: boolean
}

interface KeeperDeps {
  readonly service: KeeperService
  readonly chain: KeeperChain
  readonly permits: KeeperPermits
  /** Reads and sends by the keeper's own node. */
  readonly wallet: Wallet
  /** Who sends. In a dry run it may be without a key. */
  readonly account: Account
  readonly clock: KeeperClock
  readonly journal: Journal
  readonly budget: WriteBudget
  /** Told of the block of each remit: the service is then asked for that block or a later one. */
  readonly ownWrites: Pick<OwnWrites, 'note'>
}

/** What one look has come to. */
interface Look {
  readonly waitMs: number
  /** Whether there is nothing to do. */
  readonly isIdle?: boolean
  /** Whether it ended before service and node had answered all that it needs: then earlier faults in a row still count. */
  readonly isPaused?: boolean
}

const MINUTE_MS = 60_000

/** Watches the protocol and calls remit, one transaction at a time, whenever that pays. */
export class Keeper {
  readonly totals = new Totals()
  readonly #settings: KeeperSettings
  readonly #deps: KeeperDeps
  readonly #log: KeeperLog
  readonly #faults: FaultWait
  readonly #backlog: BacklogWait
  readonly #pending: PendingNonce
  readonly #carrier: Carrier | undefined
  /** Unix seconds of the chain's newest block at the last look. */
  #lastHead: number | undefined
  /** The ether that the last remit needed and the wallet did not have; 0n if it was not short. */
  #neededWei = 0n
  #trustsForecast: boolean

  constructor(settings: KeeperSettings, deps: KeeperDeps) {
    this.#settings = settings
    this.#deps = deps
    this.#log = new KeeperLog(deps.journal, deps.clock)
    this.#backlog = new BacklogWait(deps.clock)
    this.#faults = new FaultWait(settings)
    this.#pending = new PendingNonce(settings, { ...deps, log: this.#log })
    this.#carrier = settings.carries ? this.#createCarrier() : undefined
    this.#trustsForecast = settings.trustForecast
  }

  #createCarrier(): Carrier {
    const { ownWrites } = this.#deps
    return new Carrier(this.#settings, {
      ...this.#deps,
      log: this.#log,
      totals: this.totals,
      onCarried: (blockNumber) => {
        ownWrites.note(this.#settings.chainId, blockNumber)
        // Another remit now pays.
        this.#backlog.forget()
      },
      onUnpriced: (token) => this.#sayUnpriced(token),
    })
  }

  /** Runs until the signal is aborted; with `once`, until there is nothing to do. Throws errors that waiting cannot mend. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const { waitMs, isIdle = false } = await this.#lookOrWait(signal)
      if (isIdle && this.#settings.once) return
      if (waitMs > 0 && !signal.aborted) await this.#deps.clock.sleep(waitMs, signal)
    }
  }

  /** Looks once. A fault that may pass is logged, and the keeper waits; any other error is thrown. */
  async #lookOrWait(signal: AbortSignal): Promise<Look> {
    try {
      const look = await this.#look(signal)
      if (!look.isPaused) this.#faults.clear()
      return look
    } catch (error) {
      // The keeper was asked to end, so a failed question no longer matters.
      if (signal.aborted) return { waitMs: 0 }
      const { event, message, waitMs } = this.#faults.waitAfter(error)
      this.#log.tell(event, `${message} Trying again ${this.#log.timeAfter(waitMs)}.`)
      return { waitMs }
    }
  }

  /** One look, by the steps that the head of this file lists. */
  async #look(signal: AbortSignal): Promise<Look> {
    const { service, chain } = this.#deps
    const { chainId, call, intervalMs, isDryRun } = this.#settings
    const { latest: nonce, pending } = await chain.nonces()
    const isTaken = pending > nonce
    if (isTaken) {
      const result = await this.#pending.followOrWait(nonce, signal)
      if (result.kind === 'followed') {
        this.#conclude(result.outcome, nonce)
        return { waitMs: 0 }
      }
      // The third kind, `replaceable`: a remit may take its place.
      if (result.kind === 'wait') return { waitMs: result.waitMs, isPaused: true, isIdle: isDryRun }
    }
    if (!(await this.#hasFunds())) return { waitMs: intervalMs, isIdle: true }

    const state = await service.state()
    checkState(state, { chainId, contractAddress: call.to })
    const idleMs = this.#untilNextCheck(state)
    if (!isTaken && (await this.#carrier?.carryNext(nonce, signal)) === true) return { waitMs: 0 }
    return this.#lookAtBacklog(state, { nonce, isTaken }, idleMs, signal)
  }

  /**
   * Has a remit prepared and decides about it, unless nothing is due, this backlog is left alone for a while (`BacklogWait`), or the
   * service's limits make it wait (`WriteBudget`).
   */
  async #lookAtBacklog(
    { nextUncheckedDay, currentDay }: KeeperState,
    next: NextNonce,
    idleMs: number,
    signal: AbortSignal,
  ): Promise<Look> {
    this.#backlog.noteBacklog(`${nextUncheckedDay.dayNumber} ${currentDay.dayNumber}`)
    if (nextUncheckedDay.dayNumber > currentDay.dayNumber) {
      const message = `Caught up: the next day that can be remitted is ${nextUncheckedDay.date}.`
      this.#log.tellOnce(`caught up ${nextUncheckedDay.date}`, 'caught_up', message)
      return { waitMs: idleMs, isIdle: true }
    }
    const { remainingMs } = this.#backlog
    if (remainingMs > 0) return { waitMs: Math.min(idleMs, remainingMs), isIdle: true }

    const budgetMs = this.#deps.budget.waitMs(this.#deps.clock.now())
    if (budgetMs > 0) {
      // Longer than the limit of a minute makes wait: it is the limit of the day.
      const isSpent = budgetMs > MINUTE_MS
      const until = this.#log.timeAfter(budgetMs)
      if (isSpent) this.#log.tell('waiting', `The prepares of this UTC day are spent: going on ${until}.`)
      return { waitMs: budgetMs, isPaused: true, isIdle: isSpent }
    }
    const prepared = await this.#prepare()
    if (prepared === undefined) return { waitMs: idleMs, isIdle: true }
    return this.#remitIfWorthwhile(prepared, next, idleMs, signal)
  }

  /** Whether a remit may be tried: no ether was missing, or it has come, or the wait of this backlog is over. */
  async #hasFunds(): Promise<boolean> {
    if (this.#neededWei === 0n) return true
    const isEnough = (await this.#deps.chain.balance()) >= this.#neededWei
    if (!isEnough && this.#backlog.remainingMs > 0) return false
    if (isEnough) this.#backlog.forget()
    this.#neededWei = 0n
    return true
  }

  /** Asks for a remit. Logs the reason and returns `undefined` if there is none. */
  async #prepare(): Promise<PreparedRemit | undefined> {
    const { service, clock, budget } = this.#deps
    try {
      return await service.prepareRemit(() => budget.take(clock.now()))
    } catch (error) {
      // The service does not charge for a request that it failed to serve.
      if (error instanceof ServiceFaultError) budget.giveBack()
      if (!(error instanceof NoRemitError)) throw error
      this.#waitUnprofitable(error.code.toLowerCase(), error.message)
      return undefined
    }
  }

  async #remitIfWorthwhile(
    prepared: PreparedRemit,
    next: NextNonce,
    idleMs: number,
    signal: AbortSignal,
  ): Promise<Look> {
    const { chain, account } = this.#deps
    const { address } = account
    const decision = await decideRemit(prepared, next, this.#settings, {
      chain,
      address,
      trustsForecast: this.#trustsForecast,
      onUnpriced: (token) => this.#sayUnpriced(token),
    })
    switch (decision.kind) {
      case 'leave':
        this.#waitUnprofitable(decision.event, decision.message, decision.facts)
        return { waitMs: idleMs, isIdle: true }
      case 'poor': {
        const { balanceWei, neededWei } = decision
        this.#neededWei = neededWei
        const message = `${address} holds ${eth(balanceWei)}, and a remit needs up to ${eth(neededWei)} for gas: send it some.`
        this.#waitUnprofitable('no_funds', message, { balanceWei, neededWei })
        return { waitMs: this.#settings.intervalMs, isIdle: true }
      }
      case 'raced':
        this.#concludeRaced(decision.reason)
        return { waitMs: 0 }
      case 'send': {
        const { order, offer } = decision
        if (this.#settings.isDryRun) {
          this.#waitUnprofitable('would_send', `Would send a remit: ${offer.described}.`, offer.facts)
          return { waitMs: idleMs, isIdle: true }
        }
        if (signal.aborted) return { waitMs: 0 }
        const onSigning = () => this.#log.tell('sending', `Sending a remit: ${offer.described}.`, offer.facts)
        const outcome = await sendOrder(order, { ...this.#deps, ...this.#settings, onSigning, signal })
        this.#conclude(outcome, next.nonce, offer)
        return { waitMs: 0 }
      }
    }
  }

  #conclude(outcome: SendOutcome, nonce: number, offer?: Offer): void {
    if (outcome.kind !== 'refused' && outcome.kind !== 'raced') this.totals.countSent()
    switch (outcome.kind) {
      case 'mined':
        this.#concludeMined(outcome.receipt, offer)
        return
      case 'raced':
        this.#concludeRaced(outcome.reason)
        return
      case 'displaced':
        this.#waitAfterRace(
          'displaced',
          `Another transaction of this wallet took the nonce ${nonce}: the remit will not run.`,
        )
        return
      case 'refused':
        this.#waitAfterRace('refused', `The node refused the remit: ${outcome.reason}.`)
        return
      case 'left': {
        const { hashes } = outcome
        const message = `Still pending when the keeper had to end: ${hashes.join(', ')}.`
        this.#log.tell('left', message, { nonce, hashes })
      }
    }
  }

  /** @param reason the contract's revert text */
  #concludeRaced(reason?: string): void {
    const quoted = reason === undefined ? '' : ` (“${reason}”)`
    const message = `The remit would revert now at the keeper’s own node${quoted}: most likely somebody else is sending the same.`
    this.#waitAfterRace('raced', message)
  }

  #concludeMined(receipt: RemitReceipt, offer: Offer | undefined): void {
    const { hash, blockNumber, succeeded, paidWei, earned } = receipt
    this.totals.countMined(receipt)
    this.#deps.ownWrites.note(this.#settings.chainId, blockNumber)
    const facts = { hash, blockNumber, paidWei, earned: factsOfGains(earned) }
    if (!succeeded) {
      const message = `The remit ${hash} reverted in block ${blockNumber}, most likely because somebody else was first: ${eth(paidWei)} are lost.`
      this.#waitAfterRace('reverted', message, facts)
      return
    }
    this.#backlog.forget()
    const message = `Remitted in block ${blockNumber}: earned ${describeGains(earned)}, paid ${eth(paidWei)}.`
    this.#log.tell('mined', message, facts)
    if (offer?.isForecast) this.#judgeForecast(receipt)
  }

  /**
   * The service is trusted until a remit makes a loss that its forecast had ruled out, or may have made one: what it
   * earned could not be read.
   */
  #judgeForecast({ earned, paidWei }: RemitReceipt): void {
    const { prices, minProfitWei } = this.#settings
    const isRead = earned !== undefined
    if (isRead && weighRemit({ gains: earned, prices, costWei: paidWei, minProfitWei }).isWorthwhile) return
    this.#trustsForecast = false
    const why = isRead ? 'The remit paid less than the service had said' : 'What the remit paid is not known'
    this.#log.tell(
      'distrusted',
      `${why}: the service’s word does not count any more, until the keeper is started again.`,
    )
  }

  /** There was no profitable remit, so this backlog waits for hours. A new day's backlog does not. */
  #waitUnprofitable(event: string, message: string, facts: Facts = {}): void {
    const time = this.#log.timeAfter(this.#backlog.waitUnprofitable())
    this.#log.tell(event, `${message} Looking again ${time}, or when a new day is due.`, facts)
  }

  /** Somebody else may have been first: checks again soon, a few times. */
  #waitAfterRace(event: string, message: string, facts: Facts = {}): void {
    const time = this.#log.timeAfter(this.#backlog.waitAfterRace())
    this.#log.tell(event, `${message} Looking again ${time}.`, facts)
  }

  /** Milliseconds, and notes how far the chain's clock is. */
  #untilNextCheck({ headTimestamp }: KeeperState): number {
    const stoodStill = this.#lastHead !== undefined && headTimestamp <= this.#lastHead
    this.#lastHead = headTimestamp
    const { intervalMs } = this.#settings
    return untilNextCheckMs({ chainTimestamp: headTimestamp, stoodStill, intervalMs })
  }

  #sayUnpriced({ address, symbol }: KeeperToken): void {
    const name = symbol === null ? address : `${symbol} (${address})`
    const message = `There is no price for ${name}: it counts 0. Give one with --price.`
    this.#log.tellOnce(`unpriced ${address}`, 'unpriced', message, { token: address })
  }
}
