import { inRemitOrder } from '@remit/protocol/coverage/ChargeSchedule'
import { coverageOf, ENDLESS } from '@remit/protocol/coverage/coverage'
import type { Permit } from '@remit/protocol/permit'
import type { Address as ChecksummedAddress, Hex } from 'viem'
import * as z from 'zod'
import { PermitUnsupportedError, PermitVoidError } from '../../../errors/permit.ts'
import type { ProtocolSettings, TokenFacts, WalletState } from '../../../ports/chainReads.ts'
import type { PlannedCall } from '../../../ports/proof.ts'
import { isCharged } from '../../../presentation/accountRow.ts'
import { Covers, toCharged, toCovers } from '../../../presentation/covers.ts'
import { quantity, toToken } from '../../../presentation/token.ts'
import { Address } from '../../../schema/address.ts'
import { Quantity } from '../../../schema/amount.ts'
import type { Warning } from '../../../schema/envelope.ts'
import { SubscriptionId } from '../../../schema/hash.ts'
import { Timestamp } from '../../../schema/numbers.ts'
import { Token } from '../../../schema/token.ts'
import { definePrepare, prepareErrors } from '../answer/definePrepare.ts'
import { anyPrepare } from '../answer/options.ts'
import { inWords, quantityFact, tokenNotApproved } from '../answer/preconditions.ts'
import type { Instead } from '../answer/prepareAnswer.ts'
import { handedPermitFields, judgePermit } from './handedPermit.ts'

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
  input: z.object({ ...anyPrepare, ...handedPermitFields }),
  preflight: CarriedPermit,
  async plan({ input, chain }) {
    const { from, owner, token, deadline } = input
    const [state, settings, support, { nativeBalance }] = await Promise.all([
      chain.read.walletState(token, owner),
      chain.read.protocol(),
      chain.read.permitSupport(token, owner),
      chain.read.signer(from),
    ])
    const current = state.approved?.wallet.allowance ?? 0n
    const { permit, call } = await judgePermit(chain, input, { support, current })
    const alreadyCarried = call === undefined
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

const NOTHING_LEFT: Instead = {
  steps: ['Somebody has carried this permit already, and the allowance stands: there is nothing to send.'],
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
