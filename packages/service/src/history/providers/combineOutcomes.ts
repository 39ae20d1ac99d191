import type { DomainOutcome } from '@remit/engine/ports/providerChecks'

/** What the answers of two resolvers say of a domain together: it is its provider's only if both show the proof. */
export function combineOutcomes(
  one: DomainOutcome | undefined,
  other: DomainOutcome | undefined,
): DomainOutcome {
  const both = [one, other]
  if (both.every((outcome) => outcome === 'SIGNED')) return 'SIGNED'
  if (both.includes('SIGNED')) return 'RESOLVERS_DISAGREE'
  return both.includes('OTHER_SIGNATURE') ? 'OTHER_SIGNATURE' : 'NO_RECORD'
}
