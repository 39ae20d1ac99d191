import * as z from 'zod'
import { DOMAIN_OUTCOMES, type DomainOutcome, type ProviderCheck } from '../ports/providerChecks.ts'
import { IsoTime, Timestamp } from '../schema/numbers.ts'
import { isoTime } from './day.ts'

// Safe: the keys of an object that is written out.
const OUTCOMES = Object.keys(DOMAIN_OUTCOMES) as [DomainOutcome, ...DomainOutcome[]]

/** Who a provider is, beyond what it says of itself. */
export const ProviderIdentity = z
  .object({
    domain: z
      .object({
        name: z
          .string()
          .nullable()
          .describe(
            'The stated domain as DNS has it, letters of other scripts as xn--; null if it is none that is looked up.',
          ),
        state: z
          .enum(['verified', 'unverified', 'failed'])
          .describe(
            'verified: the domain’s DNS names this provider, by two resolvers. unverified: it does not. failed: nobody ' +
              'knows, because resolvers differ, fail, or were not asked for a day.',
          ),
        reason: z.enum(OUTCOMES).describe('What the state rests on.'),
        checkedAt: Timestamp.nullable().describe('When it was last looked up, unix seconds; null if never.'),
        formattedCheckedAt: IsoTime.nullable(),
      })
      .nullable()
      .describe('The domain that the newest profile states; null if it states none.'),
    chainName: z
      .string()
      .nullable()
      .describe(
        'The address’s name in the chain’s registry of names (ENS, Basenames), which leads back to it.',
      ),
  })
  .meta({ id: 'ProviderIdentity' })

/** @param check `undefined` where nothing is known of the provider */
export function toProviderIdentity(check: ProviderCheck | undefined): z.output<typeof ProviderIdentity> {
  const { domain = null, chainName = null } = check ?? {}
  if (domain === null) return { domain, chainName }
  const { name, outcome, checkedAt } = domain
  return {
    domain: {
      name,
      state: DOMAIN_OUTCOMES[outcome],
      reason: outcome,
      checkedAt,
      formattedCheckedAt: checkedAt === null ? null : isoTime(checkedAt),
    },
    chainName,
  }
}

/** Whose domain it is, in a few words; empty where none is stated. */
export function domainText({ domain }: z.output<typeof ProviderIdentity>): string {
  if (domain === null || domain.name === null) return ''
  const { name, state, formattedCheckedAt } = domain
  if (state === 'verified') return `domain ${name} verified by DNS at ${formattedCheckedAt}`
  return `says that ${name} is its domain, which is not proven`
}
