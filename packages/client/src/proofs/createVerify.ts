import type { ApiClient } from '../createApiClient.ts'
import type { Verify } from './Verify.ts'
import type { VerifySource } from './verifyAnswers.ts'

// The code that checks proofs is large, so it is loaded when the first proof is asked for.
const load = () => import('./verifyAnswers.ts')

/**
 * Makes `client.verify`, which answers only what a proof shows.
 * @param source the client's own node and its contracts, by which proofs are checked
 */
export function createVerify(
  api: Pick<ApiClient, 'getPayment' | 'getMembership'>,
  source: VerifySource,
): Verify {
  return {
    payment: async (request) => (await load()).verifiedPayment(api, source, request),
    membership: async (request) => (await load()).verifiedMembership(api, source, request),
  }
}

/** Makes the `getMembership` of a client with `verify: 'state'`: it answers only what its proof shows. */
export function checkedMembership(
  api: Pick<ApiClient, 'getMembership'>,
  source: VerifySource,
): ApiClient['getMembership'] {
  return async (request, options) => (await load()).checkedMembership(api, source, request, options)
}
