import { decodeRevert } from '@remit/protocol/reverts'
import { type Address as EvmAddress, getAddress, isAddressEqual } from 'viem'
import * as z from 'zod'
import { defineOperation } from '../../declare/operation.ts'
import { SimulationUnsupportedError } from '../../errors/chain.ts'
import { ValidationError } from '../../errors/input.ts'
import type { LastingToken } from '../../ports/chainReads.ts'
import type { FutureRemit, FutureRemits } from '../../ports/remit.ts'
import { dayNamed, NamedDate, refuseTwoDays, toDay } from '../../presentation/day.ts'
import { amountText, listText } from '../../presentation/subscriptionText.ts'
import { getToken, quantity, tokenWarnings, toToken } from '../../presentation/token.ts'
import { amountFields, Quantity, Token } from '../../schema/amount.ts'
import { Address, SubscriptionId } from '../../schema/hex.ts'
import { Day, DayNumber, Uint256 } from '../../schema/numbers.ts'

/** How far ahead the day may be. Every due day of every frequency comes once within a leap year. */
const MOST_DAYS_AHEAD = 366

/** Nobody's address. Fees that go there show what a caller of remit would earn. */
const NOBODY: EvmAddress = '0x000000000000000000000000000000000000dEaD'

const TokenAmount = z.object({ token: Token, ...amountFields })

const FutureCharge = z.object({
  subscriptionId: SubscriptionId,
  subscriber: Address,
  outcome: z.enum(['pays', 'fails']).describe('fails: remit drops the subscriber.'),
  token: Address,
  toProvider: Quantity.nullable().describe(
    'What the provider receives: of a charge that fails, the rest of the fee balance. null where the token does not log that transfer.',
  ),
  toFeeBalance: Quantity.nullable().describe('What fills the fee balance, for the callers of remit.'),
})

const FutureCall = z.object({
  ...Day.shape,
  finished: z.boolean().describe('false where the call broke off at maxRemits.'),
  emptyDays: z.int().describe('Days without anything due that it passed before this one.'),
  gasUsed: Uint256,
  paid: z.int(),
  failed: z.int(),
  charges: z.array(FutureCharge).describe('In the order in which remit takes them.'),
  callerFees: z.array(TokenAmount),
  systemFees: z.array(TokenAmount),
})

const Unfinished = z.object({
  from: Day.describe('The first day that is not finished.'),
  because: z
    .enum(['reverted', 'calls', 'gas'])
    .describe(
      'reverted: remit itself reverts there, and nobody behind it pays. calls: there was room for no more calls. gas: the ' +
        'next call ran out of gas, of a transaction’s or of what the node gives all calls together.',
    ),
  reason: z
    .object({
      name: z.string(),
      message: z.string(),
      protocolCode: z.string().optional().describe('The contract’s own number for it.'),
    })
    .nullable()
    // Null also for `gas`: a call without gas left has no reason of its own.
    .describe('How the next call fails; null where none was made.'),
})

/**
 * Runs the real contract's remit() as if it were another day. Nothing is sent. Its `kind` is `prepare`, although it answers no transactions:
 * like a prepare it simulates at the newest block, for one caller. With much due that takes seconds of a processor, hence `inThread`.
 */
export const simulateRemit = defineOperation({
  name: 'simulate_remit',
  effect: 'read',
  kind: 'prepare',
  inThread: true,
  summary:
    'Run the contract’s remit as if it were a later day: who pays, who fails, what it earns, where it stops',
  description:
    `Calls remit() on today's state at the time of the day, until nothing is due up to it: at most 64 times. Money that ` +
    'still comes in, new subscribers and approvals are not in it. A node gives a simulation only so much gas; where that ' +
    'is used up, `unfinished` says what is left. A call takes one day that has anything due.',
  access: 'write',
  rest: { method: 'POST', path: '/simulate/remit' },
  tool: {
    profiles: ['keeper'],
    text: ({ calls, day, paid, failed, callerFees, unfinished }) =>
      [
        `Up to ${day.date}: ${calls.length} calls of remit(), ${paid} charges pay, ${failed} fail.`,
        `Caller's fees: ${callerFees.map((fee) => amountText(fee, fee.token)).join(', ') || 'none'}.`,
        ...(unfinished === null
          ? ['Nothing is left.']
          : [
              `Left from ${unfinished.from.date} on (${unfinished.because}). ${unfinished.reason?.message ?? ''}`,
            ]),
        ...listText(calls.map((call) => `${call.date}: ${call.paid} pay, ${call.failed} fail`)),
      ].join('\n'),
  },
  errors: [SimulationUnsupportedError],
  input: z
    .object({
      from: Address.optional().describe(
        'Who would call remit() and earn the fee; default: nobody’s address.',
      ),
      dayNumber: DayNumber.optional(),
      date: NamedDate.optional().describe(
        `The day as YYYY-MM-DD: today (the default) to ${MOST_DAYS_AHEAD} days ahead.`,
      ),
    })
    .superRefine(refuseTwoDays),
  output: z.object({
    from: Address,
    day: Day,
    nextUncheckedDay: Day.describe('Before these calls.'),
    paid: z.int(),
    failed: z.int(),
    callerFees: z.array(TokenAmount),
    calls: z.array(FutureCall),
    unfinished: Unfinished.nullable().describe('null where nothing is due any more up to the day.'),
  }),
  async handle({ input, chain }) {
    const dayNumber = dayAsked(input, chain.today)
    const caller = input.from ?? NOBODY
    const settings = await chain.read.protocol()
    const remits = await chain.remit.future(caller, dayNumber, settings.maxRemits)
    const { calls } = remits
    const named = calls.flatMap(({ charges, fees }) =>
      [...charges, ...fees].map(({ token }) => getAddress(token)),
    )
    const tokens = await chain.read.lastingTokens([...new Set(named)])
    const fees = calls.flatMap((call) => feesByReceiver(call, caller).callerFees)
    return {
      from: caller,
      day: toDay(dayNumber),
      nextUncheckedDay: toDay(settings.nextUncheckedDay),
      paid: calls.reduce((sum, call) => sum + countPaid(call), 0),
      failed: calls.reduce((sum, call) => sum + call.charges.length - countPaid(call), 0),
      callerFees: addedUp(fees, tokens),
      calls: calls.map((call) => toCall(call, caller, tokens)),
      unfinished: toUnfinished(remits, dayNumber),
      ...tokenWarnings([...tokens.values()]),
    }
  },
})

