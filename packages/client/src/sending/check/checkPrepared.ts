import { type Address, type Hex, isHex } from 'viem'
import type { AsOf, Eip5792, UnsignedTransaction, Warning } from '../../generated/api.ts'
import { isSameHex } from '../../request/isSameHex.ts'
import { type ExpectedCall, encodeCall, explainDifference } from '../chain/ExpectedCall.ts'
import { UnsafeTransactionError } from '../errors.ts'
import { SendingError } from '../SendingError.ts'

/** The fields of a prepare's answer that the check needs. */
export interface PreparedBatch {
  readonly chainId: number
  readonly asOf: AsOf
  readonly warnings: readonly Warning[]
  readonly unsignedTransactions?: readonly UnsignedTransaction[]
  readonly signingMode?: string
  readonly eip5792?: Eip5792
  readonly validUntil?: number
}

/** What the answer is compared with. */
interface Expectation {
  readonly chainId: number
  readonly account: Address
  /** Every transaction, in order. */
  readonly calls: readonly ExpectedCall[]
}

/** A transaction that was checked. Its calldata is encoded here and not taken from the answer. */
export interface CheckedCall {
  readonly functionName: string
  readonly to: Address
  readonly data: Hex
}

/**
 * The transactions of an answer, each of which is exactly what it has to be, or UnsafeTransactionError.
 *
 * The answer may come from an attacker, so its types prove nothing and every field is compared.
 */
export function checkPrepared(prepared: PreparedBatch, expected: Expectation): CheckedCall[] {
  try {
    return checkCalls(prepared, expected)
  } catch (error) {
    if (error instanceof SendingError) throw error
    throw new UnsafeTransactionError('it has not the form that an answer has')
  }
}

function checkCalls(prepared: PreparedBatch, expected: Expectation): CheckedCall[] {
  const transactions = checkEnvelope(prepared, expected)
  const { calls } = expected
  if (transactions.length !== calls.length) {
    const names = calls.map(({ functionName }) => functionName).join(' and ')
    throw new UnsafeTransactionError(
      `it has ${transactions.length} transactions, and ${names} ${calls.length === 1 ? 'is' : 'are'} to be done`,
    )
  }
  return calls.map((call, index) => checkCall(transactions[index], index, call))
}

function checkCall(
  given: UnsignedTransaction | undefined,
  index: number,
  expected: ExpectedCall,
): CheckedCall {
  const data = encodeCall(expected)
  if (!isSameHex(given?.to, expected.to)) {
    throw new UnsafeTransactionError(`it goes to ${given?.to} and not to ${expected.to}`, index)
  }
  if (!isSameHex(given?.data, data)) {
    throw new UnsafeTransactionError(explainDifference(expected, String(given?.data)), index)
  }
  return { functionName: expected.functionName, to: expected.to, data }
}

/** Checks what must be true of every transaction, whatever it calls. */
function checkEnvelope(prepared: PreparedBatch, { chainId, account }: Expectation): UnsignedTransaction[] {
  const { unsignedTransactions } = prepared
  if (!Array.isArray(unsignedTransactions)) throw new UnsafeTransactionError('it has no transactions')
  for (const [index, transaction] of unsignedTransactions.entries()) {
    const refuse = (problem: string) => new UnsafeTransactionError(problem, index)
    if (!isHex(transaction.to) || !isHex(transaction.data)) throw refuse('it has no address or no calldata')
    if (transaction.chainId !== chainId) throw refuse(`it says nothing of chain ${chainId}`)
    if (!isSameHex(transaction.from, account)) {
      throw refuse(`it is from ${transaction.from} and not from ${account}`)
    }
    if (transaction.value !== 0n)
      throw refuse(`it sends ${transaction.value} wei, and nothing here costs any`)
  }
  checkTogether(prepared, unsignedTransactions, { chainId, account })
  return unsignedTransactions
}

/** The form for `wallet_sendCalls` repeats the transactions. It must not differ from them. */
function checkTogether(
  { signingMode, eip5792 }: PreparedBatch,
  transactions: readonly UnsignedTransaction[],
  { chainId, account }: Pick<Expectation, 'chainId' | 'account'>,
): void {
  const refuse = (problem: string) => new UnsafeTransactionError(problem)
  const several = transactions.length > 1
  if (signingMode !== (several ? 'eip5792' : 'raw')) {
    throw refuse(`its signingMode is ${signingMode} with ${transactions.length} transactions`)
  }
  if (!several) {
    if (eip5792 !== undefined) throw refuse('it has calls to send together beside a single transaction')
    return
  }
  if (eip5792 === undefined) throw refuse('it lacks the calls to send together')
  const { version, from, atomicRequired, calls } = eip5792
  const sameCalls =
    calls.length === transactions.length &&
    transactions.every(({ to, data, value }, index) => {
      const call = calls[index]
      return (
        call !== undefined && isSameHex(call.to, to) && isSameHex(call.data, data) && call.value === value
      )
    })
  if (!sameCalls) throw refuse('its calls to send together are not its transactions')
  if (version !== '2.0.0' || atomicRequired !== false)
    throw refuse('its calls to send together are of another kind')
  if (!isSameHex(from, account) || eip5792.chainId !== BigInt(chainId)) {
    throw refuse('its calls to send together are for another account or chain')
  }
}
