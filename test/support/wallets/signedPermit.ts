import { UsdcLikeToken } from '@remit/contracts/UsdcLikeToken'
import type { Address, LocalAccount } from 'viem'
import type { TestChain } from '../chain/useTestChain.ts'

/** A permit of a USDC-like token, signed with nothing of the service's, as `prepare_carry_permit` takes it. It lasts six days. */
export async function signedPermit(
  chain: TestChain,
  {
    token,
    signer,
    value,
  }: { readonly token: Address; readonly signer: LocalAccount; readonly value: bigint },
) {
  const read = { address: token, abi: UsdcLikeToken.abi } as const
  const [name, version, nonce, block] = await Promise.all([
    chain.client.readContract({ ...read, functionName: 'name' }),
    chain.client.readContract({ ...read, functionName: 'version' }),
    chain.client.readContract({ ...read, functionName: 'nonces', args: [signer.address] }),
    chain.client.getBlock(),
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
