import { Address } from '../design/values/Address.tsx'
import { pageData } from '../page/pageData.ts'

/** The selector of `approve(address,uint256)`. */
const APPROVE = '0x095ea7b3'
/** Where its first argument stands in the calldata, from and to: the last 40 of 64 digits behind the selector. */
const SPENDER = [APPROVE.length + 24, APPROVE.length + 64] as const

/** The address that would get a permission (an `approve`), as the calldata says; `undefined` where none does. */
export function spenderIn(transactions: readonly { readonly data: string }[]): string | undefined {
  const approve = transactions.findLast(({ data }) => data.startsWith(APPROVE))
  return approve === undefined ? undefined : `0x${approve.data.slice(...SPENDER)}`
}

/** The address that gets a permission, for the reader to compare with what the wallet shows. */
export function Spender({ address }: { readonly address: string }) {
  const contract = pageData.chain?.contract
  const isContract = contract?.toLowerCase() === address.toLowerCase()
  return (
    <>
      {isContract ? 'The contract of the subscriptions ' : 'An address that this page does not know '}
      <Address address={isContract ? contract : address} isLinked={false} isWhole />
      <span class="quiet"> Your wallet must show this address.</span>
    </>
  )
}
