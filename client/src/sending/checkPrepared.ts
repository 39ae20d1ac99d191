import { type Address, type Hex, isHex } from 'viem'
import type { Eip5792, GasEstimate, UnsignedTransaction, Warning } from '../generated/api.ts'
import { type ApprovalRule, approveCall, checkApproval } from './ApprovalRule.ts'
import { type ExpectedCall, encodeCall, explainDifference } from './ExpectedCall.ts'
import { UnsafeTransactionError } from './errors.ts'
import { SendingError } from './SendingError.ts'

/** The part of every prepare's answer that is signed, or decides about it. */
export interface PreparedBatch {
  readonly chainId: number
  readonly warnings: readonly Warning[]
  readonly unsignedTransactions?: readonly UnsignedTransaction[]
  readonly signingMode?: string
  readonly eip5792?: Eip5792
  readonly validUntil?: number
  readonly gasEstimates?: readonly GasEstimate[]
}

/** What the answer has to be. */
export interface Expectation {
  readonly chainId: number
  readonly account: Address
  /** The last transaction, which what was asked for is about. */
  readonly call: ExpectedCall
  /** What may stand before it; `null` where nothing may. */
  readonly approval: { readonly rule: ApprovalRule; readonly proposed: bigint } | null
}

/** A transaction that was found to be what was asked for. Its bytes are made here, not taken from the answer. */
export interface CheckedCall {
  readonly functionName: string
  readonly to: Address
  readonly data: Hex
  /** What the service's proof says that it takes; `null` where it does not say. */
  readonly provenGas: bigint | null
}

/**
 * The transactions of an answer, each of which is exactly what it has to be, or UnsafeTransactionError.
 *
 * The answer is taken for the word of a stranger: types promise nothing here.
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
  const last = transactions.length - 1
  const [approvals, call] = [transactions.slice(0, last), transactions[last]]
  if (call === undefined) throw new UnsafeTransactionError('it has no transactions')
  const calls = [...checkApprovals(approvals, expected), checkCall(call, last, expected.call)]
  return calls.map((checked, index) => {
    const gas: unknown = prepared.gasEstimates?.[index]?.gasLimit
    return {
      functionName: checked.functionName,
      to: checked.to,
      data: encodeCall(checked),
      provenGas: typeof gas === 'bigint' ? gas : null,
    }
  })
}

function checkCall({ to, data }: UnsignedTransaction, index: number, expected: ExpectedCall): ExpectedCall {
  if (!isSame(to, expected.to)) {
    throw new UnsafeTransactionError(`it goes to ${to} and not to ${expected.to}`, index)
  }
  if (!isSame(data, encodeCall(expected))) {
    throw new UnsafeTransactionError(explainDifference(expected, data), index)
  }
  return expected
}

/** Nothing, one approval, or a reset to 0 directly before it: some tokens refuse to change what is not 0. */
function checkApprovals(
  transactions: readonly UnsignedTransaction[],
  { approval }: Expectation,
): ExpectedCall[] {
  const most = approval === null ? 0 : 2
  if (transactions.length > most) {
    throw new UnsafeTransactionError(
      `it has ${transactions.length + 1} transactions, and ${most + 1} are enough`,
    )
  }
  if (approval === null) return []
  const { rule, proposed } = approval
  const { token, spender, current, least } = rule
  const raise = transactions.at(-1)
  if (raise === undefined) {
    if (current >= least) return []
    throw new UnsafeTransactionError(
      `it approves nothing, and the allowance of ${current} is below the ${least} that the periods asked for take`,
    )
  }
  const index = transactions.length - 1
  const amount = checkApproval(rule, raise, { index, proposed })
  const reset = transactions.length === 2 ? transactions[0] : undefined
  return [
    ...(reset === undefined ? [] : [checkCall(reset, 0, approveCall(token, spender, 0n))]),
    approveCall(token, spender, amount),
  ]
}

/** What holds for every transaction, whatever it does. */
function checkEnvelope(prepared: PreparedBatch, { chainId, account }: Expectation): UnsignedTransaction[] {
  const { unsignedTransactions } = prepared
  if (prepared.chainId !== chainId) {
    throw new UnsafeTransactionError(`it is for chain ${prepared.chainId} and not for ${chainId}`)
  }
  if (!Array.isArray(unsignedTransactions)) throw new UnsafeTransactionError('it has no transactions')
  for (const [index, transaction] of unsignedTransactions.entries()) {
    const refuse = (problem: string) => new UnsafeTransactionError(problem, index)
    if (!isHex(transaction.to) || !isHex(transaction.data)) throw refuse('it has no address or no calldata')
    if (transaction.chainId !== chainId) {
      throw refuse(`it is for chain ${transaction.chainId} and not for ${chainId}`)
    }
    if (!isSame(transaction.from, account)) {
      throw refuse(`it is from ${transaction.from} and not from ${account}`)
    }
    if (transaction.value !== 0n)
      throw refuse(`it sends ${transaction.value} wei, and nothing here costs any`)
  }
  checkTogether(prepared, unsignedTransactions, { chainId, account })
  return unsignedTransactions
}

/** The form for `wallet_sendCalls` says the same once more, and must not say anything else. */
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
      return call !== undefined && isSame(call.to, to) && isSame(call.data, data) && call.value === value
    })
  if (!sameCalls) throw refuse('its calls to send together are not its transactions')
  if (version !== '2.0.0' || atomicRequired !== false)
    throw refuse('its calls to send together are of another kind')
  if (!isSame(from, account) || eip5792.chainId !== BigInt(chainId)) {
    throw refuse('its calls to send together are for another account or chain')
  }
}

function isSame(given: unknown, expected: string): boolean {
  return typeof given === 'string' && given.toLowerCase() === expected.toLowerCase()
}
