import { dueDayOn } from '@remit/protocol/calendar'
import { FREQUENCIES } from '@remit/protocol/subscription'
import type { Address as EvmAddress, Hex } from 'viem'
import * as z from 'zod'
import { defineOperation } from '../../../declare/operation.ts'
import { ViewFailedError } from '../../../errors/chain.ts'
import type { ChainView } from '../../../ports/chains.ts'
import { byRoute } from '../../../presentation/byRoute.ts'
import { isoTime, toDay } from '../../../presentation/day.ts'
import { amountText, listText } from '../../../presentation/subscriptionText.ts'
import type { Warning } from '../../../schema/envelope.ts'
import { Address } from '../../../schema/hex.ts'
import { definePrepare, prepareErrors, readinessLines } from '../answer/definePrepare.ts'
import { prepareOptions } from '../answer/options.ts'
import { protocolCall } from '../answer/plannedCall.ts'
import { counted } from '../answer/preconditions.ts'
import {
  type AnyReadiness,
  answerReadiness,
  dayEndsSoon,
  endsSoon,
  type Findings,
  midnightAfter,
  readinessAnswer,
} from '../answer/prepareAnswer.ts'
import { findRemit, type RemitFindings } from './remitFindings.ts'
import { RemitReadiness, remitIssues, remitWarnings, toRemitReadiness } from './remitReadiness.ts'
import { gasWayOut } from './remitStop.ts'

// The two operations about calling remit() now: `prepareRemit` answers the transaction of one call, `checkRemitReadiness` what all calls
// until nothing is due would do. Both make their answer from the same findings (`planRemit`; remitFindings.ts reads and simulates), and
// both take seconds of a processor where much is due, so the service answers them in a thread (`inThread`).

/** Prepares one remit(). Anybody may call it and earns the caller's fee. */
export const prepareRemit = definePrepare({
  name: 'prepare_remit',
  summary: 'Prepare one remit(), which collects what is due and pays its caller a fee',
  description:
    'One remit() clears at most one day that has anything due, and at most maxRemits subscribers: sign, send, ' +
    'and prepare again until NOTHING_DUE or REMIT_NOT_DUE.',
  profiles: ['keeper'],
  inThread: true,
  errors: [...prepareErrors, ViewFailedError],
  input: z.object(prepareOptions),
  preflight: RemitReadiness,
  plan: ({ input, chain }) => planRemit(chain, input.from),
})

/** Forecasts what calling remit() until nothing is due would do, and what prevents it. It answers no transactions. */
export const checkRemitReadiness = defineOperation({
  name: 'check_remit_readiness',
  effect: 'read',
  kind: 'prepare',
  inThread: true,
  summary: 'Scan every unchecked day: who will pay, who will fail, what it earns, how many calls it takes',
  description:
    'Looks at all days from nextUncheckedDay to today. The first calls of remit() are simulated at this block. Later ones are calculated by the protocol’s rules, and their transfers are tried, as far as `seen` ' +
    'says.',
  access: 'write',
  rest: { method: 'POST', path: '/check_remit_readiness' },
  tool: { profiles: ['keeper'], text: remitReadinessText },
  errors: [ViewFailedError],
  input: z.object({ from: Address.describe('Who would call remit() and earn the fee. Anybody may.') }),
  output: readinessAnswer(RemitReadiness),
  async handle({ input, chain, requestId }) {
    const { stop, ...plan } = await planRemit(chain, input.from)
    const steps = [
      `Ask prepare_remit${byRoute(`POST /prepare/remit?chainId=${chain.chainId}`)} for the transaction with the same \`from\`, sign it, ` +
        'send it, and wait until it is mined.',
      stop === undefined
        ? 'Do so again until this check says NOTHING_DUE or REMIT_NOT_DUE.'
        : 'Do so again until this check is not ready any more: its warnings say what stops remit then.',
    ]
    return answerReadiness({ chain, requestId }, { ...plan, from: input.from, steps })
  },
})

