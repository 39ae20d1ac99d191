import { LAST_DAY } from '@remit/protocol/calendar'
import { inRemitOrder } from '@remit/protocol/charges/ChargeSchedule'
import {
  OUTLOOK_DAYS,
  type OutlookCharge,
  outlookOf,
  type PayerOutlook,
  type PayerOutlookInput,
} from '@remit/protocol/outlook/outlook'
import { dequal } from 'dequal/lite'
import type { Address as EvmAddress } from 'viem'
import * as z from 'zod'
import type { AskIndex, ChainContext } from '../../declare/contexts.ts'
import { defineOperation } from '../../declare/operation.ts'
import { ForecastUnavailableError, ViewFailedError } from '../../errors/chain.ts'
import type { AccountMembership, AccountState, ChainReads, ProtocolSettings } from '../../ports/chainReads.ts'
import type { ChainView } from '../../ports/chains.ts'
import type { Blocker } from '../../ports/forecasts.ts'
import { isCharged } from '../../presentation/accountRow.ts'
import { toDay } from '../../presentation/day.ts'
import { amountText, dayText, pageText } from '../../presentation/subscriptionText.ts'
import { tokenWarnings } from '../../presentation/token.ts'
import { Address } from '../../schema/hex.ts'
import { Day } from '../../schema/numbers.ts'
import { pageAnswer, pageFields, toRowRange } from '../../schema/page.ts'
import { ACCOUNT_PAGE } from '../accounts/getAccount.ts'
import { queryActive, requireWhole, toAccountSubscription } from '../accounts/indexedAccount.ts'
import {
  forecastText,
  OutlookChargeRow,
  OutlookRemit,
  OutlookToken,
  surchargeWarnings,
  toChargeRow,
  toRemitRow,
  toTokenRow,
} from './outlookRows.ts'
import { type AccountRemitForecast, remitAhead, withSweep } from './remitAhead.ts'

const PAGE = { default: 100, max: 500 }
const MOST_DAYS = 366

const { first } = pageFields(PAGE)

const Count = z.int().min(0)

const Input = z.object({
  address: Address.describe('The account.'),
  days: z
    .int()
    .min(1)
    .max(MOST_DAYS)
    .optional()
    .describe(`How many days ahead to look, from today on: default ${OUTLOOK_DAYS}, at most ${MOST_DAYS}.`),
  first,
  after: z
    .string()
    .regex(/^\d{1,7}_0x[0-9a-f]{64}$/, 'must be the nextCursor of an earlier page')
    .optional()
    .describe('The nextCursor of the page before.'),
})

// Three sources say what becomes of a charge, in this order:
// 1. The chain's forecast: remit, simulated day by day for all accounts together. It is one for all who ask and may be some
//    seconds old, so the account's part of it counts only if the account is as it was then (`isAsForeseen`).
// 2. Behind the last simulated day, the index's sweep, where there is an index: a background pass which tries the next
//    transfer of every membership, and so knows whose refused transfer makes remit revert for all.
// 3. For everything else, the protocol's rules (`outlookOf`), from today's balances and allowances.

/** Every future charge of an account, with its verdict: whether it pays, fails, waits or is skipped, and why. */
export const getAccountOutlook = defineOperation({
  name: 'get_account_outlook',
  effect: 'read',
  kind: 'chain',
  summary: 'Every charge of a wallet to come: which pay, which fail and why, what waits, and what to add',
  description:
    'Charges stand in the order in which remit takes them, beginning with the days that remit has not checked yet. The ' +
    'state is today’s: money still to come in is not counted, and nobody subscribes, leaves or approves anything. ' +
    '`remit.seen` says up to which day everybody’s charges were tried. Behind it the index’s sweep, where there is one, ' +
    'says who blocks remit.',
  access: 'expensive',
  rest: { method: 'GET', path: '/accounts/:address/outlook' },
  tool: {
    profiles: ['read', 'subscriber'],
    text: ({ account, through, counts, charges, wallet, remit, ...page }) =>
      [
        `${account} until ${through.date}: ${counts.pays} charges pay, ${counts.fails} fail, ${counts.waits} wait, ` +
          `${counts.skipped} are skipped. Money still to come in is not counted.`,
        ...wallet.tokens.map(tokenText),
        remit.stop === null
          ? `Remit was tried up to ${dayText(remit.seen.through)}.`
          : `Remit stops on ${remit.stop.day.date}: ${remit.stop.issues.map(({ message }) => message).join(' ')}`,
        forecastText(remit.seen),
        pageText('Charges', charges.map(chargeText), page),
      ].join('\n'),
  },
  errors: [ViewFailedError, ForecastUnavailableError],
  input: Input,
  table: 'charges',
  output: z.object({
    account: Address,
    today: Day,
    through: Day.describe('The last day of the outlook.'),
    moneyToCome: z
      .literal('notCounted')
      .describe('Balances and allowances are today’s: what the wallet receives until then is not counted.'),
    counts: z
      .object({ charges: Count, pays: Count, fails: Count, waits: Count, skipped: Count })
      .describe('Of the whole outlook, not only of this page.'),
    wallet: z
      .object({ tokens: z.array(OutlookToken) })
      .describe('What it holds and lets the protocol take, token by token, and what is missing.'),
    remit: OutlookRemit,
    charges: z.array(OutlookChargeRow).describe('In the order in which remit takes them.'),
    ...pageAnswer,
  }),
  async handle({ input, chain, askIndex }) {
    // The same range as getAccount's default: a page that shows both then finds this read in the block's cache.
    const range = toRowRange({}, ACCOUNT_PAGE)
    return answer({ chain, askIndex }, input, (read) => read.account(input.address, range))
  },
  // Where the contract's view of an account's subscriptions fails: it has no pages, so there may be more of them than a node can list.
  fromIndex: {
    query: ({ input, history }) => queryActive(history, input.address),
    async handle({ input, chain, askIndex, rows }) {
      const ids = requireWhole(rows)
      return answer({ chain, askIndex }, input, async (read) => {
        const { rows: members, wallet } = await read.membershipsById(input.address, ids)
        const subscribedTo = members.map((row) => toAccountSubscription(row, rows))
        return { subscribedTo, wallet, dueOrder: [] }
      })
    },
  },
})

