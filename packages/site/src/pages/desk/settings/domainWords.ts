import type { ProviderIdentity } from '@remit/client'

type Domain = NonNullable<ProviderIdentity['domain']>

/** What the state of a domain rests on. */
export const DOMAIN_REASONS: Readonly<Record<Domain['reason'], string>> = {
  SIGNED: 'Its DNS record names this wallet: two resolvers agree.',
  NOT_LOOKED_UP: 'Nobody has looked it up yet.',
  NOT_A_DOMAIN: 'This is no domain that can be looked up.',
  NO_RECORD: 'Its DNS does not name this wallet.',
  OTHER_SIGNATURE: 'Its DNS record is another wallet’s.',
  RESOLVERS_DISAGREE: 'Two resolvers answer differently.',
  RESOLVER_FAILED: 'It could not be looked up.',
  OUTDATED: 'It was looked up too long ago.',
}

/** What it means to the provider that their domain is not proven. */
export function notProvenWords({ domain }: ProviderIdentity): string | undefined {
  if (domain == null) return undefined
  return `You say that this domain is yours, and that is not proven. ${DOMAIN_REASONS[domain.reason]} “Prove your domain” tells how.`
}
