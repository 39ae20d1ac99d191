import { DEFAULT_APPROVAL_PERIODS, extendedAllowance, INFINITE_ALLOWANCE } from '@remit/protocol/allowance'
import { inRemitOrder } from '@remit/protocol/charges/ChargeSchedule'
import type { ChargedSubscription } from '@remit/protocol/charges/decideCharge'
import { type CoverageById, coverageOf, isShortened, keptAllowance } from '@remit/protocol/coverage'
import { type Address as ChecksummedAddress, maxUint256 } from 'viem'
import * as z from 'zod'
import type { ProtocolSettings, TokenFacts, WalletState } from '../../ports/chainReads.ts'
import type { ChainView } from '../../ports/chains.ts'
import type { PlannedCall } from '../../ports/proof.ts'
import {
  AllowanceCovers,
  Covers,
  isCharged,
  toAllowanceCovers,
  toCharged,
  toCovers,
} from '../../presentation/accountRow.ts'
import { toDayOrNull } from '../../presentation/day.ts'
import { mismatchWarnings, quantity, toToken } from '../../presentation/token.ts'
import { Quantity, Token } from '../../schema/amount.ts'
import type { Issue, Warning } from '../../schema/envelope.ts'
import { Address, SubscriptionId } from '../../schema/hex.ts'
import { Day } from '../../schema/numbers.ts'
import { definePrepare } from './answer/definePrepare.ts'
import { extensionOptions } from './answer/options.ts'
import { approvalBatches } from './answer/plannedCall.ts'
import { counted, inWords, quantityFact, tokenNotApproved, tokenWord } from './answer/preconditions.ts'
import {
  checkPermitWish,
  loadPermits,
  outstandingPermits,
  permitErrors,
  permitOptions,
} from './permit/permitWish.ts'

const Extension = z
  .object({
    token: Token.nullable().describe('null where the protocol has not approved it.'),
    allowance: z
      .object({
        current: Quantity,
        needed: Quantity.describe('What pays for all charges of all of them up to `coversUntil`.'),
        proposed: Quantity.describe('What the allowance is after these transactions. It is never lowered.'),
        coversUntil: Day.nullable().describe(
          'The day on which the last of them comes to its last charge: they share the allowance, so all are covered ' +
            'until then.',
        ),
      })
      .nullable(),
    balance: Quantity.nullable(),
    subscriptions: z
      .array(
        z.object({
          id: SubscriptionId,
          allowanceCovers: z
            .object({ before: AllowanceCovers.nullable(), after: AllowanceCovers.nullable() })
            .describe('How far the allowance alone carries it; null without end.'),
          covers: Covers.describe('By today’s balance and the allowance after these transactions.'),
        }),
      )
      .describe('The wallet’s active subscriptions in the token.'),
  })
  .meta({ id: 'CoverageExtension' })

/**
 * Prepares the approval, or the permit, by which a wallet's allowance lasts for more charges of all that it subscribes to in one token.
 * Coverage is for how many charges allowance and balance last.
 */
export const prepareExtendCoverage = definePrepare({
  name: 'prepare_extend_coverage',
  summary: 'Prepare the approval that keeps every active subscription of a wallet in a token covered',
  description:
    'An allowance runs out as remit charges, and remit drops a subscriber whose allowance is too low. The approval ' +
    'lasts for `approvalPeriods` charges of each of them, and never lowers an allowance.',
  profiles: ['essential', 'subscriber'],
  errors: permitErrors,
  input: z
    .object({
      token: Address.describe('The ERC-20 contract, one of the approved tokens.'),
      ...extensionOptions,
      ...permitOptions,
    })
    .superRefine(checkPermitWish),
  preflight: Extension,
  async plan({ input, chain }) {
    const { from, token, approvalPeriods = DEFAULT_APPROVAL_PERIODS } = input
    const { infiniteApproval = false, keepCoverage = false } = input
    const permits = await loadPermits(input)
    const [state, settings, support] = await Promise.all([
      chain.read.walletState(token, from),
      chain.read.protocol(),
      permits?.readPermitSupport(chain, token, from),
    ])
    const plan = planExtension(state, settings, {
      token,
      approvalPeriods,
      infiniteApproval,
      keepCoverage,
      today: chain.today,
    })
    return {
      operation: 'extend_coverage',
      issues: extensionIssues(state, plan, { token, from }),
      warnings:
        state.approved === undefined
          ? []
          : [
              ...mismatchWarnings(state.approved.token),
              ...shortenedBy(plan, state.approved.token),
              ...(await outstandingPermits(chain, from, state.approved.token)),
            ],
      nativeBalance: state.nativeBalance,
      preflight: preflightOf(state, plan),
      instead:
        permits &&
        support &&
        (() =>
          permits.offerPermit(chain, support, {
            token,
            owner: from,
            value: plan.proposed,
            permitDeadline: input.permitDeadline,
          })),
      batches: () => batchesOf(chain, state, plan),
    }
  },
})

