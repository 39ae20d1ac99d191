import { type Address, decodeFunctionData, type Hex, isAddressEqual, parseAbi } from 'viem'
import type { Prepared } from './answers.ts'
import type { CheckedCall } from './checkTransactions.ts'

const abi = parseAbi([
  'struct Terms { bytes32 id; uint256 amount; address provider; address token; bool cancelled; uint8 frequency; uint16 dueDay; }',
  'function unsubscribe(Terms subscription)',
])

/** Holds a prepared leaving against what was asked for: one call, of the contract, about this subscription. */
export function checkLeaving(
  { unsignedTransactions }: Prepared,
  {
    wallet,
    chainId,
    contract,
    id,
  }: { readonly wallet: Address; readonly chainId: number; readonly contract: Address; readonly id: Hex },
): CheckedCall[] {
  const [only, ...more] = unsignedTransactions
  if (only === undefined || more.length > 0)
    throw new Error('I do not sign this: leaving is one transaction.')
  const { to, data, value, from } = only
  const isMeant =
    only.chainId === chainId &&
    isAddressEqual(from, wallet) &&
    isAddressEqual(to, contract) &&
    BigInt(value) === 0n
  if (!isMeant) throw new Error('I do not sign this: it is not for my wallet, contract and chain alone.')
  const { args } = decodeFunctionData({ abi, data })
  if (args[0].id !== id) throw new Error(`I do not sign this: it leaves ${args[0].id}.`)
  return [{ words: 'unsubscribe', to, data }]
}
