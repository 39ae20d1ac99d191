import { type Address, getAddress, type Hex, isAddress, isHex } from 'viem'
import { toPackedUserOperation } from 'viem/account-abstraction'
import * as z from 'zod'

const MOST_BYTES = 16_384

const Bytes = z.custom<Hex>((value) => isHex(value) && value.length <= 2 + 2 * MOST_BYTES)
const EvmAddress = z
  .custom<Address>((value) => typeof value === 'string' && isAddress(value, { strict: false }))
  .transform((address) => getAddress(address))
/** A quantity that fits into 128 bits, as EntryPoint keeps it. */
const Quantity = z
  .string()
  .regex(/^0x[0-9a-f]{1,32}$/i)
  .transform(BigInt)

/** A user operation of EntryPoint 0.7, as far as the wallet has filled it in: what it misses is not known yet. */
export const UserOperation = z.object({
  sender: EvmAddress,
  nonce: z
    .string()
    .regex(/^0x[0-9a-f]{1,64}$/i)
    .transform(BigInt),
  factory: EvmAddress.nullish(),
  factoryData: Bytes.nullish(),
  callData: Bytes,
  callGasLimit: Quantity.default(0n),
  verificationGasLimit: Quantity.default(0n),
  preVerificationGas: Quantity.default(0n),
  maxFeePerGas: Quantity.default(0n),
  maxPriorityFeePerGas: Quantity.default(0n),
})

export type UserOperation = z.output<typeof UserOperation>

/** What paying for an operation may take of the paymaster's own gas. */
export interface PaymasterGas {
  readonly paymasterVerificationGasLimit: bigint
  readonly paymasterPostOpGasLimit: bigint
}

/** The most that an operation can cost its paymaster, in wei: EntryPoint never takes more. */
export function mostCostOf(operation: UserOperation, own: PaymasterGas): bigint {
  const gas =
    operation.preVerificationGas +
    operation.verificationGasLimit +
    operation.callGasLimit +
    own.paymasterVerificationGasLimit +
    own.paymasterPostOpGasLimit
  return gas * operation.maxFeePerGas
}

/** The operation as EntryPoint takes it. */
export function packed(
  { factory, factoryData, ...operation }: UserOperation,
  paying: PaymasterGas & { readonly paymaster: Address; readonly paymasterData: Hex },
) {
  const deploying = factory ? { factory, factoryData: factoryData ?? ('0x' as const) } : {}
  return toPackedUserOperation({ ...operation, ...deploying, ...paying, signature: '0x' })
}
