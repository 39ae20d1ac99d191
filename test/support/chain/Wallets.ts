import type { Address } from 'viem'

/** The mnemonic's accounts by what they are in most tests. Any of them may be anything else. */
export interface Wallets {
  readonly admin: Address
  readonly provider: Address
  readonly otherProvider: Address
  readonly alice: Address
  readonly bob: Address
  readonly carol: Address
  readonly dave: Address
  readonly stranger: Address
  readonly keeper: Address
  readonly janitor: Address
}

/** Gives a node's accounts their names. */
export function nameWallets(addresses: readonly Address[]): Wallets {
  const at = (index: number) => {
    const address = addresses[index]
    if (address === undefined) throw new Error(`The node has no account ${index}`)
    return address
  }
  return {
    admin: at(0),
    provider: at(1),
    otherProvider: at(2),
    alice: at(3),
    bob: at(4),
    carol: at(5),
    dave: at(6),
    stranger: at(7),
    keeper: at(9),
    janitor: at(10),
  }
}
