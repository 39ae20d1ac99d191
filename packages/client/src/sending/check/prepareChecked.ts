import { dayNumberAt, SECONDS_PER_DAY } from '@remit/protocol/calendar'
import type { Account, Address } from 'viem'
import type { CallOptions } from '../../call/CallOptions.ts'
import type { Api } from '../../generated/api.ts'
import type { OwnWrites } from '../../request/OwnWrites.ts'
import type { Budget } from '../budget/Budget.ts'
import type { ApprovalRule } from '../chain/ApprovalRule.ts'
import { ChainReads } from '../chain/ChainReads.ts'
import type { ExpectedCall } from '../chain/ExpectedCall.ts'
import { PreparedExpiredError, UnsafeTransactionError } from '../errors.ts'
import { bringToChain } from '../wallet/account.ts'
import { stepOptions } from '../wallet/stepOptions.ts'
import type { SendOptions, Wallet } from '../wallet/Wallet.ts'
import { assertAnswersFor } from './assertAnswersFor.ts'
import { type CheckedCall, checkPrepared, type PreparedBatch } from './checkPrepared.ts'

/** What all flows of one client share. */
export interface Sender {
  readonly api: Api
  readonly contracts?: Readonly<Record<number, Address>> | undefined
  readonly trustServiceForContracts?: boolean | undefined
  readonly ownWrites: OwnWrites
  /** What its wallets may be committed to; `undefined` for no limit. */
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

/** Who is about to sign, and where. */
interface SigningContext {
  readonly account: Address
  readonly contract: Address
  readonly reads: ChainReads
  /** Unix time; its UTC day decides the first charge. */
  readonly timestamp: number
  readonly maxApproval: bigint | undefined
}

/** The calls as the client makes them by itself. */
export interface ExpectedCalls {
  /** The last transaction: the one that does what was asked for. */
  readonly call: ExpectedCall
  /** The approvals that must come before it. */
  readonly approval?: ApprovalRule
}

/** What can be prepared, and what the answer has to be. */
export interface Preparable<Prepared extends PreparedBatch, Expected extends ExpectedCalls> {
  prepare(from: Address, options: CallOptions): Promise<Prepared>
  /**
   * Works out from the request and the chain what the transactions have to be.
   * @param prepared only for results and messages: it must never get into a transaction
   */
  expect(context: SigningContext, prepared: Prepared): Promise<Expected>
}

/** What may be signed. */
export interface Checked<Prepared, Expected extends ExpectedCalls> {
  /** The answer that was checked. */
  readonly prepared: Prepared
  readonly reads: ChainReads
  readonly calls: readonly CheckedCall[]
  readonly expected: Expected
  /** Unix time, by the chain's clock, of the end of the day that the charge is for. */
  readonly validUntil: number
}

const ATTEMPTS = 2

/**
 * Prepares a flow and checks everything that was prepared. Tries a second time where the service was late: where the
 * day ended in between, or where the answer differs and is for an older block than the wallet's node has. Throws
 * UnsafeTransactionError.
 */
export async function prepareChecked<Prepared extends PreparedBatch, Expected extends ExpectedCalls>(
  sender: Pick<Sender, 'now' | 'ownWrites'>,
  definition: Preparable<Prepared, Expected>,
  signing: Signing,
): Promise<Checked<Prepared, Expected>> {
  const { wallet, account, chainId, options } = signing
  const reads = await readsOf(signing)
  for (let attempt = 1; ; attempt += 1) {
    const prepared = await definition.prepare(account.address, stepOptions(options))
    assertAnswersFor(prepared, chainId)
    const of = prepared.unsignedTransactions?.length ?? 0
    options.onProgress?.({ kind: 'prepared', step: 0, of, warnings: prepared.warnings })
    await bringToChain(wallet, chainId, false)

    const head = await reads.head()
    try {
      return await checkAnswer(sender, definition, signing, { prepared, reads, head })
    } catch (error) {
      const isLate = error instanceof PreparedExpiredError || prepared.asOf.blockNumber < head.blockNumber
      const mayBeRight = error instanceof PreparedExpiredError || error instanceof UnsafeTransactionError
      if (attempt < ATTEMPTS && isLate && mayBeRight) {
        sender.ownWrites.note(chainId, head.blockNumber)
        continue
      }
      if (!(error instanceof PreparedExpiredError)) throw error
      throw new UnsafeTransactionError(
        'by the clock of the chain it holds no longer, also after a second try',
        null,
        { cause: error },
      )
    }
  }
}

/**
 * Checks an answer that the caller has had prepared before, as `prepareChecked` checks its own. It is never replaced:
 * the caller has looked at this answer. Throws UnsafeTransactionError, PreparedExpiredError.
 */
export async function checkGiven<Prepared extends PreparedBatch, Expected extends ExpectedCalls>(
  sender: Pick<Sender, 'now'>,
  definition: Preparable<Prepared, Expected>,
  signing: Signing,
  prepared: Prepared,
): Promise<Checked<Prepared, Expected>> {
  const reads = await readsOf(signing)
  assertAnswersFor(prepared, signing.chainId)
  return checkAnswer(sender, definition, signing, { prepared, reads, head: await reads.head() })
}

async function readsOf({ wallet, chainId, contract, options }: Signing): Promise<ChainReads> {
  const { publicClient } = options
  const reads = new ChainReads(publicClient ?? wallet, contract)
  if (publicClient !== undefined) await reads.assertChain(chainId)
  return reads
}

async function checkAnswer<Prepared extends PreparedBatch, Expected extends ExpectedCalls>(
  { now }: Pick<Sender, 'now'>,
  definition: Preparable<Prepared, Expected>,
  { account, chainId, contract, options }: Signing,
  {
    prepared,
    reads,
    head,
  }: {
    readonly prepared: Prepared
    readonly reads: ChainReads
    readonly head: { readonly timestamp: number }
  },
): Promise<Checked<Prepared, Expected>> {
  const { onProgress, maxApproval } = options
  const { validUntil } = prepared
  if (typeof validUntil !== 'number') {
    throw new UnsafeTransactionError('it does not say until when it holds')
  }
  if (head.timestamp >= validUntil) throw new PreparedExpiredError(validUntil)
  const timestamp = timeOf(head.timestamp, validUntil, now())
  const context = { account: account.address, contract, reads, timestamp, maxApproval }
  const expected = await definition.expect(context, prepared)
  const { call, approval } = expected
  const all = [...(approval?.calls ?? []), call]
  const calls = checkPrepared(prepared, { chainId, account: account.address, calls: all })
  const functions = calls.map(({ functionName }) => functionName)
  onProgress?.({ kind: 'checked', step: 0, of: calls.length, functions })
  return { prepared, reads, calls, expected, validUntil: endOfDay(timestamp) }
}

/**
 * The time that decides the day's charge: that of the latest block. Just after midnight the latest block can still be
 * of the day before. Then the caller's clock counts, if it is on the day that the answer is for: so will the next
 * block be.
 */
function timeOf(headTimestamp: number, validUntil: number, nowMs: number): number {
  const now = Math.floor(nowMs / 1000)
  const isToday = dayNumberAt(validUntil - 1) === dayNumberAt(now)
  return isToday && now > headTimestamp ? now : headTimestamp
}

function endOfDay(timestamp: number): number {
  return (dayNumberAt(timestamp) + 1) * SECONDS_PER_DAY
}
