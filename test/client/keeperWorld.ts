import { Keeper, type KeeperSettings } from '@remit/client/testing/cli/keeper/Keeper'
import { WriteBudget, type WriteLimits } from '@remit/client/testing/cli/keeper/pace'
import {
  type Fact,
  type KeeperChain,
  type KeeperClock,
  type KeeperPermits,
  type KeeperService,
  type KeeperState,
  type NodeFees,
  NoRemitError,
  type PreparedRemit,
  type RemitTransaction,
} from '@remit/client/testing/cli/keeper/ports'
import { OwnWrites } from '@remit/client/testing/request/freshCaller'
import type { SignedPermit } from '@remit/client/testing/sending/signed/SignedPermit'
import { type Address, type Hex, hexToBigInt, keccak256 } from 'viem'
import { ACCOUNT, NodeAnswer, readSigned, walletIn } from './keeperWorldNode.ts'

const DAY_MS = 86_400_000

export const CONTRACT: Address = '0x5FbDB2315678afecb367f032d93F642f64180aa3'
export const USDC = {
  address: '0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512',
  symbol: 'USDC',
  decimals: 6,
} as const
export const REMIT_DATA: Hex = '0x1a2b3c4d'

/** 0.0004 ETH a USDC. */
export const PRICES = new Map([[USDC.address.toLowerCase(), { digits: 4n, scale: 4 }]])

interface InPool extends Omit<RemitTransaction, 'functionName'> {
  readonly hash: Hex
}

/** What the world's node knows of a transaction in a block. */
interface InBlock {
  readonly to: Address
  readonly blockNumber: number
  readonly succeeded: boolean
  readonly gasUsed: bigint
  readonly gasPrice: bigint
  /** In USDC's smallest unit. */
  readonly earnedRaw: bigint
}

/** A protocol with its chain, its service and a clock, behind the keeper's own ports. Time passes only in sleeps. */
export class KeeperWorld {
  nowMs = Date.UTC(2026, 2, 2, 12)
  /** Days on which something is due, and in how many pages; the last unchecked day moves on as they are cleared. */
  readonly duePages = new Map<number, number>()
  nextUncheckedDay = 20_515
  /** What one remit pays, in USDC's smallest unit. */
  fee = 10_000_000n
  gasLimit = 300_000n
  baseFee = 1_000_000_000n
  readonly priorityFee = 1_000_000n
  balance = 10n ** 18n
  /** Whether blocks take what is in the pool. */
  mines = true
  /** Whether the node has eth_simulateV1. */
  simulates = true
  /** Whether the node shows what is in its pool. */
  showsPool = true
  /** What the service says a remit pays; the truth where it is left out. */
  forecast: bigint | undefined
  l1DataFee = 0n
  /** Permissions that the service lists. */
  offers: SignedPermit[] = []
  /** Whether the next day's remit drops somebody whom it would charge once one of them is carried. */
  savesCharge = false
  /** Whose permission was carried. */
  readonly carried = new Set<Hex>()
  /** What each call of the ports does before it does its work; throw to fail it. */
  before: (call: string) => void = () => {}
  /** Called on every sleep, after the time has moved. */
  onSleep: (() => void) | undefined

  nonce = 0
  pool: InPool[] = []
  readonly receipts = new Map<Hex, InBlock>()
  readonly ownWrites = new OwnWrites(() => this.nowMs)
  /** What each state was asked to have seen. */
  readonly minBlocks: (number | undefined)[] = []
  /** Every version that the node was given, once each. */
  readonly signed: InPool[] = []
  readonly calls: { readonly call: string; readonly atMs: number }[] = []
  readonly told: {
    readonly event: string
    readonly message: string
    readonly facts: Record<string, Fact>
  }[] = []

  get currentDay(): number {
    return Math.floor(this.nowMs / DAY_MS)
  }

  get blockNumber(): number {
    return 100 + this.nonce
  }

