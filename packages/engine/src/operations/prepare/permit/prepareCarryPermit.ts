import { inRemitOrder } from '@remit/protocol/coverage/ChargeSchedule'
import { coverageOf, ENDLESS } from '@remit/protocol/coverage/coverage'
import { type Permit, type PermitToken, permitCalls, permitTypedData } from '@remit/protocol/permit'
import { type Address as ChecksummedAddress, type Hex, maxUint256 } from 'viem'
import * as z from 'zod'
import { isSignedByKey } from '../../../block/signatures.ts'
import { ValidationError } from '../../../errors/input.ts'
import { PermitUnsupportedError, PermitVoidError } from '../../../errors/permit.ts'
import type { ProtocolSettings, TokenFacts, WalletState } from '../../../ports/chainReads.ts'
import type { ChainView } from '../../../ports/chains.ts'
import type { PlannedCall } from '../../../ports/proof.ts'
import { isCharged } from '../../../presentation/accountRow.ts'
import { Covers, toCharged, toCovers } from '../../../presentation/covers.ts'
import { quantity, toToken } from '../../../presentation/token.ts'
import { Address } from '../../../schema/address.ts'
import { Quantity } from '../../../schema/amount.ts'
import type { Warning } from '../../../schema/envelope.ts'
import { Signature, SubscriptionId } from '../../../schema/hash.ts'
import { Timestamp, Uint256 } from '../../../schema/numbers.ts'
import { Token } from '../../../schema/token.ts'
import { definePrepare, prepareErrors } from '../answer/definePrepare.ts'
import { anyPrepare } from '../answer/options.ts'
import { inWords, quantityFact, tokenNotApproved } from '../answer/preconditions.ts'
import type { Instead } from '../answer/prepareAnswer.ts'
import { requirePermits } from './offerPermit.ts'

const CarriedPermit = z
  .object({
    owner: Address.describe('Whose permission it is. Nothing of `from` is at stake but the gas.'),
    token: Token.nullable().describe('null where the protocol has not approved it.'),
    deadline: Timestamp,
    alreadyCarried: z
      .boolean()
      .describe('true: somebody else has carried it, and the allowance stands. Nothing is left to send.'),
    allowance: z.object({ before: Quantity, after: Quantity }).nullable(),
    balance: Quantity.nullable().describe('Of the owner.'),
    subscriptions: z
      .array(z.object({ id: SubscriptionId, before: Covers, after: Covers }))
      .describe(
        'The owner’s active subscriptions in the token: how far its balance and the allowance carry each.',
      ),
  })
  .meta({ id: 'CarriedPermit' })

/** Prepares carrying somebody's signed permission to the chain. */
export const prepareCarryPermit = definePrepare({
  name: 'prepare_carry_permit',
  summary: 'Prepare carrying a permit that a wallet has signed, by whoever pays the gas',
  description:
    'The signature allows the protocol, and nobody else, so much of the owner’s token; prepare_extend_coverage with permit: true ' +
    'says what to sign. It is tried at the newest block: what the token would refuse is PERMIT_VOID.',
  profiles: ['subscriber', 'provider', 'keeper'],
  access: 'signed',
  errors: [...prepareErrors, PermitUnsupportedError, PermitVoidError],
  input: z.object({
    ...anyPrepare,
    owner: Address.describe('Whose permission it is.'),
    token: Address.describe('The ERC-20 contract, one of the approved tokens.'),
    value: Uint256.optional().describe('The allowance that was signed for, in the token’s smallest unit.'),
    allowed: z.boolean().optional().describe('In place of `value` for a permit of DAI’s own form.'),
    deadline: z.int().min(0).describe('As it was signed: unix time in seconds.'),
    signature: Signature.describe(
      'Of a key (65 bytes, or 64 by EIP-2098), or what the owner’s contract takes.',
    ),
  }),
  preflight: CarriedPermit,
  async plan({ input, chain }) {
    const { from, owner, token, deadline, signature } = input
    const [state, settings, support, { nativeBalance }] = await Promise.all([
      chain.read.walletState(token, owner),
      chain.read.protocol(),
      chain.read.permitSupport(token, owner),
      chain.read.signer(from),
    ])
    const known = requirePermits(token, support)
    const permit = { owner, spender: chain.contractAddress, deadline, value: signedValue(known, input) }
    const handed = { token, known, permit, signature }
    const current = state.approved?.wallet.allowance ?? 0n
    const isOver = deadline < chain.now && !(known.form === 'dai' && deadline === NEVER)
    const call = isOver ? undefined : await tryPermit(chain, handed)
    const back = call === undefined ? await noncesBack(chain, handed) : undefined
    // Another permit of the same nonce would have left another allowance.
    const alreadyCarried = back === 1 && current === permit.value
    if (call === undefined && !alreadyCarried) {
      throw new PermitVoidError(input, isOver ? 'expired' : back === undefined ? 'signature' : 'used')
    }
    const { approved } = state
    return {
      operation: 'carry_permit',
      issues: approved === undefined ? [tokenNotApproved(token)] : [],
      warnings:
        approved === undefined
          ? []
          : lowersAllowance(owner, { current, after: permit.value }, approved.token),
      nativeBalance,
      preflight: contextOf(state, settings, { owner, deadline, after: permit.value, alreadyCarried }),
      instead: call === undefined ? () => NOTHING_LEFT : undefined,
      batches: () =>
        call === undefined || approved === undefined ? [] : [[carryCall(call, permit, approved.token)]],
    }
  },
})

