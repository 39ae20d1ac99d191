import type { Address, Hex } from 'viem'
import { carryRemit, type RemitOutcome } from './carryRemit.ts'
import { checkPrepared } from './checkPrepared.ts'
import { describeWeighing, eth, factsOf } from './describeWeighing.ts'
import { NoRemitError, ServiceFaultError } from './faults.ts'
import { cappedFees, feeCeiling } from './fees.ts'
import { Patience } from './Patience.ts'
import type {
  Journal,
  KeeperChain,
  KeeperClock,
  KeeperService,
  KeeperState,
  KeeperWallet,
  PreparedRemit,
} from './ports.ts'
import { Setbacks } from './Setbacks.ts'
import { untilNextLookMs } from './schedule.ts'
import { Totals } from './Totals.ts'
import type { WriteBudget } from './WriteBudget.ts'
import { gainsOf, type KeeperToken, type Prices, type Weighing, weighRemit } from './weighRemit.ts'

export interface KeeperSettings {
  readonly chainId: number
  readonly contractAddress: Address
  readonly remitData: Hex
  readonly prices: Prices
  readonly minProfitWei: bigint
  readonly intervalMs: number
  readonly stuckMs: number
  readonly drainMs: number
  /** Does everything but sign. */
  readonly isDryRun: boolean
  /** Ends as soon as there is nothing to be done for now. */
  readonly once: boolean
}

export interface KeeperDeps {
  readonly service: KeeperService
  readonly chain: KeeperChain
  readonly wallet: KeeperWallet
  readonly clock: KeeperClock
  readonly journal: Journal
  readonly budget: WriteBudget
}

/** What a look came to. */
interface Look {
  readonly waitMs: number
  /** Whether there is nothing to be done for now. */
  readonly isIdle?: boolean
  /** Whether it broke off before everything was asked that it needs. */
  readonly isPaused?: boolean
}

const MINUTE_MS = 60_000
const NONCE_WAIT_MS = 5000

/** Watches the protocol and calls remit, one transaction at a time, whenever that pays. */
export class Keeper {
  readonly totals = new Totals()
  readonly #settings: KeeperSettings
  readonly #deps: KeeperDeps
  readonly #said = new Set<string>()
  readonly #setbacks: Setbacks
  #minBlock: number | undefined
  #lastHead: number | undefined
  /** Ether that the last remit would have needed and that was not there. */
  #neededWei = 0n
  readonly #patience: Patience

  constructor(settings: KeeperSettings, deps: KeeperDeps) {
    this.#settings = settings
    this.#deps = deps
    this.#patience = new Patience(deps.clock)
    this.#setbacks = new Setbacks(settings)
  }