async function answer(
  { chain, askIndex }: Pick<ChainContext, 'chain' | 'askIndex'>,
  input: z.output<typeof Input>,
  readState: (read: ChainReads) => Promise<PayerState>,
) {
  const { address, days = OUTLOOK_DAYS, first: size = PAGE.default, after } = input
  const throughDay = Math.min(chain.today + days, LAST_DAY)
  const outlook = await accountOutlook(chain, address, { readState, throughDay, askIndex })
  const { charges, remit, charged, state, settings } = outlook
  const start = after === undefined ? 0 : placeAfter(charges, after)
  const page = charges.slice(start, start + size)
  const last = page.at(-1)
  const hasMore = start + page.length < charges.length
  const rows = new Map(charged.map((row) => [row.terms.id, row]))
  return {
    account: address,
    today: toDay(chain.today),
    through: toDay(throughDay),
    moneyToCome: 'notCounted' as const,
    counts: countsOf(charges),
    wallet: { tokens: tokensOf(outlook, state) },
    remit: toRemitRow(remit, { nextUncheckedDay: settings.nextUncheckedDay, asOf: chain.asOf }),
    charges: page.flatMap((charge) => {
      const row = rows.get(charge.id)
      return row === undefined
        ? []
        : [toChargeRow(charge, { provider: row.terms.provider, token: row.token })]
    }),
    count: page.length,
    hasMore,
    nextCursor: hasMore && last !== undefined ? `${last.dayNumber}_${last.id}` : null,
    ...tokenWarnings(
      charged.map(({ token }) => token),
      outlook.tokens.flatMap((row) => {
        const facts = charged.find(({ token }) => token.address === row.token)?.token
        return facts === undefined ? [] : surchargeWarnings(row, facts)
      }),
    ),
  }
}

function countsOf(charges: readonly OutlookCharge<Blocker>[]) {
  const counts = { charges: charges.length, pays: 0, fails: 0, waits: 0, skipped: 0 }
  for (const { verdict } of charges) counts[verdict.kind] += 1
  return counts
}

function tokensOf({ tokens, charged }: AccountOutlook, { wallet }: PayerState) {
  return tokens.flatMap((outlook) => {
    const facts = charged.find(({ token }) => token.address === outlook.token)?.token
    const held = wallet.find(({ token }) => token === outlook.token)
    return facts === undefined || held === undefined ? [] : [toTokenRow(outlook, { ...held, token: facts })]
  })
}

/** The place at which the next page begins. If the cursor's charge is gone, the page begins with the first charge of its day or later. */
function placeAfter(charges: readonly OutlookCharge<Blocker>[], cursor: string): number {
  const [day = '', id] = cursor.split('_')
  const same = charges.findIndex(({ dayNumber, id: own }) => dayNumber === Number(day) && own === id)
  if (same >= 0) return same + 1
  const next = charges.findIndex(({ dayNumber }) => dayNumber >= Number(day))
  return next < 0 ? charges.length : next
}

