/**
 * With `remit keeper --carry`, the keeper also carries, that is sends, signed permits ("permissions") that members have left with the
 * service for anybody to send, where that keeps a member from being dropped and so pays a fee.
 *
 * The service lists them page by page (an "offer" each), and the keeper reads one page in an interval. Each permission is tried at the
 * keeper's own node, by simulating the remits of the next UTC day twice: as things are, and with the permission carried before them. It is
 * sent if the charge that it saves pays a fee that is worth the gas.
 */

import type { Account } from 'viem'
import type { OwnCall } from '../../sending/check/prepareHere.ts'
import type { SignedPermit } from '../../sending/signed/SignedPermit.ts'
import type { Wallet } from '../../sending/wallet/Wallet.ts'
import { CliError } from '../errors.ts'
import { decideCarry } from './decide/decideCarry.ts'
import type { Bounds } from './decide/decideRemit.ts'
import { describeCarry, eth, factsOf } from './decide/weighRemit.ts'
import type { KeeperLog, Totals } from './journal.ts'
import {
  type KeeperChain,
  type KeeperClock,
  type KeeperPermits,
  type KeeperService,
  type KeeperToken,
  NoSimulationError,
  type RemitReceipt,
  type RemitsAhead,
} from './ports.ts'
import { type SendOutcome, sendOrder } from './sendOrder.ts'

interface CarrierSettings extends Bounds {
  readonly intervalMs: number
  readonly raiseAfterMs: number
  readonly drainMs: number
  readonly isDryRun: boolean
}

interface CarrierDeps {
  readonly service: Pick<KeeperService, 'offers'>
  readonly permits: KeeperPermits
  readonly chain: KeeperChain
  readonly wallet: Wallet
  readonly account: Account
  readonly clock: KeeperClock
  readonly log: KeeperLog
  readonly totals: Totals
  /** Told of the block in which one was carried. */
  readonly onCarried: (blockNumber: number) => void
  /** Told of each token that is paid and has no price. */
  readonly onUnpriced: (token: KeeperToken) => void
}

/**
 * Why an offer was not sent: it cannot be carried, saves no charge, costs more than it saves, could not be tried, needs more ether than the
 * wallet has, or this is a dry run.
 */
type Verdict = 'void' | 'pointless' | 'dear' | 'unread' | 'poor' | 'would_carry'

/** Between two pages. Reading one is an expensive request, and a caller without a key has three of these a minute. */
const LEAST_PAUSE_MS = 60_000

/** Carries the permissions that are worth it. What the service lists is only a hint. A failure here never stops the keeper's remits. */
export class Carrier {
  readonly #settings: CarrierSettings
  readonly #deps: CarrierDeps
  /** The permissions of the present page that were not looked at yet. */
  #offers: SignedPermit[] = []
  /** The cursor of the next page. */
  #next: string | undefined
  /** Unix milliseconds before which no page is asked for. */
  #notBefore = 0
  /** What became of the page's permissions so far, for the summary at its end. */
  #verdicts: Verdict[] = []
  /** Signatures of what `sendOrder` came to an end with, also where it would revert or the node refused it: these are not tried again. */
  readonly #sent = new Set<string>()

  constructor(settings: CarrierSettings, deps: CarrierDeps) {
    this.#settings = settings
    this.#deps = deps
  }

