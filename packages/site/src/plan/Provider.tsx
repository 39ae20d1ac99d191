import type { GetProviderProfileAnswer, ProviderIdentity } from '@remit/client'
import { Address, Picture, short } from '../design/values/Address.tsx'
import { UntrustedText } from '../design/values/Untrusted.tsx'
import { linkTo } from '../page/api.ts'
import { given, isGiven } from '../page/Resource.ts'
import { ProviderMark } from './ProviderMark.tsx'

/** Who gets the money: the address, and beside it what it calls itself and what is known of it. */
export function Provider({
  address,
  isWhole = false,
}: {
  readonly address: string
  readonly isWhole?: boolean
}) {
  const known = profileOf(address)
  const name = companyIn(known)
  return (
    <span>
      {name === undefined ? null : (
        <>
          <strong>
            <UntrustedText text={name} most={40} />
          </strong>{' '}
        </>
      )}
      <Address address={address} isWhole={isWhole} /> <ProviderMark identity={known?.identity} />
    </span>
  )
}

/** The provider in a list, where there is room for one line: the name, or else the short address, leads to the wallet. */
export function ProviderLine({
  address,
  name,
  identity,
}: {
  readonly address: string
  readonly name: string | null
  readonly identity: ProviderIdentity
}) {
  return (
    <>
      <a class="address" href={linkTo(`/wallets/${address}`)} title={address}>
        <Picture address={address} />
        {name === null ? <code>{short(address)}</code> : <UntrustedText text={name} most={24} />}
      </a>
      <ProviderMark identity={identity} />
    </>
  )
}

/** What is known of a provider, if the page came with it. */
function profileOf(address: string): GetProviderProfileAnswer | undefined {
  const key = `profile:${address}`
  if (!isGiven(key)) return undefined
  const known = given(key, 'getProviderProfile').value
  return known.state === 'there' ? known.answer : undefined
}

/** What a provider calls itself. */
function companyIn(known: GetProviderProfileAnswer | undefined): string | undefined {
  const company = known?.profile?.company.trim()
  return company === '' ? undefined : company
}
