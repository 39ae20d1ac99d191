import type { Address as EvmAddress } from 'viem'
import * as z from 'zod'
import type { ChainView } from '../../ports/chains.ts'
import type { HistoryQueries } from '../../ports/history.ts'
import type {
  BlockedCharge,
  DueMembers,
  ExpectedCharges,
  TroubledMembership,
  VerdictAges,
  VerdictScope,
} from '../../ports/verdicts.ts'
import { isoTime, toDay } from '../../presentation/day.ts'
import { amountText, pageText } from '../../presentation/subscriptionText.ts'
import { getToken, tokenWarnings } from '../../presentation/token.ts'
import { Address, SubscriptionId } from '../../schema/hex.ts'
import { Day } from '../../schema/numbers.ts'
import { pageAnswer } from '../../schema/page.ts'
import { readVerdicts } from '../../verdicts/readVerdicts.ts'
import { seeCharges } from '../../verdicts/seenCharges.ts'
import {
  isBehind,
  type MembershipsToReread,
  MOST_REREAD,
  NOTHING_TO_REREAD,
  placeOf,
  queryMembershipsToReread,
  replaceVerdicts,
} from './freshVerdicts.ts'
import { DayIncome, incomeOf, TokenTotals } from './income.ts'
import { forecastText, OutlookRemit, ReadAt, readAt, toRemitRow } from './outlookRows.ts'
import { type AccountRemitForecast, remitStopAhead, stoppedBy, unseenFrom } from './remitAhead.ts'
import { TroubledRow, toTroubledRow } from './troubledRow.ts'

const PAGE = { default: 25, max: 100 }
const DAYS = { default: 30, max: 92 }
/** How many blocked charges are read. Some may be of days that remit has finished since: the sweep reads those again within hours. */
const MOST_BLOCKED = 200

// What `get_provider_outlook` and `get_subscription_outlook` have in common: input, output, query and answer. Two sources tell what
// becomes of the charges to come: the index's verdicts, which the sweep (its pass in the background) keeps for each membership, say who
// pays; the chain's forecast, a simulation of remit, says where remit stops for all. `queryOutlook` reads the index, `answerOutlook`
// then the chain at the index's block; with `fresh`, memberships are read there again (freshVerdicts.ts).

export const outlookInput = {
  days: z
    .int()
    .min(1)
    .max(DAYS.max)
    .optional()
    .describe(`How many days ahead, today being the first: default ${DAYS.default}, at most ${DAYS.max}.`),
  first: z
    .int()
    .min(1)
    .max(PAGE.max)
    .optional()
    .describe(`How many of those who will not pay: default ${PAGE.default}, at most ${PAGE.max}.`),
  after: z
    .string()
    .min(1)
    .max(200)
    .regex(/^[A-Za-z0-9_-]+$/, 'must be the nextCursor of an earlier page')
    .optional()
    .describe('The nextCursor of the page before.'),
  fresh: z
    .boolean()
    .optional()
    .describe(
      `true: all memberships that are charged within the outlook are read again at this block, ${MOST_REREAD.toLocaleString('en')} at ` +
        'most, with what their payers pay elsewhere. Beyond that, the sweep’s verdicts count, and `verdicts.unread` says of how many.',
    ),
}

type OutlookInput = z.output<z.ZodObject<typeof outlookInput>>

export const outlookOutput = {
  from: Day,
  through: Day,
  income: z.object({
    totals: z.array(TokenTotals).describe('One for each token. Exact sums of the verdicts below.'),
    days: z.array(DayIncome).describe('One for each day and token with a charge, overdue days first.'),
  }),
  blockedBy: z
    .object({ ...Day.shape, subscriptionId: SubscriptionId, subscriber: Address, token: Address })
    .nullable()
    .describe(
      'The payer whom the token refuses, where that stops remit: from this day on it reverts, and everybody waits. Where a day ' +
        'takes several calls of remit, those before it are still made. null where nobody is known, or where something ' +
        'else stops remit, which `remit.stop` tells.',
    ),
  remit: OutlookRemit,
  troubled: z.array(TroubledRow).describe('Who will fail or wait, earliest first.'),
  total: z.int().describe('How many of them there are up to the last day.'),
  ...pageAnswer,
  verdicts: z
    .object({
      memberships: z.int().describe('Active memberships of live subscriptions.'),
      unread: z
        .int()
        .describe(
          'Of them, those that have not been read since their last event. They are in no sum. With `fresh`: those that are ' +
            'charged within the outlook and were not read for this answer.',
        ),
      oldest: ReadAt.nullable(),
      newest: ReadAt.nullable(),
    })
    .describe('How old what this answer knows of allowances and balances is.'),
}

