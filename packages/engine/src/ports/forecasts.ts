import type { PackedCharges } from '@remit/protocol/outlook/PackedCharges'
import type { Issue } from '../schema/envelope.ts'
import type { BlockRef } from './history.ts'
import type { BlockedCharge } from './verdicts.ts'

// Answers that take seconds of a processor, and are made away from callers: a chain's forecast of remit, kept for all who ask
// (`chain/Forecasts.ts`), and whole operations. The service makes both in a thread of their own (`service/forecasting/`). Remit is the
// contract's function that charges all who are due, day by day. Days are numbers: unix time / 86400.

/** What can hold remit up, for everybody: `BlockedBy` in operations/outlook/outlookRows.ts explains each. */
export const BLOCKERS = [
  'transfer',
  'sweptTransfer',
  'gasCap',
  'emptyDays',
  'paging',
  'contractFunds',
  'unsubscribedList',
  'revert',
] as const

export type Blocker = (typeof BLOCKERS)[number]

/** The first day that remit cannot finish, and why. */
export interface ForeseenStop {
  readonly dayNumber: number
  readonly blockedBy: Blocker
  /** What stops it, for people to read: one for each cause. */
  readonly issues: readonly Issue[]
  /** Whose transfer its token refuses, where that stops remit. */
  readonly payer?: Pick<BlockedCharge, 'subscriptionId' | 'subscriber' | 'token'> | undefined
}

/**
 * What remit will do on the days to come, as one block's state decides. It is the same for all who ask, and travels between
 * threads, so it is plain data.
 */
export interface Foreseen {
  /** The last day that was asked about (`ForecastQuestion`). What was found out may end before it: see `beforeDay` and `through`. */
  readonly lastDay: number
  /** The first day whose charges are known: the first that remit had not finished. */
  readonly fromDay: number
  /** The charges of every day before this one are known, by a simulation or by the protocol's rules. Equal to `fromDay`: of no day. */
  readonly beforeDay: number
  /** Those charges, and of the day of the stop those that succeed. Each account's are packed into one string. */
  readonly charges: PackedCharges
  /** `undefined` where nothing is known to stop remit up to `lastDay`. */
  readonly stop: ForeseenStop | undefined
  /** How many calls of remit were tried, from the next one on. */
  readonly calls: number
  /**
   * Up to this day all that remit does was tried at a node, so a token that refuses a transfer would have shown. Charges of later days
   * may be known by the rules alone. `undefined` where not even the first day was tried.
   */
  readonly through: number | undefined
}

/** A forecast as callers get it. */
export interface ChainForecast extends Foreseen {
  /** The block that it was made at. */
  readonly madeAt: BlockRef
}

/** Which forecast is to be made. */
export interface ForecastQuestion {
  readonly chainId: number
  readonly block: BlockRef
  /** The chain's clock, unix seconds. */
  readonly now: number
  /** The last day to forecast: a day after today. */
  readonly lastDay: number
}

/** Makes forecasts. It takes seconds of a processor, so it does that away from the event loop that answers callers. */
export interface Forecaster {
  make(question: ForecastQuestion): Promise<Foreseen>
}

/** An operation of one chain, to be answered at one block. */
export interface ThreadQuestion {
  readonly chainId: number
  readonly block: BlockRef
  /** The chain's clock, unix seconds. */
  readonly now: number
  /** The declared name, such as `prepare_remit`. */
  readonly operation: string
  /** The input as JSON, not decoded. */
  readonly input: unknown
  readonly requestId: string
}

/** Answers operations away from the event loop that answers callers: those that take seconds of a processor. */
export interface ThreadAnswers {
  /**
   * The operation's result before it is encoded. Throws what the operation throws, as a RelayedError, and BlockGoneError
   * where no node has the block's state.
   */
  answer(question: ThreadQuestion): Promise<object>
}