  /** How often a call was made. */
  count(call: string): number {
    return this.calls.filter((each) => each.call === call).length
  }

  events(): string[] {
    return this.told.map(({ event }) => event)
  }

  keeper(settings: Partial<KeeperSettings> = {}, limits: WriteLimits = { perMinute: 2, perDay: 20 }): Keeper {
    const { service, chain, permits, wallet, clock, ownWrites } = this
    return new Keeper(
      {
        chainId: 31_337,
        call: { functionName: 'remit', to: CONTRACT, data: REMIT_DATA },
        prices: PRICES,
        minProfitWei: 0n,
        maxFeeWei: 10n ** 16n,
        trustForecast: false,
        carries: false,
        intervalMs: 300_000,
        raiseAfterMs: 120_000,
        drainMs: 60_000,
        isDryRun: false,
        once: false,
        ...settings,
      },
      {
        service,
        chain,
        permits,
        wallet,
        account: ACCOUNT,
        clock,
        ownWrites,
        journal: { tell: (event, message, facts = {}) => void this.told.push({ event, message, facts }) },
        budget: new WriteBudget(limits),
      },
    )
  }

  /** Runs a keeper until the clock has reached a time. */
  async runUntil(endMs: number, settings: Partial<KeeperSettings> = {}): Promise<Keeper> {
    const ending = new AbortController()
    const previous = this.onSleep
    this.onSleep = () => {
      previous?.()
      if (this.nowMs >= endMs) ending.abort()
    }
    const keeper = this.keeper(settings)
    await keeper.run(ending.signal)
    this.onSleep = previous
    return keeper
  }

  /** Runs the remit of anybody, as the contract would. @returns whether it succeeded */
  remit(): boolean {
    this.#walkEmptyDays()
    const pages = this.duePages.get(this.nextUncheckedDay)
    if (this.nextUncheckedDay > this.currentDay || pages === undefined) return false
    if (pages > 1) this.duePages.set(this.nextUncheckedDay, pages - 1)
    else {
      this.duePages.delete(this.nextUncheckedDay)
      this.nextUncheckedDay += 1
    }
    return true
  }

  readonly clock: KeeperClock = {
    now: () => this.nowMs,
    sleep: async (ms) => {
      this.nowMs += ms
      if (this.mines) this.mine()
      this.onSleep?.()
    },
  }

  readonly service: KeeperService = {
    state: async () => {
      this.called('state')
      this.minBlocks.push(this.ownWrites.minBlock(31_337))
      return this.#state()
    },
    prepareRemit: async (onRequest) => {
      onRequest()
      this.called('prepareRemit')
      return this.#prepare()
    },
    offers: async () => {
      this.called('offers')
      return { permits: this.offers, next: undefined }
    },
  }

  readonly permits: KeeperPermits = {
    callOf: async ({ owner }) => {
      this.called('callOf')
      const isVoid = this.carried.has(owner)
      return isVoid ? undefined : { functionName: 'permit', to: USDC.address, data: owner }
    },
  }

  readonly wallet = walletIn(this)

  readonly chain: KeeperChain = {
    nonces: async () => {
      this.called('nonces')
      return { latest: this.nonce, pending: this.nonce + this.pool.length }
    },
    balance: async () => {
      this.called('balance')
      return this.balance
    },
    fees: async () => {
      this.called('fees')
      return this.#fees()
    },
    l1DataFee: async () => this.l1DataFee,
    pendingAt: async (nonce) => {
      this.called('pendingAt')
      const found = this.pool.find((each) => each.nonce === nonce)
      return this.showsPool && found !== undefined ? { ...found, value: 0n } : undefined
    },
    tryRemit: async () => {
      this.called('tryRemit')
      if (!this.isDue()) return { kind: 'reverts', reason: '6' }
      const gains = this.simulates ? [{ token: USDC, amountRaw: this.fee }] : undefined
      return { kind: 'runs', gasLimit: this.gasLimit, gains }
    },
    remitsAhead: async (before) => {
      this.called('remitsAhead')
      const fee = { token: USDC, amountRaw: this.fee }
      const key = 'subscriber'
      const outcome = before ? ({ key, kind: 'charged', fee } as const) : ({ key, kind: 'dropped' } as const)
      const remit = {
        gasLimit: this.gasLimit,
        gains: [fee],
        outcomes: this.savesCharge ? [outcome] : [],
      }
      return { callGasLimit: before === undefined ? 0n : 100_000n, remits: [remit] }
    },
    token: async () => USDC,
    earned: async (logs) => {
      this.called('earned')
      return logs.map(({ data }) => ({ token: USDC, amountRaw: hexToBigInt(data) }))
    },
  }

