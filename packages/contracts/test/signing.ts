import type { TestChain } from '@remit/testing/support/chain/useTestChain'
import {
  type Address,
  encodeDeployData,
  type Hex,
  hexToNumber,
  numberToHex,
  parseSignature,
  serializeSignature,
  slice,
} from 'viem'
import { SmartAccount } from '../generated/SmartAccount.ts'
import { TestToken } from '../generated/TestToken.ts'

const NAME = 'Signed Coin'

/** Deploys a token that takes signatures, with the domain that its standard gives it. */
export async function deploySigned(chain: TestChain, { bytecode }: { bytecode: Hex }, version: string) {
  const data = encodeDeployData({ abi: TestToken.abi, bytecode, args: [NAME, 'SIGN', 6] })
  const address = await chain.deploy(data)
  return { address, domain: { name: NAME, version, chainId: chain.chainId, verifyingContract: address } }
}

/** Deploys a wallet that is a contract, for whom an owner signs by ERC-1271. */
export function deployWallet(chain: TestChain, owner: Address) {
  return chain.deploy(encodeDeployData({ ...SmartAccount, args: [chain.wallets.stranger, owner] }))
}

/** The signature as the older functions take it. */
export function partsOf(signature: Hex) {
  return [hexToNumber(slice(signature, 64, 65)), slice(signature, 0, 32), slice(signature, 32, 64)] as const
}

/** The order of secp256k1's group. */
const ORDER = 0xffff_ffff_ffff_ffff_ffff_ffff_ffff_fffe_baae_dce6_af48_a03b_bfd2_5e8c_d036_4141n

/** The other signature of the same key and message, which anybody can make of the first. */
export function mirrored(signature: Hex): Hex {
  const { r, s, yParity } = parseSignature(signature)
  return serializeSignature({ r, s: numberToHex(ORDER - BigInt(s), { size: 32 }), yParity: 1 - yParity })
}