/** The unchecked days in a few words: who pays, who fails, and what the caller earns. */
function remitReadinessText(
  answer: AnyReadiness & { readonly details: z.output<typeof RemitReadiness> },
): string {
  const { days, failing, expectedTransactions, callerFees } = answer.details
  const fees = callerFees.map(({ token, ...fee }) => amountText(fee, token)).join(', ')
  return [
    ...readinessLines(answer),
    `Calls of remit(): ${expectedTransactions}. Caller's fees: ${fees || 'none'}.`,
    ...listText(
      days.map(
        ({ date, subscriptions, willPay, willFail }) =>
          `${date}: ${subscriptions} subscriptions, ${willPay} pay, ${willFail} fail`,
      ),
    ),
    ...listText(
      failing.map(
        ({ date, subscriber, subscriptionId, reason }) =>
          `${date}: ${subscriber} fails in ${subscriptionId} by ${reason ?? 'a reason that cannot be told'}`,
      ),
    ),
  ].join('\n')
}

type Details = z.output<typeof RemitReadiness>

/** Plans one remit(), for both operations. `stop` is what stops remit after the calls that succeed; `undefined` where nothing does. */
async function planRemit(
  chain: ChainView,
  from: EvmAddress,
): Promise<Findings<Details> & { readonly details: Details } & Pick<RemitFindings, 'stop'>> {
  const [findings, afterMidnight] = await Promise.all([findRemit(chain, from), remitAfterMidnight(chain)])
  const { backlog, probed, stop } = findings
  const details = toRemitReadiness(chain, findings)
  return {
    operation: 'remit',
    stop,
    issues: remitIssues(chain, findings),
    warnings: [...remitWarnings(chain, findings), ...afterMidnight],
    // A probe (the simulation behind the findings) that has logs made the same call from the same address, which is proof enough. One
    // without logs (gaps `counted` and `days`) ran through a contract laid over the caller's address, and is no proof.
    isTried: probed.seenCalls > 0 && !probed.gaps.some((gap) => gap === 'counted' || gap === 'days'),
    nativeBalance: backlog.nativeBalance,
    backlogMultiplier: details.expectedTransactions,
    gasWayOut: gasWayOut(backlog.settings.maxRemits),
    preflight: details,
    details,
    batches: () => [
      [protocolCall(chain.contractAddress, 'remit', [], 'call remit(), which collects what is due')],
    ],
  }
}

/** How many due subscriptions the warning names. */
const MOST_NAMED = 20

/** Warns where midnight is near and more subscriptions are due after it. Reads nothing at other times. */
export async function remitAfterMidnight(chain: ChainView): Promise<Warning[]> {
  if (!endsSoon(chain)) return []
  // `skipped`: nothing of this frequency can be due on such a day.
  const lists = FREQUENCIES.map((frequency) => ({ frequency, ...dueDayOn(chain.today + 1, frequency) }))
  const until = `This holds until ${isoTime(midnightAfter(chain))}. After that,`
  const { date } = toDay(chain.today + 1)
  const due = await chain.read.due(lists.filter(({ skipped }) => !skipped)).catch((error: unknown) => {
    if (!(error instanceof ViewFailedError)) throw error
    return undefined
  })
  if (due === undefined) {
    return [
      dayEndsSoon(chain, `${until} remit also charges what is due on ${date}, which cannot be read.`, {}),
    ]
  }
  const ids: readonly Hex[] = due.flatMap(({ subscriptionIds }) => subscriptionIds)
  if (ids.length === 0) return []
  const message =
    `${until} ${counted(ids.length, 'subscription')} of ${date} can be charged as well, by further calls of ` +
    'remit().'
  return [dayEndsSoon(chain, message, { dueAfter: ids.length, subscriptionIds: ids.slice(0, MOST_NAMED) })]
}
