import type { Address } from 'viem'
import { isSameHex } from '../../request/isSameHex.ts'
import { CliError, EXIT } from '../errors.ts'
import type { KeeperState } from './ports.ts'

/** What the keeper knows by itself, and compares the service's answers with. */
interface OwnFacts {
  readonly chainId: number
  readonly contractAddress: Address
}

/** Throws CliError if the service answers for another chain or contract than the keeper's. */
export function checkState(
  { chainId, contractAddress }: Pick<KeeperState, 'chainId' | 'contractAddress'>,
  own: OwnFacts,
): void {
  checkChain(chainId, own.chainId)
  if (isSameHex(contractAddress, own.contractAddress)) return
  throw new CliError(
    `The service’s contract on chain ${chainId} is ${contractAddress}, and yours is ${own.contractAddress}: nothing is sent.`,
    EXIT.refused,
  )
}

/** Throws CliError if the service answers for another chain. */
export function checkChain(answered: number, own: number): void {
  if (answered === own) return
  throw new CliError(
    `The service answered for chain ${answered} where it was asked for chain ${own}: nothing is sent.`,
    EXIT.refused,
  )
}