  /** Takes what is in the pool into a block, where its fees suffice. */
  mine(): void {
    const [next] = this.pool
    if (next === undefined || next.fees.maxFeePerGas < this.baseFee) return
    this.pool = []
    this.nonce += 1
    const isRemit = next.to === CONTRACT
    const succeeded = isRemit ? this.remit() : true
    if (!isRemit) this.carried.add(next.data)
    this.receipts.set(next.hash, {
      to: next.to,
      blockNumber: this.blockNumber,
      succeeded,
      gasUsed: next.gas / 2n,
      gasPrice: this.baseFee,
      earnedRaw: isRemit ? this.fee : 0n,
    })
  }

  /** What the node does with a signed transaction: its hash, or a NodeAnswer. */
  broadcast(raw: Hex): Hex {
    const hash = keccak256(raw)
    const transaction = { ...readSigned(raw), hash }
    if (!this.signed.some((each) => each.hash === hash)) this.signed.push(transaction)
    if (transaction.nonce < this.nonce) throw new NodeAnswer('nonce too low')
    const [there] = this.pool
    if (there?.hash === hash) throw new NodeAnswer('already known')
    if (there !== undefined) {
      const isRaised = transaction.fees.maxFeePerGas * 10n >= there.fees.maxFeePerGas * 11n
      if (!isRaised) throw new NodeAnswer('replacement transaction underpriced')
    }
    this.pool = [transaction]
    return hash
  }

  #state(): KeeperState {
    const day = (dayNumber: number) => ({
      dayNumber,
      date: new Date(dayNumber * DAY_MS).toISOString().slice(0, 10),
    })
    return {
      chainId: 31_337,
      contractAddress: CONTRACT,
      headTimestamp: Math.floor(this.nowMs / 1000),
      nextUncheckedDay: day(this.nextUncheckedDay),
      currentDay: day(this.currentDay),
    }
  }

  #prepare(): PreparedRemit {
    if (this.nextUncheckedDay > this.currentDay) throw new NoRemitError('Not due.', 'REMIT_NOT_DUE')
    if (!this.isDue()) throw new NoRemitError('Nothing is due.', 'NOTHING_DUE')
    const amountRaw = this.forecast ?? this.fee
    return {
      changes: [
        { account: ACCOUNT.address, token: USDC.address, amountRaw },
        { account: CONTRACT, token: USDC.address, amountRaw: -amountRaw },
      ],
      expectedTransactions: 1,
    }
  }

  #fees(): NodeFees {
    const { baseFee, priorityFee } = this
    return {
      nextFeePerGas: baseFee + priorityFee,
      maxFeePerGas: 2n * baseFee + priorityFee,
      maxPriorityFeePerGas: priorityFee,
    }
  }

  /** Whether a remit would have anything to charge now. */
  isDue(): boolean {
    return [...this.duePages.keys()].some((day) => day >= this.nextUncheckedDay && day <= this.currentDay)
  }

  #walkEmptyDays(): void {
    if (!this.isDue()) return
    while (!this.duePages.has(this.nextUncheckedDay)) this.nextUncheckedDay += 1
  }

  /** Notes a call, and lets the test fail it. */
  called(call: string): void {
    this.calls.push({ call, atMs: this.nowMs })
    this.before(call)
  }
}
