import { UsdcLikeToken } from '@remit/contracts/UsdcLikeToken'
import type { Address, Client, LocalAccount } from 'viem'
import { getBlock, readContract } from 'viem/actions'
import type { TestChain } from '../chain/useTestChain.ts'

/** A permit of a USDC-like token, signed with nothing of the service's, as `prepare_carry_permit` takes it. It lasts six days. */
export async function signedPermit(
  chain: Pick<TestChain, 'chainId' | 'contract'> & { readonly client: Client },
  {
    token,
    signer,
    value,
  }: { readonly token: Address; readonly signer: LocalAccount; readonly value: bigint },
) {
  const { client } = chain
  const read = { address: token, abi: UsdcLikeToken.abi } as const
  const [name, version, nonce, block] = await Promise.all([
    readContract(client, { ...read, functionName: 'name' }),
    readContract(client, { ...read, functionName: 'version' }),
    readContract(client, { ...read, functionName: 'nonces', args: [signer.address] }),
    getBlock(client),
  ])
  const deadline = Number(block.timestamp) + 6 * 86_400
  const owner = signer.address
  const signature = await signer.signTypedData({
    domain: { name, version, chainId: chain.chainId, verifyingContract: token },
    types: {
      Permit: [
        { name: 'owner', type: 'address' },
        { name: 'spender', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint256' },
      ],
    },
    primaryType: 'Permit',
    message: { owner, spender: chain.contract, value, nonce, deadline: BigInt(deadline) },
  })
  return { owner, token, value: value.toString(), deadline, signature }
}
