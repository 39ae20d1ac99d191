import type { FindOutstandingPermits, OutstandingPermit } from '@remit/engine/ports/outstandingPermits'
import type { Address } from 'viem'

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

  readonly find: FindOutstandingPermits = async ({ chainId, owner, token }) =>
    this.#known.get(placeOf(chainId, owner, token)) ?? []
}

function placeOf(chainId: number, owner: Address, token: Address): string {
  return `${chainId}:${owner}:${token}`.toLowerCase()
}
