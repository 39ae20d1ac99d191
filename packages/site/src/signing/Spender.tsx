import { Address } from '../design/Address.tsx'
import { pageData } from '../page/pageData.ts'

/** The selector of `approve(address,uint256)`. */
const APPROVE = '0x095ea7b3'
/** Where its first argument stands in the calldata: the last 20 of 32 bytes. */
const SPENDER = [APPROVE.length + 24, APPROVE.length + 64] as const

/** Who may take money by what would be signed, as the calldata says; `undefined` where nobody is given a permission. */
export function spenderIn(transactions: readonly { readonly data: string }[]): string | undefined {
  const approve = transactions.findLast(({ data }) => data.startsWith(APPROVE))
  return approve === undefined ? undefined : `0x${approve.data.slice(...SPENDER)}`
}

/** Who is given a permission, to be compared with what the wallet shows. */
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
