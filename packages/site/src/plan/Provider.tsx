import { Address, Picture, short } from '../design/Address.tsx'
import { Said } from '../design/Said.tsx'
import { linkTo } from '../page/api.ts'
import { given, isGiven } from '../page/Resource.ts'

/** Who gets the money: the address, and beside it what it calls itself, which nobody has verified. */
export function Provider({ address }: { readonly address: string }) {
  const name = companyOf(address)
  return (
    <span>
      {name === undefined ? null : (
        <>
          “<Said text={name} most={40} />”{' '}
        </>
      )}
      <Address address={address} />
    </span>
  )
}

/** The same in a list, where there is room for one line: the name leads to the wallet. */
export function ProviderLine({ address }: { readonly address: string }) {
  const name = companyOf(address)
  return (
    <a class="address" href={linkTo(`/wallets/${address}`)} title={address}>
      <Picture address={address} />
      {name === undefined ? <code>{short(address)}</code> : <Said text={name} most={24} />}
    </a>
  )
}

/** What a provider calls itself, if the page came with it. */
function companyOf(address: string): string | undefined {
  const key = `profile:${address}`
  if (!isGiven(key)) return undefined
  const known = given(key, 'getProviderProfile').value
  const company = known.state === 'there' ? known.answer.profile?.company.trim() : undefined
  return company === '' ? undefined : company
}
