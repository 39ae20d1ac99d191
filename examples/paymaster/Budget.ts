import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import type { Address, Hex } from 'viem'
import * as z from 'zod'
import { Refused } from './Refused.ts'

/** What was granted to one operation. It can be mined once, under its sender and nonce, until `validUntil`. */
export interface Grant {
  readonly plan: Hex
  readonly sender: Address
  readonly nonce: bigint
  /** The most that it can cost, in wei. */
  readonly wei: bigint
  /** Unix time by the chain's clock. */
  readonly validUntil: number
  /** The newest block when it was granted: the operation is in none before. */
  readonly block: bigint
}

/** How many operations of one wallet a plan pays for: to subscribe, to leave, and once more. */
const MOST_PER_WALLET = 4
/** How many grants may be open at once. More are refused, not queued. */
const MOST_OPEN = 200

const Whole = z.string().regex(/^\d+$/).transform(BigInt)
const Text = z.templateLiteral(['0x', z.string()])
const Row = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('granted'),
    plan: Text,
    sender: Text,
    nonce: Whole,
    wei: Whole,
    validUntil: z.number(),
    block: Whole,
  }),
  z.object({ kind: z.literal('ended'), sender: Text, nonce: Whole, wei: Whole }),
])

/**
 * What each plan has left to pay with, in wei. The most that an operation can cost is set aside before it is granted; what it
 * did cost takes its place once it is mined, and all of it comes back once it cannot be mined any more.
 *
 * Every change is written to a file before it counts, so that a process that starts again knows what it has promised.
 */
export class Budget {
  readonly #file: string
  readonly #weiByPlan: ReadonlyMap<Hex, bigint>
  readonly #open = new Map<string, Grant>()
  readonly #spent = new Map<Hex, bigint>()
  /** Operations that were mined, by plan and wallet. */
  readonly #mined = new Map<string, number>()

  /** @param weiByPlan what each plan may pay in all */
  constructor(file: string, weiByPlan: ReadonlyMap<Hex, bigint>) {
    this.#file = file
    this.#weiByPlan = weiByPlan
    const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
    // A last line without an end was never promised to anybody: it is granted only after it is written.
    for (const line of lines.slice(0, -1)) this.#apply(Row.parse(JSON.parse(line)))
  }

  /** Those that may still be mined. */
  get open(): readonly Grant[] {
    return [...this.#open.values()]
  }

  hasPlan(plan: Hex): boolean {
    return this.#weiByPlan.has(plan)
  }

  /** What is neither spent nor set aside, in wei. */
  left(plan: Hex): bigint {
    const aside = this.open.filter((grant) => grant.plan === plan).map(({ wei }) => wei)
    const spent = this.#spent.get(plan) ?? 0n
    return (this.#weiByPlan.get(plan) ?? 0n) - spent - aside.reduce((sum, wei) => sum + wei, 0n)
  }

  /** Sets the most that an operation can cost aside. Throws Refused where that is too much. */
  grant(asked: Grant): void {
    const before = this.#open.get(keyOf(asked))
    if (before !== undefined && before.plan !== asked.plan) {
      throw new Refused('this nonce was granted to another plan')
    }
    // Only one of the two can be mined: the dearer one is set aside, for as long as either is valid.
    const grant: Grant = {
      ...asked,
      wei: larger(asked.wei, before?.wei ?? 0n),
      validUntil: Math.max(asked.validUntil, before?.validUntil ?? 0),
      block: before?.block ?? asked.block,
    }
    if (this.left(asked.plan) + (before?.wei ?? 0n) < grant.wei) {
      throw new Refused('the budget of this plan is used up for now')
    }
    const others = this.open.filter((one) => keyOf(one) !== keyOf(asked))
    const own = others.filter(({ plan, sender }) => plan === asked.plan && sender === asked.sender)
    if (own.length + (this.#mined.get(walletKey(asked)) ?? 0) >= MOST_PER_WALLET) {
      throw new Refused('this wallet has been paid for often enough')
    }
    if (others.length >= MOST_OPEN) throw new Refused('too much is under way, try again later')
    this.#write({ kind: 'granted', ...grant })
  }

  /** Ends a grant. @param wei what it did cost; 0 where it was never mined */
  end({ sender, nonce }: Pick<Grant, 'sender' | 'nonce'>, wei: bigint): void {
    if (this.#open.has(keyOf({ sender, nonce }))) this.#write({ kind: 'ended', sender, nonce, wei })
  }

  #write(row: z.output<typeof Row>): void {
    const line = JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? String(value) : value))
    appendFileSync(this.#file, `${line}\n`, { flush: true })
    this.#apply(row)
  }

  #apply(row: z.output<typeof Row>): void {
    if (row.kind === 'granted') {
      const { kind: _, ...grant } = row
      this.#open.set(keyOf(grant), grant)
      return
    }
    const grant = this.#open.get(keyOf(row))
    if (grant === undefined) return
    this.#open.delete(keyOf(row))
    this.#spent.set(grant.plan, (this.#spent.get(grant.plan) ?? 0n) + row.wei)
    if (row.wei > 0n) this.#mined.set(walletKey(grant), (this.#mined.get(walletKey(grant)) ?? 0) + 1)
  }
}

function keyOf({ sender, nonce }: Pick<Grant, 'sender' | 'nonce'>): string {
  return `${sender} ${nonce}`
}

function walletKey({ plan, sender }: Pick<Grant, 'plan' | 'sender'>): string {
  return `${plan} ${sender}`
}

function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}