  /** Runs until the signal is aborted; with `once`, until nothing is to be done for now. Throws what cannot be survived. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const { waitMs, isIdle = false } = await this.#lookOrSay(signal)
      if (isIdle && this.#settings.once) return
      if (waitMs > 0 && !signal.aborted) await this.#deps.clock.sleep(waitMs, signal)
    }
  }

  async #lookOrSay(signal: AbortSignal): Promise<Look> {
    try {
      const look = await this.#look(signal)
      if (!look.isPaused) this.#setbacks.clear()
      return look
    } catch (error) {
      // What was being asked was broken off, or does not matter any more.
      if (signal.aborted) return { waitMs: 0 }
      const { event, message, waitMs } = this.#setbacks.meet(error)
      this.#tell(event, `${message} Trying again ${this.#timeAfter(waitMs)}.`)
      return { waitMs }
    }
  }

  async #look(signal: AbortSignal): Promise<Look> {
    const { service, chain, clock, budget } = this.#deps
    const { latest, pending } = await chain.nonces()
    if (pending > latest) {
      this.#tellOnce(
        `pending ${latest}`,
        'pending',
        `A transaction of this wallet (nonce ${latest}) waits to be mined: nothing is sent before it is.`,
      )
      return { waitMs: NONCE_WAIT_MS, isPaused: true }
    }
    if (!(await this.#hasFunds())) return { waitMs: this.#settings.intervalMs, isIdle: true }

    const state = await service.state(this.#minBlock)
    this.#minBlock = undefined
    const idleMs = this.#untilNextLook(state)
    const { nextUncheckedDay, currentDay } = state
    this.#patience.meet(`${nextUncheckedDay.dayNumber} ${currentDay.dayNumber}`)
    if (nextUncheckedDay.dayNumber > currentDay.dayNumber) {
      this.#tellOnce(
        `caught up ${nextUncheckedDay.date}`,
        'caught_up',
        `Caught up: the next day that can be remitted is ${nextUncheckedDay.date}.`,
      )
      return { waitMs: idleMs, isIdle: true }
    }
    const { heldMs } = this.#patience
    if (heldMs > 0) return { waitMs: Math.min(idleMs, heldMs), isIdle: true }

    const budgetMs = budget.waitMs(clock.now())
    if (budgetMs > 0) {
      const isSpent = budgetMs > MINUTE_MS
      if (isSpent) {
        const message = `The prepares of this UTC day are spent: going on ${this.#timeAfter(budgetMs)}.`
        this.#tell('waiting', message)
      }
      return { waitMs: budgetMs, isPaused: true, isIdle: isSpent }
    }
    const prepared = await this.#prepare()
    if (prepared === undefined) return { waitMs: idleMs, isIdle: true }
    return this.#decide(prepared, latest, idleMs, signal)
  }

  /** Whether what was missing for gas has come by now, or may be less by now. */
  async #hasFunds(): Promise<boolean> {
    if (this.#neededWei === 0n) return true
    const isEnough = (await this.#deps.chain.balance()) >= this.#neededWei
    if (!isEnough && this.#patience.heldMs > 0) return false
    if (isEnough) this.#patience.forget()
    this.#neededWei = 0n
    return true
  }

  /** Asks for a remit; `undefined`, and told, where there is none to be had. */
  async #prepare(): Promise<PreparedRemit | undefined> {
    const { service, wallet, clock, budget } = this.#deps
    budget.take(clock.now())
    try {
      return await service.prepareRemit(wallet.address)
    } catch (error) {
      // What the service could not serve it does not count.
      if (error instanceof ServiceFaultError) budget.giveBack()
      if (!(error instanceof NoRemitError)) throw error
      this.#holdVain(error.code.toLowerCase(), error.message)
      return undefined
    }
  }

  async #decide(prepared: PreparedRemit, nonce: number, idleMs: number, signal: AbortSignal): Promise<Look> {
    const { chain, clock, wallet, journal } = this.#deps
    const { chainId, contractAddress, remitData, minProfitWei, isDryRun, stuckMs, drainMs } = this.#settings
    const call = checkPrepared(prepared, { chainId, contractAddress, remitData, address: wallet.address })
    const weighing = this.#weigh(prepared)
    const described = describeWeighing(weighing, this.totals, prepared.expectedTransactions)
    if (!weighing.isWorthwhile) {
      this.#holdVain('not_profitable', `Not worth it: ${described}.`, factsOf(weighing))
      return { waitMs: idleMs, isIdle: true }
    }
    const { gasLimit, l1DataFeeWei } = prepared
    const ceiling = feeCeiling({ valueWei: weighing.valueWei, minProfitWei, gasLimit, l1DataFeeWei })
    const fees = cappedFees(prepared.fees, ceiling)
    const neededWei = gasLimit * fees.maxFeePerGas + l1DataFeeWei
    const balanceWei = await chain.balance()
    if (balanceWei < neededWei) {
      this.#neededWei = neededWei
      const message = `${wallet.address} holds ${eth(balanceWei)}, and a remit needs up to ${eth(neededWei)} for gas: send it some.`
      this.#holdVain('no_funds', message, { balanceWei, neededWei })
      return { waitMs: this.#settings.intervalMs, isIdle: true }
    }
    if (await chain.reverts(call, 'pending')) {
      this.#holdRace('raced', 'The remit would revert now: somebody else is sending the same.')
      return { waitMs: 0 }
    }
    if (isDryRun) {
      this.#holdVain('would_send', `Would send a remit: ${described}.`, factsOf(weighing))
      return { waitMs: idleMs, isIdle: true }
    }
    if (signal.aborted) return { waitMs: 0 }
    this.#tell('sending', `Sending a remit: ${described}.`, factsOf(weighing))
    const order = { chainId, ...call, nonce, gas: gasLimit, fees, ceiling }
    const outcome = await carryRemit(order, { chain, wallet, clock, journal, stuckMs, drainMs, signal })
    this.#conclude(outcome, nonce)
    return { waitMs: 0 }
  }

  #weigh({ changes, costWei }: PreparedRemit): Weighing {
    const { prices, minProfitWei } = this.#settings
    const gains = gainsOf(changes, this.#deps.wallet.address)
    this.totals.know(gains.map(({ token }) => token))
    const weighing = weighRemit({ gains, prices, costWei, minProfitWei })
    for (const token of weighing.unpriced) this.#sayUnpriced(token)
    return weighing
  }

  #conclude(outcome: RemitOutcome, nonce: number): void {
    if (outcome.kind !== 'refused') this.totals.countSent()
    switch (outcome.kind) {
      case 'mined': {
        const { hash, blockNumber, succeeded, paidWei, earned } = outcome.receipt
        this.totals.countMined(outcome.receipt)
        this.#minBlock = blockNumber
        const facts = {
          hash,
          blockNumber,
          paidWei,
          earned: earned.map(({ token, amountRaw }) => ({ token, amountRaw })),
        }
        if (succeeded) {
          this.#patience.forget()
          this.#tell(
            'mined',
            `Remitted in block ${blockNumber}: earned ${this.totals.describe(earned)}, paid ${eth(paidWei)}.`,
            facts,
          )
        } else {
          const message = `The remit ${hash} reverted in block ${blockNumber}, most likely because somebody else was first: ${eth(paidWei)} are lost.`
          this.#holdRace('reverted', message, facts)
        }
        return
      }
      case 'displaced': {
        const message = `Another transaction of this wallet took the nonce ${nonce}: the remit will not run.`
        this.#holdRace('displaced', message)
        return
      }
      case 'refused':
        this.#holdRace('refused', `The node refused the remit: ${outcome.reason}.`)
        return
      case 'left':
        this.#tell('left', `Still pending when the keeper had to end: ${outcome.hashes.join(', ')}.`, {
          nonce,
          hashes: outcome.hashes,
        })
    }
  }

  /** Nothing was to be had: the same backlog is left alone for hours, a new day's is not. */
  #holdVain(event: string, message: string, facts: Parameters<Journal['tell']>[2] = {}): void {
    const waitMs = this.#patience.holdVain()
    this.#tell(event, `${message} Looking again ${this.#timeAfter(waitMs)}, or when a new day is due.`, facts)
  }

  /** Somebody else may have been first: looks again soon, but not for ever. */
  #holdRace(event: string, message: string, facts: Parameters<Journal['tell']>[2] = {}): void {
    const waitMs = this.#patience.holdRace()
    this.#tell(event, `${message} Looking again ${this.#timeAfter(waitMs)}.`, facts)
  }

  #untilNextLook({ headTimestamp }: KeeperState): number {
    const stoodStill = this.#lastHead !== undefined && headTimestamp <= this.#lastHead
    this.#lastHead = headTimestamp
    const { intervalMs } = this.#settings
    return untilNextLookMs({ chainTimestamp: headTimestamp, stoodStill, intervalMs })
  }

  #sayUnpriced({ address, symbol }: KeeperToken): void {
    const name = symbol === null ? address : `${symbol} (${address})`
    this.#tellOnce(
      `unpriced ${address}`,
      'unpriced',
      `There is no price for ${name}: it counts 0. Give one with --price.`,
      { token: address },
    )
  }

  #timeAfter(ms: number): string {
    return `at ${new Date(this.#deps.clock.now() + ms).toISOString().slice(0, 19)}Z`
  }

  #tell(event: string, message: string, facts: Parameters<Journal['tell']>[2] = {}): void {
    this.#deps.journal.tell(event, message, facts)
  }

  #tellOnce(key: string, event: string, message: string, facts: Parameters<Journal['tell']>[2] = {}): void {
    if (this.#said.has(key)) return
    this.#said.add(key)
    this.#tell(event, message, facts)
  }
}