export const OUTLOOK_DESCRIPTION =
  'Every active membership is looked at by a sweep: allowance, balance, fee balance, and a trial of its next transfer. ' +
  'It comes more often as a due day comes nearer, and at once after an event. Charges are those that remit will make ' +
  'with that state: money still to come in, new subscribers and approvals are not counted. `verdicts` says how old it is ' +
  'and how many memberships it lacks; `fresh=true` reads all that are charged within the outlook now.'

/** What `queryOutlook` found, for `answerOutlook`. */
export interface OutlookRows {
  readonly fromDay: number
  readonly throughDay: number
  readonly expected: readonly ExpectedCharges[]
  /** Earliest first. Some may be of days that remit has finished since the verdict. */
  readonly blocked: readonly BlockedCharge[]
  readonly page: { readonly rows: readonly TroubledMembership[]; readonly nextCursor: string | null }
  /** How many rows to show, and the cursor of the row that they follow. */
  readonly first: number
  readonly after: string | undefined
  readonly ages: VerdictAges
  /** What is read again for this answer; `undefined` without `fresh`. With it, `page` holds more rows than are shown. */
  readonly toReread: MembershipsToReread | undefined
  /** How many members each due list has; empty where nothing is read again. */
  readonly dueMembers: readonly DueMembers[]
}

/** What the index says of the charges to come in a scope, from the chain's today on. */
export async function queryOutlook(
  scope: VerdictScope,
  input: OutlookInput,
  { today: fromDay, history }: { readonly today: number; readonly history: HistoryQueries },
): Promise<OutlookRows> {
  const throughDay = fromDay + (input.days ?? DAYS.default) - 1
  const { first = PAGE.default, after } = input
  const toReread = input.fresh ? await queryMembershipsToReread(scope, throughDay, history) : undefined
  // With `fresh`, those that turn out to be in trouble are inserted, so the page is cut only afterwards.
  const page = await history.troubledMemberships(scope, throughDay, {
    first: input.fresh ? MOST_REREAD : first,
    after,
  })
  return {
    fromDay,
    throughDay,
    expected: await history.expectedCharges(scope, throughDay),
    blocked: await history.blockedCharges(throughDay, MOST_BLOCKED),
    page,
    ages: await history.verdictAges(scope),
    first,
    after,
    toReread,
    dueMembers: toReread === undefined || toReread.memberships.length === 0 ? [] : await history.dueMembers(),
  }
}