interface Plan {
  /** What remit charges the wallet for in the token, in remit's order. */
  readonly charged: readonly ChargedSubscription[]
  /** Today's allowance, in raw units like the next two. */
  readonly current: bigint
  /** The allowance that the wished charges take; with keepCoverage at least what shortens none of the subscriptions. */
  readonly needed: bigint
  /** What is approved: `needed`, everything, or today's allowance where that is enough. */
  readonly proposed: bigint
  /** Day number. */
  readonly coversUntil: number | undefined
  /** How long an allowance and a balance last for each of them; `null` where the balance does not count. */
  cover(allowance: bigint, balance: bigint | null): CoverageById
}

function planExtension(
  { approved, memberships, dueOrder }: WalletState,
  { nextUncheckedDay, callerFee }: ProtocolSettings,
  wish: {
    token: ChecksummedAddress
    approvalPeriods: number
    infiniteApproval: boolean
    keepCoverage: boolean
    today: number
  },
): Plan {
  const { token, approvalPeriods, infiniteApproval, keepCoverage, today } = wish
  const rows = memberships.filter((row) => isCharged(row) && row.terms.token === token).map(toCharged)
  const charged = inRemitOrder(rows, dueOrder)
  const current = approved?.wallet.allowance ?? 0n
  const decimals = approved?.token.decimals ?? 0
  const extended = extendedAllowance({ subscriptions: charged, decimals, approvalPeriods, nextUncheckedDay })
  const charges = { subscriptions: charged, decimals, callerFee, nextUncheckedDay }
  const least = extended?.needed ?? 0n
  // Nothing is subscribed to anew: there is no id of a new one, and nothing is charged first.
  const needed = keepCoverage
    ? keptAllowance({ ...charges, today, id: undefined, allowance: current, firstChargeRaw: 0n, least })
    : least
  const isEnough = current >= needed || current >= INFINITE_ALLOWANCE
  const proposed = isEnough ? current : infiniteApproval ? maxUint256 : needed
  const cover = (allowance: bigint, balance: bigint | null) =>
    coverageOf({ ...charges, means: { allowance, balance } })
  return { charged, current, needed, proposed, coversUntil: extended?.coversUntil, cover }
}

function preflightOf(
  { approved }: WalletState,
  { charged, current, needed, proposed, coversUntil, cover }: Plan,
): z.output<typeof Extension> {
  if (approved === undefined) return { token: null, allowance: null, balance: null, subscriptions: [] }
  const { token, wallet } = approved
  const [before, after] = [cover(current, null), cover(proposed, null)]
  const covers = cover(proposed, wallet.balance)
  return {
    token: toToken(token),
    allowance: {
      current: quantity(current, token),
      needed: quantity(needed, token),
      proposed: quantity(proposed, token),
      coversUntil: toDayOrNull(coversUntil),
    },
    balance: quantity(wallet.balance, token),
    subscriptions: charged.map(({ id }) => ({
      id,
      allowanceCovers: {
        before: toAllowanceCovers(before(id)),
        after: toAllowanceCovers(after(id)),
      },
      covers: toCovers(covers(id)),
    })),
  }
}

/**
 * Warns about subscriptions whose coverage gets shorter: with a larger allowance another one is no longer dropped and
 * spends it too.
 */
function shortenedBy({ charged, current, proposed, cover }: Plan, token: TokenFacts): Warning[] {
  const [before, after] = [cover(current, null), cover(proposed, null)]
  const isSooner = ({ id }: ChargedSubscription) => isShortened({ before: before(id), after: after(id) })
  const subscriptions = charged.filter(isSooner).map(({ id }) => id)
  if (subscriptions.length === 0) return []
  return [
    {
      code: 'SHORTENS_COVERAGE',
      message:
        `With this approval the allowance lasts less long for ${counted(subscriptions.length, 'subscription')} of the ` +
        'wallet: another one, which was to be dropped, goes on and draws on it. With keepCoverage: true the prepare ' +
        'approves what keeps the dates, for a hundred years ahead.',
      token: token.address,
      subscriptions,
    },
  ]
}

/** Every precondition that fails. A paused token can be approved, and a low balance does not matter to an approval. */
function extensionIssues(
  { approved }: WalletState,
  { charged, current, needed, proposed }: Plan,
  { token: address, from }: { token: ChecksummedAddress; from: ChecksummedAddress },
): Issue[] {
  if (approved === undefined) return [tokenNotApproved(address)]
  const { token } = approved
  if (charged.length === 0) {
    const message = `${from} subscribes to nothing in ${tokenWord(token)}: there is no coverage to extend.`
    return [{ code: 'NOTHING_TO_EXTEND', message, token: address }]
  }
  if (proposed > current) return []
  return [
    {
      code: 'NOTHING_TO_EXTEND',
      message:
        `The allowance of ${from} is ${inWords(current, token)}, and so many charges take ` +
        `${inWords(needed, token)}: it lasts for them already, and is never lowered.`,
      token: address,
      allowance: quantityFact(current, token),
      needed: quantityFact(needed, token),
    },
  ]
}

function batchesOf(
  chain: ChainView,
  { approved }: WalletState,
  { charged, current, proposed }: Plan,
): PlannedCall[][] {
  if (approved === undefined) return []
  const { token } = approved
  return approvalBatches({
    token: token.address,
    spender: chain.contractAddress,
    current,
    proposed,
    sharedWithCount: charged.length,
    inWords: (amountRaw) => inWords(amountRaw, token),
  })
}
