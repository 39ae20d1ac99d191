import { type Address, maxUint256 } from 'viem'

/** What an account holds of a token, and how much of it the protocol's contract may move, in raw units. */
export interface TokenFunds {
  readonly token: Address
  readonly account: Address
  readonly balance: bigint
  readonly allowance: bigint
}

/** One ERC-20 transfer, in raw units. */
export interface TokenTransfer {
  readonly token: Address
  readonly from: Address
  readonly to: Address
  readonly amountRaw: bigint
}

interface Holding {
  balance: bigint
  allowance: bigint
}

/** The balances and allowances of known accounts, changed as a plain ERC-20 changes them. */
export class TokenBalances {
  readonly #holdings = new Map<string, Holding>()

  constructor(funds: Iterable<TokenFunds>) {
    for (const { token, account, balance, allowance } of funds) {
      this.#holdings.set(key(token, account), { balance, allowance })
    }
  }

  find(token: Address, account: Address): Readonly<Holding> | undefined {
    return this.#holdings.get(key(token, account))
  }

  /** Makes a transfer. Answers `false` where the sender is known to hold less. */
  transfer({ token, from, to, amountRaw }: TokenTransfer): boolean {
    const sender = this.#holdings.get(key(token, from))
    if (sender !== undefined) {
      if (sender.balance < amountRaw) return false
      sender.balance -= amountRaw
    }
    const receiver = this.#holdings.get(key(token, to))
    if (receiver !== undefined) receiver.balance += amountRaw
    return true
  }

  /** Makes a transfer by the sender's allowance. Answers `false` where allowance or balance is too low. */
  transferByAllowance(transfer: TokenTransfer): boolean {
    const sender = this.#holdings.get(key(transfer.token, transfer.from))
    if (sender !== undefined && sender.allowance < transfer.amountRaw) return false
    if (!this.transfer(transfer)) return false
    // Most tokens do not reduce an allowance of 2^256 - 1.
    if (sender !== undefined && sender.allowance !== maxUint256) sender.allowance -= transfer.amountRaw
    return true
  }
}

function key(token: Address, account: Address): string {
  return `${token}:${account}`.toLowerCase()
}
