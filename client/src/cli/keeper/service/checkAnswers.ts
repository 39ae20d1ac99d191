import type { Address, Hex } from 'viem'
import { CliError } from '../../CliError.ts'
import { EXIT } from '../../exitCodes.ts'
import { isSame } from '../decide/weighRemit.ts'
import type { KeeperState, PreparedRemit } from '../ports/ports.ts'

/** What the keeper knows by itself, and holds the service's answers against. */
export interface OwnWord {
  readonly chainId: number
  readonly contractAddress: Address
  readonly address: Address
  /** The calldata of remit(), which has no arguments. */
  readonly remitData: Hex
}

/** Throws CliError where the service speaks of another chain or of another contract than the keeper's own. */
export function checkState(
  { chainId, contractAddress }: Pick<KeeperState, 'chainId' | 'contractAddress'>,
  own: Pick<OwnWord, 'chainId' | 'contractAddress'>,
): void {
  checkChain(chainId, own.chainId)
  if (isSame(contractAddress, own.contractAddress)) return
  throw new CliError(
    `The service’s contract on chain ${chainId} is ${contractAddress}, and yours is ${own.contractAddress}: nothing is sent.`,
    EXIT.refused,
  )
}

export function checkChain(answered: number, own: number): void {
  if (answered === own) return
  throw new CliError(
    `The service answered for chain ${answered} where it was asked for chain ${own}: nothing is sent.`,
    EXIT.refused,
  )
}

/**
 * Throws CliError where the service prepared anything but one remit() without value, on this chain, to the
 * protocol's contract, from the keeper. The keeper signs its own call in any case: such a service is no good.
 */
export function checkPrepared({ chainId, transactions }: PreparedRemit, own: OwnWord): void {
  checkChain(chainId, own.chainId)
  const [transaction, ...others] = transactions
  const isRemit =
    transaction !== undefined &&
    others.length === 0 &&
    transaction.chainId === own.chainId &&
    transaction.value === 0n &&
    isSame(transaction.to, own.contractAddress) &&
    isSame(transaction.from, own.address) &&
    isSame(transaction.data, own.remitData)
  if (isRemit) return
  throw new CliError(
    'The service prepared something else than one remit() of the protocol’s contract. Nothing of it was signed; do not use this service.',
    EXIT.refused,
  )
}
