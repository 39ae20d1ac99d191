import type { Quota } from '../../schema/quota.ts'

/** RateLimit-Policy and RateLimit, a member for each bucket that a request took from. */
export function rateLimitHeaders(quotas: readonly Quota[]): Record<string, string> {
  if (quotas.length === 0) return {}
  return {
    'RateLimit-Policy': quotas
      .map((quota) => `"${quota.name}";q=${quota.limit};w=${quota.windowSeconds}`)
      .join(', '),
    RateLimit: quotas
      .map((quota) => `"${quota.name}";r=${quota.remaining};t=${quota.resetSeconds}`)
      .join(', '),
  }
}
