import type { ProviderIdentity } from '@remit/client'
import { Term } from '../design/Term.tsx'
import { UntrustedText } from '../design/values/Untrusted.tsx'
import { momentWords } from '../words/time.ts'

const NOT_PROVEN =
  'The provider says that this domain is theirs, and that is not proven. Anybody can write any name: if it matters, ask there for the address that is paid.'

interface ProviderMarkProps {
  readonly identity: ProviderIdentity | undefined
  /** What "not proven" means to the reader; by default what it means to who pays. */
  readonly means?: string
}

/** Behind a provider's name: its domain, with a tick if DNS proves it and else marked as a claim, and its address's name on the chain. */
export function ProviderMark({ identity, means = NOT_PROVEN }: ProviderMarkProps) {
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
              <Term means={means}>(not proven)</Term>
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
