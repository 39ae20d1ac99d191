import type { Address } from 'viem'
import { ChainMisconfiguredError } from '../errors/chain.ts'
import type { HeadWatcher } from '../head/HeadWatcher.ts'
import type { Log } from '../ports/log.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { unref } from '../waiting/pause.ts'
import { inspectContract } from './inspectContract.ts'

/** How long after a check that found a wrong contract the next one comes: the operator may have corrected it meanwhile. */
const RECHECK_MS = 5_000

/** What the last completed check found: a problem that only the operator can solve, or `undefined` for none. */
type Finding = { readonly problem: string | undefined }

/**
 * Makes sure, once, that the configured address holds the protocol's contract. With another contract every read would
 * fail for ever, or be plausible and wrong.
 *
 * It is checked as soon as a node answers. If it is another contract, it is checked again every 5 s, from `start` to `stop`; once
 * confirmed, never again.
 */
export class ContractCheck {
  readonly #rpc: Rpc
  readonly #head: HeadWatcher
  readonly #contract: Address
  readonly #pollMs: number
  readonly #log: Log
  /** Pending until a check has found the protocol's contract. It never rejects. */
  readonly #confirmed: Promise<void>
  /** Resolves `#confirmed`. */
  #confirm: () => void = () => {}
  #finding: Finding | undefined
  #inspecting: Promise<void> | undefined
  #loggedProblem: string | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #running = false

  constructor(options: { rpc: Rpc; head: HeadWatcher; contract: Address; pollMs: number; log: Log }) {
    this.#rpc = options.rpc
    this.#head = options.head
    this.#contract = options.contract
    this.#pollMs = options.pollMs
    this.#log = options.log
    this.#confirmed = new Promise((resolve) => {
      this.#confirm = resolve
    })
  }

  /** Checks until the contract is confirmed. */
  start(): void {
    if (this.#running) return
    this.#running = true
    this.#tick()
  }

  stop(): void {
    this.#running = false
    clearTimeout(this.#timer)
  }

  /** A sentence that names the variable; `undefined` if no problem is known. */
  problem(): string | undefined {
    const { chainId } = this.#rpc
    const foreign = this.#rpc.foreignChainId()
    if (foreign === undefined) return this.#finding?.problem
    return `RPC_URL_${chainId}: what answers there is on chain ${foreign}, not on chain ${chainId}.`
  }

  /** Whether a check has found the protocol's contract, and the nodes are not all known to be on another chain. */
  isConfirmed(): boolean {
    return this.#finding !== undefined && this.problem() === undefined
  }

  /** Resolves once the contract is confirmed. */
  confirmed(): Promise<void> {
    return this.#confirmed
  }

  /**
   * Comes before each view: checks, if nobody has yet. Throws ChainMisconfiguredError, and UpstreamError or UpstreamTimeoutError if no
   * node answers.
   */
  async require(): Promise<void> {
    this.throwIfMisconfigured()
    if (this.#finding !== undefined) return
    try {
      await this.#inspect()
    } finally {
      // Also where no node gave an answer: the check may have shown that all of them are on another chain, which says more.
      this.throwIfMisconfigured()
    }
  }

  /** Throws ChainMisconfiguredError if a problem is known. Never asks. */
  throwIfMisconfigured(): void {
    const problem = this.problem()
    if (problem !== undefined) throw new ChainMisconfiguredError(this.#rpc.chainId, problem)
  }

  /** Checks now, and again later until the contract is confirmed. */
  #tick(): void {
    const settle = () => {
      this.#logChange()
      if (!this.#running || this.isConfirmed()) return
      const restMs = this.problem() === undefined ? this.#pollMs : RECHECK_MS
      this.#timer = setTimeout(() => this.#tick(), restMs)
      // The timer must not keep the process alive.
      unref(this.#timer)
    }
    this.#inspect().then(settle, settle)
  }

  /** Checks once. Callers at the same time share one check. Rejects if no node answers. */
  #inspect(): Promise<void> {
    this.#inspecting ??= this.#inspectOnce().finally(() => {
      this.#inspecting = undefined
    })
    return this.#inspecting
  }

  async #inspectOnce(): Promise<void> {
    // Fails at once while the watcher knows that no node answers.
    await this.#head.current()
    const problem = await this.#findProblem()
    this.#finding = { problem }
    if (problem === undefined) this.#confirm()
  }

  async #findProblem(): Promise<string | undefined> {
    const { chainId } = this.#rpc
    let asked: number | undefined
    const found = await this.#rpc.withNode((one, node) => {
      asked = node
      return inspectContract(one, this.#contract)
    })
    if (found === undefined) return undefined
    // A node that lags or lost its state misses the contract, but none invents it: one that finds it is enough.
    for (const node of this.#rpc.working()) {
      if (node !== asked && (await this.#isFoundBy(node))) return undefined
    }
    return `CONTRACT_ADDRESS_${chainId}: ${this.#contract} on chain ${chainId} ${found}.`
  }

  /** Whether a node finds the protocol's contract; false where it does not answer. */
  async #isFoundBy(node: number): Promise<boolean> {
    return this.#rpc
      .withNode((one) => inspectContract(one, this.#contract), { node })
      .then(
        (problem) => problem === undefined,
        () => false,
      )
  }

  /** Logs a problem once, and that it is solved. */
  #logChange(): void {
    const problem = this.problem()
    if (problem === this.#loggedProblem) return
    this.#loggedProblem = problem
    const { chainId } = this.#rpc
    if (problem !== undefined) this.#log.error(`The chain is misconfigured: ${problem}`, { chainId })
    else if (this.isConfirmed()) this.#log.info('The chain is configured well now', { chainId })
  }
}
