import type { Address } from 'viem'

/** What a permit would do, and until when. */
export interface OutstandingPermit {
  /** The allowance that it sets, in the token's smallest unit. */
  readonly value: bigint
  /** Unix time in seconds. */
  readonly deadline: number
  /** It is void once the owner's next nonce is another one. */
  readonly nonce: bigint
}

/** Finds permits that a wallet has signed. */
type FindPermits = (asked: {
  readonly chainId: number
  readonly owner: Address
  readonly token: Address
}) => Promise<readonly OutstandingPermit[]>

export interface PermitOptions {
  /**
   * Finds permits that were signed before this client was made, such as a page keeps over a reload. What is prepared at the wallet's
   * own node warns of them (PERMIT_OUTSTANDING), as of those that this client has had signed, as long as they can be carried.
   */
  readonly outstandingPermits?: FindPermits | undefined
}

/**
 * The permits that a client has had signed, or is told of. Whoever holds one can set the allowance until its deadline, so what is
 * prepared at a wallet's own node warns of them. Those whose nonce has been used are told apart there.
 */
export class SignedPermits {
  readonly #known = new Map<string, OutstandingPermit[]>()
  readonly #earlier: FindPermits

  constructor({ outstandingPermits = async () => [] }: PermitOptions = {}) {
    this.#earlier = outstandingPermits
  }

  note(
    chainId: number,
    { owner, token }: { owner: Address; token: Address },
    permit: OutstandingPermit,
  ): void {
    const place = placeOf(chainId, owner, token)
    this.#known.set(place, [...(this.#known.get(place) ?? []), permit])
  }

  readonly find: FindPermits = async (asked) => {
    const own = this.#known.get(placeOf(asked.chainId, asked.owner, asked.token)) ?? []
    const earlier = await this.#earlier(asked)
    const isKept = ({ value, nonce }: OutstandingPermit) =>
      earlier.some((one) => one.value === value && one.nonce === nonce)
    // Whoever keeps them has mostly kept this client's too.
    return [...earlier, ...own.filter((permit) => !isKept(permit))]
  }
}

function placeOf(chainId: number, owner: Address, token: Address): string {
  return `${chainId}:${owner}:${token}`.toLowerCase()
}
