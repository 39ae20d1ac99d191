import { type Permit, type PermitToken, permitCalls, permitTypedData } from '@remit/protocol/signed/permit'
import { type Address as ChecksummedAddress, type Hex, maxUint256 } from 'viem'
import * as z from 'zod'
import { isSignedByKey } from '../../../block/signatures.ts'
import { ValidationError } from '../../../errors/input.ts'
import { PermitUnsupportedError, PermitVoidError } from '../../../errors/permit.ts'
import type { ChainView } from '../../../ports/chains.ts'
import { Address, Signature } from '../../../schema/hex.ts'
import { Uint256 } from '../../../schema/numbers.ts'
import {
  type PermitSupport,
  type PermitTrial,
  readPermitSupport,
  requirePermits,
  tryPermit,
} from './readPermits.ts'

// A permit is a signed message that sets an allowance once somebody sends ("carries") it to the token. Here one that was
// handed in is judged: can it still be carried, by which call, and if not, why?

/** A permit that a wallet has signed, as it is handed in. */
export const handedPermitFields = {
  owner: Address.describe('Whose permission it is.'),
  token: Address.describe('The ERC-20 contract, one of the approved tokens.'),
  value: Uint256.optional().describe('The allowance that was signed for, raw.'),
  allowed: z.boolean().optional().describe('In its place by DAI’s own form.'),
  deadline: z.int().min(0).describe('As it was signed, unix seconds.'),
  signature: Signature.describe('Of a key, or what the owner’s contract takes.'),
}

type HandedInput = z.output<z.ZodObject<typeof handedPermitFields>>

/** What was signed, and whether it can still be carried. */
export interface JudgedPermit {
  readonly permit: Permit
  /** What carries it; `undefined` where somebody has carried it already, and the allowance stands. */
  readonly call: Hex | undefined
  /** The owner’s next nonce at the view’s block. A permit is signed for one nonce, and can be carried only while that is the next. */
  readonly nonce: bigint
}

/** How the token takes the owner's permits (its form: EIP-2612 or DAI's), and what it makes of this one. */
export interface HandedRead {
  readonly support: PermitSupport
  /**
   * Trials made before the token's form is known: one for each way to carry an amount by EIP-2612, whose calls need no
   * nonce; none without an amount.
   */
  readonly early: readonly CarryTrial[]
}

interface CarryTrial extends PermitTrial {
  readonly call: Hex
}

/** Asks all that can be asked before the token's form is known, so that it shares a request with what else is read. */
export async function readHanded(chain: ChainView, input: HandedInput): Promise<HandedRead> {
  const { owner, token, value, deadline, signature } = input
  const permit = { owner, spender: chain.contractAddress, deadline, value: value ?? 0n }
  // Without an amount only DAI's form can follow, whose calls have the nonce in them.
  const calls = value === undefined ? [] : permitCalls({ form: 'eip2612', nonce: 0n }, permit, signature)
  const [support, early] = await Promise.all([
    readPermitSupport(chain, token, owner),
    tryWays(chain, token, permit, calls),
  ])
  return { support, early }
}

/**
 * Judges a permit at the view’s block, as its token would take it. It can only be one for the protocol’s contract.
 *
 * Throws PermitVoidError, PermitUnsupportedError, and ValidationError where value or allowed is not what the token’s form has.
 * @param found.current the allowance at that block
 */
