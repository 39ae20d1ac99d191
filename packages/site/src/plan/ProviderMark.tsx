import type { ProviderIdentity } from '@remit/client'
import { UntrustedText } from '../design/Untrusted.tsx'
import { momentWords } from '../words/time.ts'

/** Whose domain it is, as DNS says, and the name of the address on the chain. What is only claimed is marked as a claim. */
export function ProviderMark({ identity }: { readonly identity: ProviderIdentity | undefined }) {
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
          {isVerified ? <span class="unseen">, verified</span> : ' (not proven)'}
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
