import { formatUnits, getAddress } from 'viem'
import type { Fact, RemitReceipt } from './ports.ts'
import type { KeeperToken } from './weighRemit.ts'

/** What a keeper has done since its start. */
export class Totals {
  #sent = 0
  #cleared = 0
  #reverted = 0
  #paidWei = 0n
  readonly #earned = new Map<string, bigint>()
  readonly #tokens = new Map<string, KeeperToken>()

  know(tokens: readonly KeeperToken[]): void {
    for (const token of tokens) this.#tokens.set(token.address.toLowerCase(), token)
  }

  countSent(): void {
    this.#sent += 1
  }

  countMined({ succeeded, paidWei, earned }: RemitReceipt): void {
    if (succeeded) this.#cleared += 1
    else this.#reverted += 1
    this.#paidWei += paidWei
    for (const { token, amountRaw } of earned) {
      const key = token.toLowerCase()
      this.#earned.set(key, (this.#earned.get(key) ?? 0n) + amountRaw)
    }
  }

  /** Amounts as people read them: "0.25 USDC, 3 DAI". */
  describe(earned: RemitReceipt['earned']): string {
    const amounts = earned.map(({ token, amountRaw }) => this.#amountOf(token, amountRaw))
    return amounts.length === 0 ? 'nothing' : amounts.join(', ')
  }

  sentence(): string {
    const all = [...this.#earned].map(([token, amountRaw]) => this.#amountOf(token, amountRaw))
    return (
      `${this.#sent} sent, ${this.#cleared} of them succeeded and ${this.#reverted} reverted; earned ` +
      `${all.length === 0 ? 'nothing' : all.join(', ')}; paid ${formatUnits(this.#paidWei, 18)} ETH for gas.`
    )
  }

  facts(): Record<string, Fact> {
    return {
      sent: this.#sent,
      succeeded: this.#cleared,
      reverted: this.#reverted,
      paidWei: this.#paidWei,
      earned: [...this.#earned].map(([token, amountRaw]) => ({
        token: getAddress(token),
        symbol: this.#tokens.get(token)?.symbol ?? null,
        amountRaw,
      })),
    }
  }

  #amountOf(address: string, amountRaw: bigint): string {
    const token = this.#tokens.get(address.toLowerCase())
    // Of a token that nobody has told of, no decimals are known.
    if (token === undefined) return `${amountRaw} of the smallest unit of ${getAddress(address)}`
    return `${formatUnits(amountRaw, token.decimals)} ${token.symbol ?? token.address}`
  }
}
