import { UsdcLikeToken } from '@remit/contracts/UsdcLikeToken'
import { type Address, type Client, encodeAbiParameters, keccak256, type LocalAccount } from 'viem'
import { getBlock, readContract } from 'viem/actions'
import type { TestChain } from '../chain/useTestChain.ts'

/** Where something is signed. */
type Place = Pick<TestChain, 'chainId' | 'contract'> & { readonly client: Client }

/** What is signed here lasts six days. */
const SIGNED_SECONDS = 6 * 86_400

/** A permit of a USDC-like token, signed with nothing of the service's, as `prepare_carry_permit` takes it. */
export async function signedPermit(
  chain: Place,
  {
    token,
    signer,
    value,
  }: { readonly token: Address; readonly signer: LocalAccount; readonly value: bigint },
) {
  const owner = signer.address
  const [{ domain, end: deadline }, nonce] = await Promise.all([
    signedTo(chain, token),
    readContract(chain.client, {
      address: token,
      abi: UsdcLikeToken.abi,
      functionName: 'nonces',
      args: [owner],
    }),
  ])
  const signature = await signer.signTypedData({
    domain,
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

/** A transfer of a USDC-like token to a member, signed in the same way, as `prepare_carry_top_up` takes it. */
export async function signedTopUp(
  chain: Place,
  {
    token,
    signer,
    account,
    value,
  }: {
    readonly token: Address
    readonly signer: LocalAccount
    readonly account: Address
    readonly value: bigint
  },
) {
  const payer = signer.address
  const { domain, end: validBefore } = await signedTo(chain, token)
  const words = ['uint256', 'address', 'address', 'address', 'uint256', 'uint256'].map((type) => ({ type }))
  const said = [BigInt(chain.chainId), token, payer, account, value, BigInt(validBefore)]
  const nonce = keccak256(encodeAbiParameters(words, said))
  const signature = await signer.signTypedData({
    domain,
    types: {
      TransferWithAuthorization: [
        { name: 'from', type: 'address' },
        { name: 'to', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'validAfter', type: 'uint256' },
        { name: 'validBefore', type: 'uint256' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'TransferWithAuthorization',
    message: { from: payer, to: account, value, validAfter: 0n, validBefore: BigInt(validBefore), nonce },
  })
  return { payer, account, token, value: value.toString(), validBefore, signature }
}

/** The token's domain, and when what is signed now ends. */
async function signedTo({ client, chainId }: Place, token: Address) {
  const read = { address: token, abi: UsdcLikeToken.abi } as const
  const [name, version, block] = await Promise.all([
    readContract(client, { ...read, functionName: 'name' }),
    readContract(client, { ...read, functionName: 'version' }),
    getBlock(client),
  ])
  return {
    domain: { name, version, chainId, verifyingContract: token },
    end: Number(block.timestamp) + SIGNED_SECONDS,
  }
}
