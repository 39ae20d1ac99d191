import * as z from 'zod'
import { ChainId } from './chain.ts'
import { Address, BlockHash, Bytes } from './hex.ts'
import { Timestamp, Uint256 } from './numbers.ts'

/** One field of a type of EIP-712. */
const TypedField = z.object({ name: z.string(), type: z.string() })

/** The domain of what is signed to a token. */
const TypedDomain = z.object({
  name: z.string().optional(),
  version: z.string().optional(),
  chainId: ChainId.optional(),
  verifyingContract: Address,
  salt: Bytes.optional(),
})

/** A permission for a wallet to sign: typed data of EIP-712, as eth_signTypedData_v4 takes it. */
export const PermitToSign = z
  .object({
    domain: TypedDomain,
    types: z.object({ EIP712Domain: z.array(TypedField), Permit: z.array(TypedField) }),
    primaryType: z.literal('Permit'),
    message: z
      .object({
        owner: Address.optional(),
        holder: Address.optional(),
        spender: Address,
        value: Uint256.optional(),
        nonce: Uint256,
        deadline: Uint256.optional(),
        expiry: Uint256.optional(),
        allowed: z.boolean().optional(),
      })
      .describe('owner, value and deadline by EIP-2612; holder, expiry and allowed by DAI’s own form.'),
    deadline: Timestamp.describe(
      'Until when the permit can be carried, whatever the owner approves or revokes meanwhile.',
    ),
    nonce: Uint256.describe(
      'The next permit that is carried uses it up, and voids all others of this nonce.',
    ),
    digest: BlockHash.describe('The EIP-712 digest. A wallet shows the same, or signs something else.'),
  })
  .meta({ id: 'PermitToSign' })

export type PermitToSign = z.output<typeof PermitToSign>

/** How far ahead a permit may end. Whoever holds it can set the allowance until then. */
export const MOST_PERMIT_SECONDS = 7 * 86_400

/** A transfer for a wallet to sign: typed data of EIP-712, as eth_signTypedData_v4 takes it. */
export const AuthorizationToSign = z
  .object({
    domain: TypedDomain,
    types: z.object({
      EIP712Domain: z.array(TypedField),
      TransferWithAuthorization: z.array(TypedField),
    }),
    primaryType: z.literal('TransferWithAuthorization'),
    message: z.object({
      from: Address,
      to: Address,
      value: Uint256,
      validAfter: Uint256,
      validBefore: Uint256,
      nonce: Bytes.describe('The hash of all that is signed: the same, signed twice, pays once.'),
    }),
    validBefore: Timestamp.describe('Until then whoever holds the signature can carry it.'),
    digest: BlockHash.describe('The EIP-712 digest. A wallet shows the same, or signs something else.'),
  })
  .meta({ id: 'AuthorizationToSign' })

export type AuthorizationToSign = z.output<typeof AuthorizationToSign>