function dayAsked(
  input: { dayNumber?: number | undefined; date?: string | undefined },
  today: number,
): number {
  const { dayNumber } = input
  const day = dayNamed(input, today)
  const field = dayNumber === undefined ? 'date' : 'dayNumber'
  if (day < today) throw ValidationError.of(field, `must not be before today, ${toDay(today).date}`)
  if (day > today + MOST_DAYS_AHEAD) {
    throw ValidationError.of(
      field,
      `must be at most ${MOST_DAYS_AHEAD} days after today, ${toDay(today).date}`,
    )
  }
  return day
}

type Tokens = ReadonlyMap<EvmAddress, LastingToken>

/** How many of a call's charges pay. */
function countPaid({ charges }: FutureRemit): number {
  return charges.filter(({ outcome }) => outcome !== 'failed').length
}

/** Remit pays fees to its caller, and to the system's receiver. */
function feesByReceiver({ fees }: FutureRemit, caller: EvmAddress) {
  return {
    callerFees: fees.filter(({ to }) => isAddressEqual(to, caller)),
    systemFees: fees.filter(({ to }) => !isAddressEqual(to, caller)),
  }
}

function toCall(call: FutureRemit, caller: EvmAddress, tokens: Tokens): z.output<typeof FutureCall> {
  const { dayNumber, finished, emptyDays, gasUsed, charges } = call
  const { callerFees, systemFees } = feesByReceiver(call, caller)
  const paid = countPaid(call)
  return {
    ...toDay(dayNumber),
    finished,
    emptyDays,
    gasUsed,
    paid,
    failed: charges.length - paid,
    charges: charges.map(({ id, subscriber, outcome, token, toProvider, toFeeBalance }) => {
      const amountOf = (raw: bigint | undefined) =>
        raw === undefined ? null : quantity(raw, getToken(tokens, getAddress(token)))
      return {
        subscriptionId: id,
        subscriber,
        outcome: outcome === 'failed' ? ('fails' as const) : ('pays' as const),
        token,
        toProvider: amountOf(toProvider),
        toFeeBalance: amountOf(toFeeBalance),
      }
    }),
    callerFees: addedUp(callerFees, tokens),
    systemFees: addedUp(systemFees, tokens),
  }
}

/** Sums by token, without those of 0. */
function addedUp(
  amounts: readonly { readonly token: EvmAddress; readonly amountRaw: bigint }[],
  tokens: Tokens,
): z.output<typeof TokenAmount>[] {
  const sums = new Map<EvmAddress, bigint>()
  for (const { token, amountRaw } of amounts) {
    const address = getAddress(token)
    sums.set(address, (sums.get(address) ?? 0n) + amountRaw)
  }
  return [...sums]
    .filter(([, amountRaw]) => amountRaw > 0n)
    .map(([address, amountRaw]) => {
      const token = getToken(tokens, address)
      return { token: toToken(token), ...quantity(amountRaw, token) }
    })
}

/** What the calls have left; `null` where nothing is left up to the day. A reason is told unless the gas ended, see `Unfinished`. */
function toUnfinished(
  { end, nextUncheckedDay, revert }: FutureRemits,
  dayNumber: number,
): z.output<typeof Unfinished> | null {
  if (end === 'done' || nextUncheckedDay > dayNumber) return null
  const reason = revert === undefined || end === 'gas' ? null : reasonOf(decodeRevert(revert.data))
  return { from: toDay(nextUncheckedDay), because: end, reason }
}

/** A revert's name, message and, where the protocol's contract reverted, its code. Other facts of it are no JSON. */
function reasonOf(revert: ReturnType<typeof decodeRevert>) {
  const { name, message } = revert
  return { name, message, ...(revert.kind === 'protocol' ? { protocolCode: revert.protocolCode } : {}) }
}
