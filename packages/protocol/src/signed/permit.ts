/** Signed allowances ("permits"), with which anybody carries an approval to the token: what their owner signs, and the calldata for it. */

import {
  type Address,
  encodeFunctionData,
  getTypesForEIP712Domain,
  type Hex,
  hashTypedData,
  maxUint256,
  type TypedData,
  type TypedDataParameter,
} from 'viem'
import { keySignature, NOBODYS_SIGNATURE, type TokenDomain } from './signatures.ts'
import { permitAbi as abi } from './tokenAbis.ts'

/**
 * Which statement a token takes as a signed permission: EIP-2612's names an amount; DAI's own, which is older, allows everything or
 * nothing.
 */
export type PermitForm = 'eip2612' | 'dai'

/** How a token takes permits. */
export interface PermitToken {
  readonly form: PermitForm
  /** The EIP-712 domain whose hash is the token's DOMAIN_SEPARATOR. */
  readonly domain: TokenDomain
  /** The token's nonce for the owner's next permit. */
  readonly nonce: bigint
}

/** A permission that an owner signs for. */
export interface Permit {
  readonly owner: Address
  readonly spender: Address
  /** Raw units. In DAI's form it is 0 or 2^256 - 1. */
  readonly value: bigint
  /** Unix time in seconds; after it the token refuses the permit. */
  readonly deadline: number
}

/** keccak256 of each form's type, as tokens publish it under PERMIT_TYPEHASH. */
export const PERMIT_TYPEHASHES: Readonly<Record<PermitForm, Hex>> = {
  eip2612: '0x6e71edae12b1b97f4d1f60370fef10105fa2faae0126114a169c64845d6126c9',
  dai: '0xea2aa0a1be11a07ed86d755c93467f4f82362b452371d1ba94d1715123511acb',
}

const FIELDS = {
  eip2612: [
    { name: 'owner', type: 'address' },
    { name: 'spender', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
  dai: [
    { name: 'holder', type: 'address' },
    { name: 'spender', type: 'address' },
    { name: 'nonce', type: 'uint256' },
    { name: 'expiry', type: 'uint256' },
    { name: 'allowed', type: 'bool' },
  ],
} as const

/** Whether a form can say an amount: DAI's knows only everything and nothing. */
export function canPermit(form: PermitForm, value: bigint): boolean {
  return form === 'eip2612' || value === 0n || value === maxUint256
}

/** What a wallet signs by eth_signTypedData_v4. */
interface PermitTypedData {
  readonly domain: TokenDomain
  readonly types: Readonly<Record<'EIP712Domain' | 'Permit', TypedDataParameter[]>>
  readonly primaryType: 'Permit'
  /** Owner, value and deadline by EIP-2612; holder, expiry and allowed by DAI's form. */
  readonly message: {
    readonly owner?: Address
    readonly holder?: Address
    readonly spender: Address
    readonly value?: bigint
    readonly nonce: bigint
    readonly deadline?: bigint
    readonly expiry?: bigint
    readonly allowed?: boolean
  }
}

/** What a wallet signs for a permit, and its digest. Throws RangeError for an amount that the form cannot say. */
export function permitTypedData(
  { form, domain, nonce }: PermitToken,
  { owner, spender, value, deadline }: Permit,
): PermitTypedData & { readonly digest: Hex } {
  if (!canPermit(form, value)) throw new RangeError('this permit allows everything or nothing')
  const until = BigInt(deadline)
  const typed: PermitTypedData = {
    domain,
    types: { EIP712Domain: getTypesForEIP712Domain({ domain }), Permit: [...FIELDS[form]] },
    primaryType: 'Permit',
    message:
      form === 'eip2612'
        ? { owner, spender, value, nonce, deadline: until }
        : { holder: owner, spender, nonce, expiry: until, allowed: value > 0n },
  }
  return { ...typed, digest: hashTypedData<TypedData, string>(typed) }
}

/**
 * The calldata by which a permit could be carried, the most usual first. Which of them a token takes, and whether it takes the
 * signature, only a trial shows. Empty where the form has none for such a signature.
 */
export function permitCalls(
  { form, nonce }: Pick<PermitToken, 'form' | 'nonce'>,
  { owner, spender, value, deadline }: Permit,
  signature: Hex,
): Hex[] {
  const key = keySignature(signature)
  if (form === 'dai') {
    if (key === undefined) return []
    const allowed = value > 0n
    const args = [owner, spender, nonce, BigInt(deadline), allowed, 27 + key.yParity, key.r, key.s] as const
    return [encodeFunctionData({ abi, functionName: 'permit', args })]
  }
  const common = [owner, spender, value, BigInt(deadline)] as const
  // Some tokens also take a signature as one `bytes`, the only form that can hold a contract wallet's.
  const asBytes = encodeFunctionData({
    abi,
    functionName: 'permit',
    args: [...common, signature],
  })
  if (key === undefined) return [asBytes]
  const args = [...common, 27 + key.yParity, key.r, key.s] as const
  return [encodeFunctionData({ abi, functionName: 'permit', args }), asBytes]
}

/**
 * Calls that every token refuses, to find out which form it has: one that has the function says why it refuses; one that lacks it
 * reverts without a reason. `bytes` is the EIP-2612 one that takes the signature as a whole.
 */
export function permitProbes(owner: Address): { readonly [Form in PermitForm | 'bytes']: Hex } {
  const permit: Permit = { owner, spender: owner, value: 0n, deadline: 1 }
  const [eip2612 = '0x', bytes = '0x'] = permitCalls(
    { form: 'eip2612', nonce: 0n },
    permit,
    NOBODYS_SIGNATURE,
  )
  const [dai = '0x'] = permitCalls({ form: 'dai', nonce: 0n }, permit, NOBODYS_SIGNATURE)
  return { eip2612, bytes, dai }
}
