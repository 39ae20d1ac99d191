import type { OutlookCharge, TokenOutlook, Verdict } from '@remit/protocol/outlook/outlook'
import * as z from 'zod'
import type { TokenFacts } from '../../ports/chainReads.ts'
import { BLOCKERS, type Blocker } from '../../ports/forecasts.ts'
import { toDay } from '../../presentation/day.ts'
import { quantity, toToken } from '../../presentation/token.ts'
import { amountFields, Quantity, Token } from '../../schema/amount.ts'
import { type AsOf, Issue, type Warning } from '../../schema/envelope.ts'
import { Address, SubscriptionId } from '../../schema/hex.ts'
import { BlockNumber, Day, Timestamp } from '../../schema/numbers.ts'
import { inWords, quantityFact } from '../prepare/answer/preconditions.ts'
import type { AccountRemitForecast } from './remitAhead.ts'

// What the outlooks answer, as schemas and the functions that fill them: a charge with its verdict, a token of the wallet,
// and how far remit was simulated. `getAccountOutlook` uses all, `providerOutlook` the last one. In the texts, remit is the contract's
// function that charges all who are due, and the sweep is the index's pass that tries the next transfer of every membership in the
// background. A page is what one call of remit handles, `maxRemits` subscribers at most; a page break is where a call ends within a day.

/** The block of an earlier read that an answer uses. */
export const ReadAt = z.object({
  blockNumber: BlockNumber,
  timestamp: Timestamp,
  ageSeconds: z.int().describe('How much older that block is than the block of this answer.'),
})

const BothMeans = z.object({ allowance: Quantity, balance: Quantity })

const BlockedBy = z
  .enum(BLOCKERS)
  .describe(
    'transfer: a token refuses a transfer, as for a payer whom it blocks. sweptTransfer: it did when the index’s sweep last ' +
      'tried it, for a day after those that were simulated; `remit.stop.readAt` says when, and the whole day waits. gasCap: one call needs more gas than a ' +
      'transaction may have. emptyDays: more empty days in a row than one call can walk. paging: maxRemits is 0. ' +
      'contractFunds: the contract holds less of a token than it owes. unsubscribedList: a list that only the ' +
      'janitor can shorten. revert: anything else.',
  )

/** The verdict of one due charge. */
export const ChargeVerdict = {
  verdict: z
    .enum(['pays', 'fails', 'waits', 'skipped'])
    .describe(
      'fails: remit drops the subscriber for good. waits: remit itself reverts on that day before it comes to the ' +
        'charge, or on an earlier day; from there on it charges and drops nobody. skipped: remit passes the day and never charges it.',
    ),
  failsBy: z
    .enum(['allowance', 'balance', 'both'])
    .nullable()
    .describe(
      'What is too low where the charge fails. Otherwise null, and also where a simulated remit dropped the wallet although ' +
        'it has enough by all that the token logs: such a token takes more than it logs.',
    ),
  missing: BothMeans.nullable().describe(
    'What is missing for the period where the charge fails; null where `failsBy` is.',
  ),
  blockedBy: BlockedBy.nullable().describe('What holds remit up where it waits; `remit.stop` says more.'),
  skippedBecause: z
    .enum(['tokenPaused', 'pageBreak'])
    .nullable()
    .describe(
      'tokenPaused: nothing is charged in a paused token. pageBreak: remit takes several calls for that day, and passes over the charge ' +
        'between two of them, or has made it in an earlier one.',
    ),
}

/** One charge to come. */
export const OutlookChargeRow = z
  .object({
    day: Day.describe('The due day. Where remit is called late, the charge itself is made later.'),
    subscriptionId: SubscriptionId,
    provider: Address,
    token: Address,
    ...amountFields,
    taken: Quantity.describe(
      'What leaves the wallet. A period that fills the fee balance can take a little less than `amount`; a token that takes ' +
        'fees of its own on top was seen to take more, and what was not seen is counted in proportion.',
    ),
    ...ChargeVerdict,
    toAdd: BothMeans.nullable().describe(
      'What must be added to each today, so that this charge pays and all those before it in this token; null where `missing` is. ' +
        '`missing` counts on it that what fails before has ended.',
    ),
  })
  .meta({ id: 'OutlookCharge' })

/** How long one token's allowance and balance last. */
export const OutlookToken = z
  .object({
    token: Token,
    paused: z.boolean().describe('Nothing is charged in a paused token, and the periods are lost.'),
    balance: Quantity,
    allowance: Quantity,
    firstFailure: z
      .object({ day: Day, subscriptionId: SubscriptionId })
      .nullable()
      .describe('The first charge that fails; null where none does.'),
    toAdd: BothMeans.describe(
      'What must be added to each today, so that every charge up to `through` pays, those that wait too.',
    ),
    toAddIs: z
      .enum(['least', 'enough', 'atLeast'])
      .describe(
        'least: with one unit less, a charge fails. enough: it may be more than that, because a page break of remit can skip ' +
          'a charge that could not be seen. atLeast: the token takes more than it is asked for, so it may take more still.',
      ),
  })
  .meta({ id: 'OutlookToken' })

