import type { ProviderIdentity } from '@remit/client'
import { Term } from '../design/Term.tsx'
import { UntrustedText } from '../design/Untrusted.tsx'
import { momentWords } from '../words/time.ts'

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

/** @param isOwn whether the provider itself reads it */
function notProven(reason: Domain['reason'], isOwn: boolean): string {
  return isOwn
    ? `You say that this domain is yours, and that is not proven. ${DOMAIN_REASONS[reason]} “Prove your domain” tells how.`
    : `The provider says that this domain is theirs, and that is not proven. ${DOMAIN_REASONS[reason]} Anybody can write any name: if it matters, ask there for the address that is paid.`
}

interface ProviderMarkProps {
  readonly identity: ProviderIdentity | undefined
  /** Whether the provider itself reads it. */
  readonly isOwn?: boolean
}

/** Whose domain it is, as DNS says, and the name of the address on the chain. What is only claimed is marked as a claim. */
export function ProviderMark({ identity, isOwn = false }: ProviderMarkProps) {
  const { domain, chainName } = identity ?? {}
  const isVerified = domain?.state === 'verified'
  const at = domain?.formattedCheckedAt
  return (
    <>
      {domain?.name ? (
        <span
          class={`provider-mark ${isVerified ? 'provider-mark--verified' : 'quiet'}`}
          title={at ? `Looked up in DNS: ${momentWords(at)}` : undefined}
        >
          {isVerified ? '✓ ' : null}
          <bdi>{domain.name}</bdi>
          {isVerified ? (
            <span class="unseen">, verified</span>
          ) : (
            <>
              {' '}
              <Term means={notProven(domain.reason, isOwn)}>(not proven)</Term>
            </>
          )}
        </span>
      ) : null}
      {chainName ? (
        <span class="provider-mark">
          <UntrustedText text={chainName} most={60} />
        </span>
      ) : null}
    </>
  )
}
