import type { Permit } from '@remit/protocol/signed/permit'
import type { Address as ChecksummedAddress, Hex } from 'viem'
import * as z from 'zod'
import { PermitUnsupportedError, PermitVoidError } from '../../../errors/permit.ts'
import type { ProtocolSettings, TokenFacts, WalletState } from '../../../ports/chainReads.ts'
import type { PlannedCall } from '../../../ports/proof.ts'
import { quantity, toToken } from '../../../presentation/token.ts'
import { Quantity, Token } from '../../../schema/amount.ts'
import type { Warning } from '../../../schema/envelope.ts'
import { Address } from '../../../schema/hex.ts'
import { Timestamp } from '../../../schema/numbers.ts'
import { CoverChanges, coverChanges } from '../answer/coverChanges.ts'
import { definePrepare, prepareErrors } from '../answer/definePrepare.ts'
import { anyPrepare } from '../answer/options.ts'
import { inWords, quantityFact, tokenNotApproved } from '../answer/preconditions.ts'
import type { Instead } from '../answer/prepareAnswer.ts'
import { handedPermitFields, judgePermit, readHanded } from './handedPermit.ts'

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
    subscriptions: CoverChanges.describe(
      'The owner’s active subscriptions in the token: how far its balance and the allowance carry each.',
    ),
  })
  .meta({ id: 'CarriedPermit' })

/** Prepares carrying somebody's signed permit to its token. Whoever carries it pays the gas, and nothing else. */
export const prepareCarryPermit = definePrepare({
  name: 'prepare_carry_permit',
  summary: 'Prepare carrying a permit that a wallet has signed, by whoever pays the gas',
  description:
    'It sets what the protocol, and nobody else, may take of the owner’s token. prepare_extend_coverage with permit: true says what to sign.',
  profiles: ['subscriber', 'provider', 'keeper'],
  access: 'signed',
  errors: [...prepareErrors, PermitUnsupportedError, PermitVoidError],
  input: z.object({ ...anyPrepare, ...handedPermitFields }),
  preflight: CarriedPermit,
  async plan({ input, chain }) {
    const { from, owner, token, deadline } = input
    const [state, settings, handed, { nativeBalance }] = await Promise.all([
      chain.read.walletState(token, owner),
      chain.read.protocol(),
      readHanded(chain, input),
      chain.read.signer(from),
    ])
    const { approved } = state
    if (approved === undefined) {
      return {
        operation: 'carry_permit',
        issues: [tokenNotApproved(token)],
        warnings: [],
        nativeBalance,
        preflight: { owner, deadline, ...NOT_APPROVED },
        batches: () => [],
      }
    }
    const current = approved.wallet.allowance
    const { permit, call } = await judgePermit(chain, input, { ...handed, current })
    const { value: after } = permit
    return {
      operation: 'carry_permit',
      issues: [],
      warnings: lowersAllowance(owner, { current, after }, approved.token),
      nativeBalance,
      preflight: {
        owner,
        deadline,
        alreadyCarried: call === undefined,
        ...coverageWith(after, state, approved, settings),
      },
      instead: call === undefined ? () => NOTHING_LEFT : undefined,
      batches: () => (call === undefined ? [] : [[carryCall(call, permit, approved.token)]]),
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

const NOT_APPROVED = { token: null, alreadyCarried: false, allowance: null, balance: null, subscriptions: [] }

/** What the permit changes for the owner's subscriptions in the token. */
function coverageWith(
  after: bigint,
  state: WalletState,
  { token, wallet }: NonNullable<WalletState['approved']>,
  settings: ProtocolSettings,
): Omit<z.output<typeof CarriedPermit>, 'owner' | 'deadline' | 'alreadyCarried'> {
  const means = { before: wallet, after: { ...wallet, allowance: after } }
  return {
    token: toToken(token),
    allowance: { before: quantity(wallet.allowance, token), after: quantity(after, token) },
    balance: quantity(wallet.balance, token),
    subscriptions: coverChanges(state, settings, { token, ...means }),
  }
}

/** Warns where the permit would lower the allowance: its owner may have approved more since it signed. */
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