/** How far remit was simulated. */
export const OutlookRemit = z
  .object({
    nextUncheckedDay: Day,
    seen: z
      .object({
        calls: z
          .int()
          .describe(
            'Calls of remit that were simulated on the contract itself, everybody’s charges included.',
          ),
        through: Day.nullable().describe(
          'Up to this day all that remit does was tried. Charges after it are calculated by the protocol’s rules, ' +
            'and the index’s sweep says who blocks remit: there, gas or a payer whom the sweep has not read can still hold ' +
            'remit up, and a page break can skip a charge. null where nothing was tried.',
        ),
        readAt: ReadAt.describe(
          'The block that the forecast was made at. One is made for all who ask, every few seconds; where that takes long ' +
            'it is older, a minute at most. Allowances, balances and fee balances are those of the block of this answer.',
        ),
      })
      .describe('How far the forecast has seen.'),
    stop: z
      .object({
        day: Day,
        blockedBy: BlockedBy,
        issues: z.array(Issue),
        readAt: z
          .object({ blockNumber: BlockNumber, timestamp: Timestamp })
          .nullable()
          .describe(
            'Where only the sweep knows of the stop: the block at which it tried the transfer. null where the forecast found the stop.',
          ),
      })
      .nullable()
      .describe(
        'The day from which remit reverts, why, and who can help; null where nothing is known to stop it.',
      ),
  })
  .meta({ id: 'OutlookRemit' })

/** The verdict as an answer has it, with null for each field that belongs to another kind. */
export function toVerdict(verdict: Verdict<Blocker>, token: Pick<TokenFacts, 'decimals'>) {
  const failsBy = verdict.kind === 'fails' && verdict.reason !== 'unexplained' ? verdict.reason : null
  return {
    verdict: verdict.kind,
    failsBy,
    missing: verdict.kind === 'fails' && failsBy !== null ? toBoth(verdict.missing, token) : null,
    blockedBy: verdict.kind === 'waits' ? verdict.blockedBy : null,
    skippedBecause: verdict.kind === 'skipped' ? verdict.because : null,
  }
}

export function toChargeRow(
  { id, dayNumber, full, taken, verdict, toAdd }: OutlookCharge<Blocker>,
  { provider, token }: { provider: z.output<typeof Address>; token: TokenFacts },
): z.output<typeof OutlookChargeRow> {
  return {
    day: toDay(dayNumber),
    subscriptionId: id,
    provider,
    token: token.address,
    ...quantity(full, token),
    taken: quantity(taken, token),
    ...toVerdict(verdict, token),
    toAdd: toAdd === undefined ? null : toBoth(toAdd, token),
  }
}

export function toTokenRow(
  { firstFailure, toAdd, toAddIs }: TokenOutlook,
  { token, balance, allowance }: { token: TokenFacts; balance: bigint; allowance: bigint },
): z.output<typeof OutlookToken> {
  return {
    token: toToken(token),
    paused: token.paused,
    balance: quantity(balance, token),
    allowance: quantity(allowance, token),
    firstFailure:
      firstFailure === undefined
        ? null
        : { day: toDay(firstFailure.dayNumber), subscriptionId: firstFailure.id },
    toAdd: toBoth(toAdd, token),
    toAddIs,
  }
}

/** Warns of a token that takes more than the contract asks it for. */
export function surchargeWarnings({ surcharge }: TokenOutlook, token: TokenFacts): Warning[] {
  if (surcharge === undefined) return []
  const { id, asked, taken } = surcharge
  const day = toDay(surcharge.dayNumber)
  const seen =
    taken === undefined
      ? `remit was seen to drop the wallet from ${id}, although it has enough by all that the token logs`
      : `the charge for ${id} was seen to take ${inWords(taken, token)} where ${inWords(asked, token)} were asked for`
  return [
    {
      code: 'TOKEN_TAKES_MORE',
      message:
        `The token ${token.address} takes more from a wallet than the protocol asks for: on ${day.date} ${seen}. ` +
        'The wallet can last for less, and need more, than this answer says.',
      token: token.address,
      subscriptionId: id,
      day,
      asked: taken === undefined ? null : quantityFact(asked, token),
      taken: taken === undefined ? null : quantityFact(taken, token),
    },
  ]
}

export function toRemitRow(
  { calls, through, madeAt, stop, sweptAt }: AccountRemitForecast,
  { nextUncheckedDay, asOf }: { readonly nextUncheckedDay: number; readonly asOf: AsOf },
): z.output<typeof OutlookRemit> {
  // A forecast made some seconds ago may reach only days that remit has finished since.
  const isSeen = through !== undefined && through >= nextUncheckedDay
  return {
    nextUncheckedDay: toDay(nextUncheckedDay),
    seen: {
      calls,
      through: isSeen ? toDay(through) : null,
      readAt: readAt({ ...madeAt, blockNumber: madeAt.number }, asOf),
    },
    stop:
      stop === undefined
        ? null
        : {
            day: toDay(stop.dayNumber),
            blockedBy: stop.blockedBy,
            issues: [...stop.issues],
            readAt: sweptAt ?? null,
          },
  }
}

/** How old the forecast of an answer is, as a sentence. */
export function forecastText({ readAt }: z.output<typeof OutlookRemit>['seen']): string {
  const { blockNumber, ageSeconds } = readAt
  return `The forecast of remit was made at block ${blockNumber}, ${ageSeconds} s before this answer’s.`
}

/** A block, with its age at the answer's block. */
export function readAt(
  { blockNumber, timestamp }: { readonly blockNumber: number; readonly timestamp: number },
  asOf: AsOf,
): z.output<typeof ReadAt> {
  return { blockNumber, timestamp, ageSeconds: Math.max(0, asOf.timestamp - timestamp) }
}

function toBoth(
  { allowance, balance }: { readonly allowance: bigint; readonly balance: bigint },
  token: Pick<TokenFacts, 'decimals'>,
): z.output<typeof BothMeans> {
  return { allowance: quantity(allowance, token), balance: quantity(balance, token) }
}
