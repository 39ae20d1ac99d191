import type { ApiClient } from '../createApiClient.ts'
import type { Verify } from './Verify.ts'
import type { VerifySource } from './verifyAnswers.ts'

/** What checks proofs is loaded with the first of them. */
const load = () => import('./verifyAnswers.ts')

/** What is `client.verify`. */
export function createVerify(
  api: Pick<ApiClient, 'getPayment' | 'getMembership'>,
  source: VerifySource,
): Verify {
  return {
    payment: async (request) => (await load()).verifiedPayment(api, source, request),
    membership: async (request) => (await load()).verifiedMembership(api, source, request),
  }
}

/** The `getMembership` of a client with `verify: 'state'`: it answers only what its proof shows. */
export function checkedMembership(
  api: Pick<ApiClient, 'getMembership'>,
  source: VerifySource,
): ApiClient['getMembership'] {
  return async (request, options) => (await load()).checkedMembership(api, source, request, options)
}
