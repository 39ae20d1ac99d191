import type { Address } from 'viem'

/** What a permit would do, and until when. */
interface OutstandingPermit {
  /** The allowance, in the token's smallest unit. */
  readonly value: bigint
  /** Unix time in seconds. */
  readonly deadline: number
  readonly nonce: bigint
}

/**
 * The permits that a client has had signed. Whoever holds one can set the allowance until its deadline, so what is prepared at a
 * wallet's own node warns of them. Those whose nonce has been used are told apart there.
 */
export class SignedPermits {
  readonly #known = new Map<string, OutstandingPermit[]>()

  note(
    chainId: number,
    { owner, token }: { owner: Address; token: Address },
    permit: OutstandingPermit,
  ): void {
    const place = placeOf(chainId, owner, token)
    this.#known.set(place, [...(this.#known.get(place) ?? []), permit])
  }

  readonly find = async (asked: {
    readonly chainId: number
    readonly owner: Address
    readonly token: Address
  }): Promise<readonly OutstandingPermit[]> =>
    this.#known.get(placeOf(asked.chainId, asked.owner, asked.token)) ?? []
}

function placeOf(chainId: number, owner: Address, token: Address): string {
  return `${chainId}:${owner}:${token}`.toLowerCase()
}