export async function judgePermit(
  chain: ChainView,
  input: HandedInput,
  { support, early, current }: HandedRead & { readonly current: bigint },
): Promise<JudgedPermit> {
  const { owner, token, deadline, signature } = input
  const known = requirePermits(token, support)
  const permit = { owner, spender: chain.contractAddress, deadline, value: signedValue(known, input) }
  const isExpired = deadline < chain.now && !(known.form === 'dai' && deadline === NEVER)
  const trials =
    known.form === 'eip2612'
      ? early
      : await tryWays(chain, token, permit, permitCalls(known, permit, signature))
  // In this order: does a call carry it? If none does, is it signed for the last nonce and its allowance in force, so carried already?
  // If not, the error says why: the token refuses a good one, it was used, is over, or is not the owner's.
  const call = isExpired ? undefined : callThatWorks(trials, { token, known, permit })
  const { isContract } = support
  const noncesAgo =
    call === undefined ? await findNoncesAgo(chain, { known, permit, signature, isContract }) : undefined
  // Signed for the nonce that was used last, and its allowance stands: it was carried, or another permit with the same effect.
  const isCarried = noncesAgo === 1 && current === permit.value
  if (call === undefined && !isCarried) {
    if (noncesAgo === 0 && !isExpired) throw new PermitUnsupportedError(token, REFUSED_ALL_THE_SAME)
    // One that was carried in time stays used, also after its deadline.
    const isUsed = noncesAgo !== undefined && noncesAgo > 0
    throw new PermitVoidError(input, isUsed ? 'used' : isExpired ? 'expired' : 'signature')
  }
  return { permit, call, nonce: known.nonce }
}

/** A permit as it was handed in. */
interface Handed {
  readonly known: PermitToken
  readonly permit: Permit
  readonly signature: Hex
  /** Whether the owner has code. */
  readonly isContract: boolean
}

/** Why a permit that the owner did sign cannot be carried. 2,000,000 is the gas that TrialLens.sol gives a trial. */
const REFUSED_ALL_THE_SAME =
  'the signature is the owner’s, and the token refuses it all the same, or takes more than 2,000,000 gas to check it'

/** For how many used nonces a signature is checked, to say that it is used rather than wrong. */
const MOST_NONCES_AGO = 8

/** The deadline by which DAI means a permit without an end. */
const NEVER = 0

function signedValue(
  { form }: PermitToken,
  { value, allowed }: { readonly value?: bigint | undefined; readonly allowed?: boolean | undefined },
): bigint {
  if (form === 'dai') {
    if (value !== undefined)
      throw ValidationError.of('value', 'is no part of this token’s permits; give `allowed`')
    if (allowed === undefined) throw ValidationError.of('allowed', 'is required for this token')
    return allowed ? maxUint256 : 0n
  }
  if (allowed !== undefined)
    throw ValidationError.of('allowed', 'is no part of this token’s permits; give `value`')
  if (value === undefined) throw ValidationError.of('value', 'is required for this token')
  return value
}

function tryWays(
  chain: ChainView,
  token: ChecksummedAddress,
  { owner, spender }: Permit,
  calls: readonly Hex[],
): Promise<CarryTrial[]> {
  return Promise.all(
    calls.map(async (call) => ({ call, ...(await tryPermit(chain, token, { owner, spender, call })) })),
  )
}

/**
 * The call that the token takes; `undefined` where it takes none.
 *
 * Throws PermitUnsupportedError where the token takes a permit and does something else.
 */
function callThatWorks(
  trials: readonly CarryTrial[],
  { token, known, permit }: { token: ChecksummedAddress; known: PermitToken; permit: Permit },
): Hex | undefined {
  const trial = trials.find(({ succeeded }) => succeeded)
  if (trial === undefined) return undefined
  if (trial.allowance !== permit.value || trial.nonce !== known.nonce + 1n) {
    throw new PermitUnsupportedError(token, 'the token takes it, and the allowance is another one afterwards')
  }
  return trial.call
}

/** How many nonces ago this was signed, 0 for the next one; `undefined` where none of the last ones fits. */
async function findNoncesAgo(
  chain: ChainView,
  { known, permit, signature, isContract }: Handed,
): Promise<number | undefined> {
  for (let back = 0; back <= MOST_NONCES_AGO && BigInt(back) <= known.nonce; back += 1) {
    const { digest: hash } = permitTypedData({ ...known, nonce: known.nonce - BigInt(back) }, permit)
    const claim = { address: permit.owner, hash, signature }
    // Each question to a contract takes a request, so it is asked about the next nonce and the last one alone; about the last one also
    // where the owner has no code, as before its deployment (ERC-6492).
    const asksContract = back === 1 || (back === 0 && isContract)
    if ((await isSignedByKey(claim)) || (asksContract && (await chain.isSignedByContract(claim)))) return back
  }
  return undefined
}