  /**
   * Looks at the permissions of the page, up to the first that is worth it, and carries that one. The keeper then looks at everything
   * anew, and the next call goes on after it. Throws CliError, which ends the keeper.
   * @returns whether one was handed to `sendOrder`, whatever came of it
   */
  async carryNext(nonce: number, signal: AbortSignal): Promise<boolean> {
    if (this.#offers.length === 0) await this.#readPage()
    if (this.#offers.length === 0) return false
    try {
      const without = await this.#deps.chain.remitsAhead()
      for (;;) {
        const permit = this.#offers.shift()
        if (permit === undefined || without === undefined || signal.aborted) break
        const verdict = await this.#carryIfWorthwhile(permit, without, nonce, signal)
        if (verdict === 'sent') return true
        this.#verdicts.push(verdict)
      }
    } catch (error) {
      if (signal.aborted) return false
      if (error instanceof CliError) throw error
      this.#offers = []
      this.#sayFailed(error)
    }
    this.#sayVerdicts()
    return false
  }

  async #readPage(): Promise<void> {
    const { service, clock, log } = this.#deps
    if (clock.now() < this.#notBefore) return
    this.#notBefore = clock.now() + Math.max(LEAST_PAUSE_MS, this.#settings.intervalMs)
    try {
      const { permits, next } = await service.offers(this.#next)
      this.#offers = [...permits]
      this.#next = next
    } catch (error) {
      this.#next = undefined
      log.tell('no_offers', `The service lists no permissions: ${wordsOf(error)}`)
    }
  }

  /** @param without the next remits if nothing is carried */
  async #carryIfWorthwhile(
    permit: SignedPermit,
    without: RemitsAhead,
    nonce: number,
    signal: AbortSignal,
  ): Promise<Verdict | 'sent'> {
    const { chain, account, log, onUnpriced } = this.#deps
    const settings = this.#settings
    if (this.#sent.has(permit.signature)) return 'void'
    const tried = await this.#simulate(permit).catch((error: unknown) => {
      if (signal.aborted || error instanceof NoSimulationError) throw error
      // One permission must not stand in the way of those after it.
      log.tellOnce('unread', 'unread', `The RPC cannot try every permission: ${wordsOf(error)}`)
      return null
    })
    if (tried === null) return 'unread'
    if (tried === undefined) return 'void'
    const { call, carried } = tried
    const { address } = account
    const ahead = { without, with: carried }
    const decision = await decideCarry({ call, ahead }, nonce, settings, { chain, address, onUnpriced })
    if (decision.kind === 'poor') {
      // There is no ether for the others of the page either.
      this.#offers = []
      log.tell('no_funds', decision.message, decision.facts)
    }
    if (decision.kind !== 'send') return decision.kind
    const { order, weighing } = decision
    const facts = { owner: permit.owner, token: permit.token, ...factsOf(weighing) }
    const described = `the permission of ${permit.owner}: ${describeCarry(weighing)}.`
    if (settings.isDryRun) {
      log.tell('would_carry', `Would carry ${described}`, facts)
      return 'would_carry'
    }
    // The keeper was asked to end: nothing more is sent.
    signal.throwIfAborted()
    const onSigning = () => log.tell('carrying', `Carrying ${described}`, facts)
    // Throws before anything was sent.
    const outcome = await sendOrder(order, { ...this.#deps, ...settings, journal: log, onSigning, signal })
    this.#sent.add(permit.signature)
    this.#conclude(outcome, permit, nonce)
    return 'sent'
  }

  /** What carries it, and the remits after it; `undefined` where it cannot be carried. */
  async #simulate(
    permit: SignedPermit,
  ): Promise<{ readonly call: OwnCall; readonly carried: RemitsAhead } | undefined> {
    const { chain, permits } = this.#deps
    const call = await permits.callOf(permit)
    const carried = call && (await chain.remitsAhead(call))
    return call && carried && { call, carried }
  }

  #conclude(outcome: SendOutcome, { owner }: SignedPermit, nonce: number): void {
    const { log } = this.#deps
    switch (outcome.kind) {
      case 'mined':
        this.#concludeMined(outcome.receipt, owner)
        return
      case 'raced':
        log.tell(
          'raced',
          `The permission of ${owner} would revert now: most likely somebody else carries it.`,
        )
        return
      case 'displaced':
        log.tell(
          'displaced',
          `Another transaction of this wallet took the nonce ${nonce}: nothing is carried.`,
        )
        return
      case 'refused':
        log.tell('refused', `The node refused to carry the permission of ${owner}: ${outcome.reason}.`)
        return
      case 'left': {
        const { hashes } = outcome
        log.tell('left', `Still pending when the keeper had to end: ${hashes.join(', ')}.`, { nonce, hashes })
      }
    }
  }

  #concludeMined(receipt: RemitReceipt, owner: SignedPermit['owner']): void {
    const { log, totals, onCarried } = this.#deps
    const { hash, blockNumber, succeeded, paidWei } = receipt
    totals.countCarried(receipt)
    onCarried(blockNumber)
    const facts = { hash, blockNumber, owner, paidWei }
    if (succeeded) {
      const message = `Carried the permission of ${owner} in block ${blockNumber}, paid ${eth(paidWei)}.`
      log.tell('carried', message, facts)
      return
    }
    const message = `The permit ${hash} reverted in block ${blockNumber}, most likely because somebody else was first: ${eth(paidWei)} are lost.`
    log.tell('reverted', message, facts)
  }

  #sayFailed(error: unknown): void {
    const { log } = this.#deps
    if (error instanceof NoSimulationError) {
      const message =
        'Your node has no eth_simulateV1, so it cannot tell what a permission is worth: none is carried.'
      log.tellOnce('no_simulation', 'no_forecast', message)
      return
    }
    log.tell('rpc_fault', `What is offered cannot be tried: ${wordsOf(error)}`)
  }

  /** Says what became of the page. The same sentence is said once: most offers are for other days, and come again and again. */
  #sayVerdicts(): void {
    const verdicts = this.#verdicts
    this.#verdicts = []
    if (verdicts.length === 0) return
    const count = (verdict: Verdict) => verdicts.filter((each) => each === verdict).length
    const parts = [
      [count('void'), 'void or carried already'],
      [count('pointless'), 'that save no charge of the next day'],
      [count('dear'), 'not worth the gas'],
    ] as const
    const said = parts.flatMap(([many, words]) => (many === 0 ? [] : [`${many} ${words}`]))
    if (said.length === 0) return
    const message = `Of ${verdicts.length} permissions that were offered: ${said.join(', ')}.`
    this.#deps.log.tellOnce(message, 'not_carried', message)
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