/** The answer's part that all outlooks of providers share. */
export async function answerOutlook(chain: ChainView, rows: OutlookRows) {
  const { page, ages, toReread = NOTHING_TO_REREAD } = rows
  const named = [...rows.expected, ...page.rows, ...toReread.known].map(({ terms }) => terms.token)
  const [{ nextUncheckedDay }, simulated, tokens, fresh] = await Promise.all([
    chain.read.protocol(),
    // Midnight may have come since the index was asked.
    remitStopAhead(chain, Math.max(rows.throughDay, chain.today)),
    chain.read.lastingTokens([...new Set(named)]),
    seeCharges(chain, rows.dueMembers).then((seen) => readVerdicts(chain, toReread.memberships, seen)),
  ])
  const tokenOf = (address: EvmAddress) => getToken(tokens, address)
  // A day that remit has finished is past, so older verdicts about it are left out.
  const isAhead = ({ dayNumber }: { readonly dayNumber: number }) => dayNumber >= nextUncheckedDay
  const { throughDay, first, after } = rows
  const refreshed = replaceVerdicts(
    { expected: rows.expected, troubled: page.rows },
    toReread,
    fresh.judged,
    { throughDay, asOf: chain.asOf },
  )
  const ahead = refreshed.expected.filter(isAhead)
  const remit = withBlocked(simulated, rows.blocked, nextUncheckedDay)
  const { stop } = remit
  /** Whose transfer is refused; `undefined` where something else stops remit, or nothing. */
  const payer = stop?.payer
  const blockedDay = stop?.dayNumber
  const listed = refreshed.troubled.filter((row) => isBehind(row, after))
  const shown = listed.slice(0, first)
  const last = shown.at(-1)
  const nextCursor = listed.length > first && last !== undefined ? placeOf(last) : page.nextCursor
  const troubled = shown.filter(({ trouble }) => isAhead(trouble))
  return {
    from: toDay(rows.fromDay),
    through: toDay(rows.throughDay),
    income: incomeOf(ahead, { tokenOf, blockedDay }),
    blockedBy:
      stop === undefined || payer === undefined
        ? null
        : {
            ...toDay(stop.dayNumber),
            subscriptionId: payer.subscriptionId,
            subscriber: payer.subscriber,
            token: payer.token,
          },
    remit: toRemitRow(remit, { nextUncheckedDay, asOf: chain.asOf }),
    troubled: troubled.map((row) =>
      toTroubledRow(row, {
        token: tokenOf(row.terms.token),
        blockedDay,
        reread: refreshed.rereadVerdict(row),
        asOf: chain.asOf,
      }),
    ),
    total: ahead
      .filter(({ kind }) => kind === 'failed' || kind === 'blocked')
      .reduce((sum, { count }) => sum + count, 0),
    count: troubled.length,
    hasMore: nextCursor !== null,
    nextCursor,
    verdicts: {
      memberships: ages.memberships,
      unread: rows.toReread === undefined ? ages.unread : refreshed.unread,
      oldest: ages.oldest && readAt(ages.oldest, chain.asOf),
      newest: ages.newest && readAt(ages.newest, chain.asOf),
    },
    ...tokenWarnings([...tokens.values()]),
  }
}

/** The forecast with a stop: its own, else, after the last simulated day, the earliest charge that the sweep knows to be refused. */
function withBlocked(
  remit: AccountRemitForecast,
  blocked: readonly BlockedCharge[],
  nextUncheckedDay: number,
): AccountRemitForecast {
  if (remit.stop !== undefined) return remit
  const fromDay = unseenFrom(remit, nextUncheckedDay)
  const first = blocked.find(({ dayNumber }) => dayNumber >= fromDay)
  return first === undefined ? remit : stoppedBy(remit, first)
}

type OutlookAnswer = Awaited<ReturnType<typeof answerOutlook>>

/** An outlook in a few words. */
export function outlookText(whose: string, answer: OutlookAnswer): string {
  const { income, troubled, verdicts, remit, through } = answer
  return [
    ...income.totals.map(
      ({ token, waiting, missed, ...of }) =>
        `${whose} can expect ${amountText(of.income, token)} through ${through.date}; ` +
        `${amountText(waiting, token)} wait and ${amountText(missed, token)} fail.` +
        (of.skipped === 0 ? '' : ` ${of.skipped} charges are skipped.`),
    ),
    ...(remit.stop === null
      ? []
      : [
          `Remit stops on ${remit.stop.day.date}: ${remit.stop.issues.map(({ message }) => message).join(' ')}`,
        ]),
    forecastText(remit.seen),
    `Verdicts on ${verdicts.memberships - verdicts.unread} of ${verdicts.memberships} memberships` +
      (verdicts.oldest === null ? '.' : `, the oldest of ${isoTime(verdicts.oldest.timestamp)}.`),
    pageText(
      `Who will not pay (${answer.total} in all)`,
      troubled.map(
        ({ date, subscriber, subscriptionId, outcome, reason }) =>
          `${date}: ${subscriber} ${outcome} in ${subscriptionId}, ${reason ?? 'no reason any more'}`,
      ),
      answer,
    ),
  ].join('\n')
}
