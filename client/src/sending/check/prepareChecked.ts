import type { Account, Address } from 'viem'
import type { Api } from '../../generated/api.ts'
import { dayNumberAt, SECONDS_PER_DAY } from '../../generated/calendar.ts'
import type { OwnWrites } from '../../request/OwnWrites.ts'
import type { Budget } from '../budget/Budget.ts'
import { UnsafeTransactionError } from '../errors.ts'
import { bringToChain } from '../send/account.ts'
import { stepOptions } from '../send/stepOptions.ts'
import type { SendOptions, Wallet } from '../send/Wallet.ts'
import { assertAnswersFor } from './assertAnswersFor.ts'
import { ChainReads } from './ChainReads.ts'
import { type CheckedCall, checkPrepared, type PreparedBatch } from './checkPrepared.ts'
import type { Expected, Plan } from './Plan.ts'

/** What flows are sent with. */
export interface Sender {
  readonly api: Api
  readonly contracts?: Readonly<Record<number, Address>> | undefined
  readonly trustServiceForContracts?: boolean | undefined
  readonly ownWrites: OwnWrites
  /** What its wallets may be committed to; `undefined` for whatever they are asked to sign. */
  readonly budget: Budget | undefined
  /** The caller's clock, in milliseconds. */
  readonly now: () => number
}

/** Who signs, where, and how. */
export interface Signing {
  readonly wallet: Wallet
  readonly account: Account
  readonly chainId: number
  /** The protocol's, on this chain. */
  readonly contract: Address
  readonly options: SendOptions
}

/** What may be signed, and how it is to be read afterwards. */
export interface Ready<Result> {
  readonly reads: ChainReads
  readonly calls: readonly CheckedCall[]
  readonly expected: Expected<Result>
  /** Unix time by the chain's clock from which on another day's charge holds. */
  readonly validUntil: number
}

const ATTEMPTS = 2

/**
 * Prepares a flow and checks all that was prepared. Once more where the service was late: where the day has ended in
 * between, or where what differs was prepared for an older block than the wallet's node has. Throws
 * UnsafeTransactionError.
 */
export async function prepareChecked<Prepared extends PreparedBatch, Result, Told>(
  sender: Sender,
  plan: Plan<Prepared, Result, Told>,
  { wallet, account, chainId, contract, options }: Signing,
): Promise<Ready<Result>> {
  const { onProgress, publicClient, maxApproval } = options
  const reads = new ChainReads(publicClient ?? wallet, contract)
  if (publicClient !== undefined) await reads.assertChain(chainId)
  for (let attempt = 1; ; attempt += 1) {
    const prepared = await plan.prepare(account.address, stepOptions(options))
    assertAnswersFor(prepared, chainId)
    const of = prepared.unsignedTransactions?.length ?? 0
    onProgress?.({ kind: 'prepared', step: 0, of, warnings: prepared.warnings })
    await bringToChain(wallet, chainId, false)

    const { validUntil, asOf } = prepared
    if (typeof validUntil !== 'number')
      throw new UnsafeTransactionError('it does not say until when it holds')
    const head = await reads.head()
    if (head.timestamp >= validUntil) {
      if (attempt < ATTEMPTS) continue
      throw new UnsafeTransactionError(
        'by the clock of the chain it holds no longer, also after a second try',
      )
    }
    const timestamp = timeOf(head.timestamp, validUntil, sender.now())
    try {
      const standing = { account: account.address, contract, reads, timestamp, maxApproval }
      const expected = await plan.expect(standing, prepared)
      const { call, approval } = expected
      const all = [...(approval?.calls ?? []), call]
      const calls = checkPrepared(prepared, { chainId, account: account.address, calls: all })
      const functions = calls.map(({ functionName }) => functionName)
      onProgress?.({ kind: 'checked', step: 0, of, functions })
      return { reads, calls, expected, validUntil: endOfDay(timestamp) }
    } catch (error) {
      const isLate = asOf.blockNumber < head.blockNumber
      if (attempt === ATTEMPTS || !isLate || !(error instanceof UnsafeTransactionError)) throw error
      sender.ownWrites.note(chainId, head.blockNumber)
    }
  }
}

/**
 * The time by which a day's charge is worked out: the latest block's. Where that block is of an earlier day than the
 * answer, and the caller's own clock is on the answer's day, the next block is going to be of that day.
 */
function timeOf(headTimestamp: number, validUntil: number, nowMs: number): number {
  const now = Math.floor(nowMs / 1000)
  const isToday = dayNumberAt(validUntil - 1) === dayNumberAt(now)
  return isToday && now > headTimestamp ? now : headTimestamp
}

function endOfDay(timestamp: number): number {
  return (dayNumberAt(timestamp) + 1) * SECONDS_PER_DAY
}
