import type { Address } from 'viem'
import { apiOf, SURROUNDINGS } from '../../createApiClient.ts'
import type { Api } from '../../generated/api.ts'
import { openNode } from '../../node/openNode.ts'
import { tryingAgain } from '../../request/createCaller.ts'
import type { OwnWrites } from '../../request/OwnWrites.ts'
import type { SignedPermits } from '../permits/SignedPermits.ts'
import type { Reader } from '../wallet/Wallet.ts'

/**
 * The operations at the node that a wallet reads by. It is made anew for each sending: what a head is kept for would be
 * too long here.
 */
export function nodeApi(
  node: Reader,
  {
    chainId,
    contract,
    ownWrites,
    signedPermits,
  }: {
    readonly chainId: number
    readonly contract: Address
    readonly ownWrites: OwnWrites
    readonly signedPermits: SignedPermits
  },
): Api {
  const options = {
    node,
    contracts: { [chainId]: contract },
    chainId,
    retries: 0,
    outstandingPermits: signedPermits.find,
  }
  return apiOf(
    tryingAgain(openNode(options, SURROUNDINGS).attempt(undefined), options, SURROUNDINGS),
    ownWrites,
    chainId,
  )
}
