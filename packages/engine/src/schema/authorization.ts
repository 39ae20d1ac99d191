import * as z from 'zod'
import { Address } from './address.ts'
import { BlockHash, Bytes } from './hash.ts'
import { Timestamp, Uint256 } from './numbers.ts'
import { TypedDomain, TypedField } from './typedData.ts'

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
