import { type Address, zeroAddress } from 'viem'
import { subscriptionsAbi } from '../../../generated/abi.ts'
import { findContract } from '../../../sending/check/findContract.ts'
import { CliError, UsageError } from '../../invocation/CliError.ts'
import { EXIT } from '../../invocation/exitCodes.ts'
import type { OwnNode } from '../node/OwnNode.ts'
import { readOrNull } from '../node/readOrNull.ts'

/** The contract on this chain is neither built in nor given. The service's word for it never counts. */
class MissingContractError extends CliError {
  override readonly name = 'MissingContractError'

  constructor(chainId: number) {
    super(
      `The protocol’s contract on chain ${chainId} is not known here: give its address with --contract. The service’s word for it does not count.`,
      EXIT.usage,
    )
  }
}

/**
 * The contract that a keeper calls: the owner's word, or the built-in one. Throws MissingContractError where there is
 * neither, and CliError where the node has no such contract there.
 */
export async function requireContract(
  node: OwnNode,
  chainId: number,
  pinned: Address | undefined,
): Promise<Address> {
  const address = findContract(chainId, pinned === undefined ? {} : { [chainId]: pinned })
  if (address === undefined) throw new MissingContractError(chainId)
  // Any view of the protocol would do.
  const view = { address, abi: subscriptionsAbi, functionName: 'approvedERC20', args: [zeroAddress] } as const
  const answer = await readOrNull(node.readContract(view)).catch((cause: unknown) => {
    throw new CliError('The RPC of --rpc does not answer.', EXIT.unavailable, { cause })
  })
  if (answer !== null) return address
  throw new UsageError(
    `At ${address} on chain ${chainId}, by the RPC of --rpc, is no contract of the protocol: nothing is sent.`,
  )
}
