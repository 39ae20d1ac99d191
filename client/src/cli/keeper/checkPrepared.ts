import type { Address, Hex } from 'viem'
import { CliError } from '../CliError.ts'
import { EXIT } from '../exitCodes.ts'
import type { PreparedRemit } from './ports.ts'
import { isSame } from './weighRemit.ts'

/** What the keeper is willing to sign. */
export interface Terms {
  readonly chainId: number
  readonly contractAddress: Address
  readonly address: Address
  /** The calldata of remit(), which has no arguments. */
  readonly remitData: Hex
}

/**
 * The one call in what the service prepared. Throws CliError where it is anything but one remit() without value, on
 * this chain, to the protocol's contract, from the keeper: nothing else is ever signed.
 */
export function checkPrepared({ transactions }: PreparedRemit, terms: Terms): { to: Address; data: Hex } {
  const [transaction, ...others] = transactions
  const isRemit =
    transaction !== undefined &&
    others.length === 0 &&
    transaction.chainId === terms.chainId &&
    transaction.value === 0n &&
    isSame(transaction.to, terms.contractAddress) &&
    isSame(transaction.from, terms.address) &&
    isSame(transaction.data, terms.remitData)
  if (isRemit) return { to: terms.contractAddress, data: terms.remitData }
  throw new CliError(
    'The service prepared something else than one remit() of the protocol’s contract. Nothing was signed; do not use this service.',
    EXIT.refused,
  )
}