function tokenText({
  token,
  balance,
  allowance,
  firstFailure,
  toAdd,
  toAddIs,
}: z.output<typeof OutlookToken>): string {
  const inToken = (quantity: typeof balance) => amountText(quantity, token)
  const held = `It holds ${inToken(balance)} and lets the protocol take ${inToken(allowance)}`
  if (firstFailure === null) return `${held}; every charge pays.`
  const add = `add ${inToken(toAdd.balance)} to the balance and ${inToken(toAdd.allowance)} to the allowance`
  const isMore = toAddIs === 'enough' ? ' That is enough; less may do.' : ''
  const isLess =
    toAddIs === 'atLeast' ? ' That may be too little: the token takes more than it is asked for.' : ''
  return `${held}; the first charge fails on ${firstFailure.day.date}. So that all pay, ${add}.${isMore}${isLess}`
}

function chargeText({
  day,
  subscriptionId,
  amount,
  token,
  ...row
}: z.output<typeof OutlookChargeRow>): string {
  const why = row.failsBy ?? row.blockedBy ?? row.skippedBecause
  return `${day.date} ${subscriptionId}: ${amount} of ${token} ${row.verdict}${why === null ? '' : ` (${why})`}`
}

type PayerState = Pick<AccountState, 'subscribedTo' | 'wallet' | 'dueOrder'>

/** A wallet's charges up to a day, and how far the forecast has seen. */
interface AccountOutlook extends PayerOutlook<Blocker> {
  readonly remit: AccountRemitForecast
  /** Its memberships that remit charges. */
  readonly charged: readonly AccountMembership[]
  readonly state: PayerState
  readonly settings: ProtocolSettings
}

/**
 * Every charge of a wallet up to a day, by the three sources at the head of this file.
 */
async function accountOutlook(
  chain: ChainView,
  account: EvmAddress,
  options: { readState: (read: ChainReads) => Promise<PayerState>; throughDay: number; askIndex: AskIndex },
): Promise<AccountOutlook> {
  const { readState, throughDay, askIndex } = options
  // All at once, so that they share HTTP requests.
  const [state, settings, foreseen] = await Promise.all([
    readState(chain.read),
    chain.read.protocol(),
    remitAhead(chain, account, throughDay),
  ])
  const { nextUncheckedDay } = settings
  const isForecastOfThisWallet = await isAsForeseen(chain, state, { madeAt: foreseen.madeAt, readState })
  const simulated = isForecastOfThisWallet ? foreseen : withoutCharges(foreseen)
  const remit = await withSweep(simulated, { nextUncheckedDay, throughDay }, askIndex)
  const charged = state.subscribedTo.filter(isCharged)
  const input = toInput(charged, { state, settings, throughDay })
  return { ...outlookOf({ ...input, remit }), remit, charged, state, settings }
}

/**
 * Whether the wallet is as it was when the forecast was made. If it has joined, left, paid or been paid since, the
 * forecast of its charges no longer holds.
 */
async function isAsForeseen(
  chain: ChainView,
  state: PayerState,
  options: { madeAt: AccountRemitForecast['madeAt']; readState: (read: ChainReads) => Promise<PayerState> },
): Promise<boolean> {
  const { madeAt, readState } = options
  if (madeAt.hash === chain.asOf.blockHash) return true
  const earlier = await readState(chain.readAt(madeAt))
  return dequal(chargeableState(earlier), chargeableState(state))
}

/** All that decides on the charges of a wallet. */
function chargeableState({ subscribedTo, wallet }: PayerState) {
  const charged = subscribedTo.filter(isCharged)
  return {
    charged: charged.map(({ terms, feeBalance, token }) => [terms.id, feeBalance, token.paused]),
    wallet,
  }
}

function toInput(
  charged: readonly AccountMembership[],
  { state, settings, throughDay }: { state: PayerState; settings: ProtocolSettings; throughDay: number },
): PayerOutlookInput<Blocker> {
  const rows = charged.map(({ terms, feeBalance }) => ({ ...terms, feeBalance }))
  const tokens = new Map(charged.map(({ token }) => [token.address, token]))
  return {
    subscriptions: inRemitOrder(rows, state.dueOrder),
    tokens: state.wallet.flatMap(({ token, allowance, balance }) => {
      const facts = tokens.get(token)
      if (facts === undefined) return []
      const { decimals, paused } = facts
      return [{ token, decimals, paused, means: { allowance, balance } }]
    }),
    callerFee: settings.callerFee,
    nextUncheckedDay: settings.nextUncheckedDay,
    throughDay,
  }
}

/**
 * The forecast for a wallet that has changed since it was made: without its own charges, which the rules then give. A stop of
 * remit still holds. `mayBreak` goes, because it counts the wallet's old charges among those of a day; without it, a call of remit
 * may break off within any day. `through` goes too, so the answer says that nothing was tried, and the sweep is asked from the
 * first unchecked day on.
 */
function withoutCharges({ mayBreak: _, ...foreseen }: AccountRemitForecast): AccountRemitForecast {
  return { ...foreseen, chargesOn: () => undefined, through: undefined }
}