/** A permit as it was handed in. */
interface Handed {
  readonly token: ChecksummedAddress
  readonly known: PermitToken
  readonly permit: Permit
  readonly signature: Hex
}

/** How many permits back a signature is looked for, to say that its nonce is used. */
const MOST_NONCES_BACK = 8

/** DAI's word for a permit without an end. */
const NEVER = 0

const NOTHING_LEFT: Instead = {
  steps: ['Somebody has carried this permit already, and the allowance stands: there is nothing to send.'],
}

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

/**
 * The call that the token takes, and the allowance after it; `undefined` where it takes none.
 *
 * Throws PermitUnsupportedError where the token takes a permit and does something else.
 */
async function tryPermit(
  chain: ChainView,
  { token, known, permit, signature }: Handed,
): Promise<Hex | undefined> {
  const { owner, spender, value } = permit
  const calls = permitCalls(known, permit, signature)
  const trials = await Promise.all(calls.map((call) => chain.read.tryPermit(token, { owner, spender, call })))
  const index = trials.findIndex(({ succeeded }) => succeeded)
  const trial = trials[index]
  if (trial === undefined) return undefined
  if (trial.allowance !== value || trial.nonce !== known.nonce + 1n) {
    throw new PermitUnsupportedError(token, 'the token takes it, and the allowance is another one afterwards')
  }
  return calls[index]
}

/** How many nonces ago this was signed; `undefined` where none of the last ones fits. */
async function noncesBack(
  chain: ChainView,
  { known, permit, signature }: Handed,
): Promise<number | undefined> {
  for (let back = 1; back <= MOST_NONCES_BACK && BigInt(back) <= known.nonce; back += 1) {
    const { digest: hash } = permitTypedData({ ...known, nonce: known.nonce - BigInt(back) }, permit)
    const claim = { address: permit.owner, hash, signature }
    // A contract is asked for the last one alone: each question takes a request.
    if ((await isSignedByKey(claim)) || (back === 1 && (await chain.isSignedBy(claim)))) return back
  }
  return undefined
}

function carryCall(call: Hex, { owner, spender, value }: Permit, token: TokenFacts): PlannedCall {
  const instruction = `carry the permit of ${owner}, which lets the protocol ${spender} take ${inWords(value, token)} of that wallet at most`
  return { to: token.address, data: call, value: 0n, instruction }
}

function contextOf(
  { approved, memberships, dueOrder }: WalletState,
  { nextUncheckedDay, callerFee }: ProtocolSettings,
  found: {
    readonly owner: ChecksummedAddress
    readonly deadline: number
    readonly after: bigint
    readonly alreadyCarried: boolean
  },
): z.output<typeof CarriedPermit> {
  const { after, ...stated } = found
  if (approved === undefined) {
    return { ...stated, token: null, allowance: null, balance: null, subscriptions: [] }
  }
  const { token, wallet } = approved
  const rows = memberships.filter((row) => isCharged(row) && row.terms.token === token.address)
  const charged = inRemitOrder(rows.map(toCharged), dueOrder)
  const cover = (allowance: bigint) =>
    coverageOf({
      subscriptions: charged,
      decimals: token.decimals,
      callerFee,
      nextUncheckedDay,
      means: { allowance, balance: wallet.balance },
    })
  const [before, then] = [cover(wallet.allowance), cover(after)]
  return {
    ...stated,
    token: toToken(token),
    allowance: { before: quantity(wallet.allowance, token), after: quantity(after, token) },
    balance: quantity(wallet.balance, token),
    subscriptions: charged.map(({ id }) => ({
      id,
      before: toCovers(before.get(id) ?? ENDLESS),
      after: toCovers(then.get(id) ?? ENDLESS),
    })),
  }
}

/** Warns of a permit that is older than what its owner has approved since. */
function lowersAllowance(
  owner: ChecksummedAddress,
  { current, after }: { readonly current: bigint; readonly after: bigint },
  token: TokenFacts,
): Warning[] {
  if (after >= current) return []
  return [
    {
      code: 'PERMIT_LOWERS_ALLOWANCE',
      message:
        `${owner} lets the protocol take ${inWords(current, token)} now, and only ${inWords(after, token)} after this permit. ` +
        'It may have approved more since it signed: ask before you carry it.',
      token: token.address,
      allowance: quantityFact(current, token),
      after: quantityFact(after, token),
    },
  ]
}
