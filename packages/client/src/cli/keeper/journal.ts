/** What a keeper says of itself: one line for each thing that it decides, totals at its end, and gains in words. */

import { formatUnits } from 'viem'
import { plainText } from '../output/plainText.ts'
import type { Terminal } from '../output/Terminal.ts'
import type { Fact, Facts, Gain, Journal, KeeperClock, RemitReceipt } from './ports.ts'

/** The keeper's journal. It can print a repeated message only once. */
export class KeeperLog implements Journal {
  readonly #journal: Journal
  readonly #clock: Pick<KeeperClock, 'now'>
  readonly #said = new Set<string>()

  constructor(journal: Journal, clock: Pick<KeeperClock, 'now'>) {
    this.#journal = journal
    this.#clock = clock
  }

  tell(event: string, message: string, facts: Facts = {}): void {
    this.#journal.tell(event, message, facts)
  }

  /** @param key identifies a message that is printed only once */
  tellOnce(key: string, event: string, message: string, facts: Facts = {}): void {
    if (this.#said.has(key)) return
    this.#said.add(key)
    this.tell(event, message, facts)
  }

  /** "at 2026-03-02T12:00:00Z", so many milliseconds from now. */
  timeAfter(ms: number): string {
    return `at ${new Date(this.#clock.now() + ms).toISOString().slice(0, 19)}Z`
  }
}

/** A journal on standard output: lines for people, or with `json` one JSON document per line. */
export function createJournal(
  terminal: Pick<Terminal, 'out'>,
  clock: Pick<KeeperClock, 'now'>,
  json: boolean,
): Journal {
  return {
    tell(event, message, facts = {}) {
      const time = new Date(clock.now()).toISOString()
      const plain = plainText(message)
      if (!json) terminal.out(`${time.slice(0, 19)}Z ${event.padEnd(14)} ${plain}\n`)
      else terminal.out(`${JSON.stringify({ time, event, message: plain, ...facts }, wireFact)}\n`)
    },
  }
}

/** Amounts are decimal texts, as everywhere on the wire. Untrusted text is made safe. */
function wireFact(_name: string, value: Fact): Fact {
  if (typeof value === 'bigint') return value.toString()
  return typeof value === 'string' ? plainText(value) : value
}

/** What a keeper has done since its start. */
export class Totals {
  #sent = 0
  #succeeded = 0
  #reverted = 0
  #paidWei = 0n
  /** Remits of which it could not be read what they paid. */
  #unread = 0
  #carried = 0
  readonly #earned = new Map<string, Gain>()

  countSent(): void {
    this.#sent += 1
  }

  countMined({ succeeded, paidWei, earned }: RemitReceipt): void {
    if (succeeded) this.#succeeded += 1
    else this.#reverted += 1
    this.#paidWei += paidWei
    if (earned === undefined) this.#unread += 1
    for (const { token, amountRaw } of earned ?? []) {
      const key = token.address.toLowerCase()
      this.#earned.set(key, { token, amountRaw: amountRaw + (this.#earned.get(key)?.amountRaw ?? 0n) })
    }
  }

  /** Of a permission, which earns nothing by itself. */
  countCarried({ succeeded, paidWei }: Pick<RemitReceipt, 'succeeded' | 'paidWei'>): void {
    if (succeeded) this.#carried += 1
    this.#paidWei += paidWei
  }

  sentence(): string {
    return (
      `${this.#sent} sent, ${this.#succeeded} of them succeeded and ${this.#reverted} reverted;${this.#aboutCarried()} earned ` +
      `${describeGains([...this.#earned.values()])}${this.#aboutUnread()}; paid ${formatUnits(this.#paidWei, 18)} ETH for gas.`
    )
  }

  facts(): Record<string, Fact> {
    return {
      sent: this.#sent,
      succeeded: this.#succeeded,
      reverted: this.#reverted,
      paidWei: this.#paidWei,
      earned: factsOfGains([...this.#earned.values()]),
      ...(this.#carried > 0 && { carried: this.#carried }),
      ...(this.#unread > 0 && { unread: this.#unread }),
    }
  }

  #aboutCarried(): string {
    if (this.#carried === 0) return ''
    return ` ${this.#carried} ${this.#carried === 1 ? 'permission' : 'permissions'} carried;`
  }

  #aboutUnread(): string {
    return this.#unread === 0 ? '' : `, and what ${this.#unread} of them paid could not be read`
  }
}

/** Amounts as people read them, a token once: "0.25 USDC, 3 DAI". */
export function describeGains(gains: readonly Gain[] | undefined): string {
  if (gains === undefined) return 'what could not be read'
  return gains.length === 0 ? 'nothing' : gains.map(amountOf).join(', ')
}

/** The same for programs. */
export function factsOfGains(gains: readonly Gain[] | undefined): Fact {
  if (gains === undefined) return null
  return gains.map(({ token: { address, symbol }, amountRaw }) => ({ token: address, symbol, amountRaw }))
}

function amountOf({ token: { address, symbol, decimals }, amountRaw }: Gain): string {
  if (decimals === null) return `${amountRaw} of the smallest unit of ${address}`
  return `${formatUnits(amountRaw, decimals)} ${symbol ?? address}`
}
