import { isHash, isHex } from 'viem'
import { getCallsStatus, sendCalls } from 'viem/actions'
import type { CheckedCall } from '../check/checkPrepared.ts'
import { CallsFailedError } from '../errors.ts'
import type { MinedCalls, WalletLog } from '../wait/MinedCalls.ts'
import { pollUntil, type WaitWatch } from '../wait/waiting.ts'
import { cannotSendCalls, walletError } from '../wallet/walletErrors.ts'
import { chainOf, type Sending } from './Sending.ts'

/**
 * Gives all calls to a wallet that has `wallet_sendCalls`, and waits for them. `undefined` where the wallet says
 * that it has not: nothing was sent then. A user's refusal is an error, never that.
 *
 * The wallet is not asked for its capabilities first: a wallet with the method takes calls that need not be atomic, and
 * a wallet without it says so when it is called.
 */
export async function sendTogether(
  sending: Sending,
  calls: readonly CheckedCall[],
): Promise<MinedCalls[] | undefined> {
  const { account, sentSoFar, report } = sending
  const functions = calls.map((call) => call.functionName)
  const position = { step: 1, of: 1, functions }
  // A key in this program has no wallet that could bundle calls.
  if (account.type === 'local') return undefined
  await sending.assertMaySign((forMs) => report({ kind: 'waiting', for: 'node', ...position, forMs }))
  sending.limits.signal?.throwIfAborted()
  report({ kind: 'signing', ...position })
  const callsId = await giveCalls(sending, calls)
  if (callsId === undefined) return undefined
  sentSoFar.callsId = callsId
  report({ kind: 'sent', ...position, hash: null, callsId })

  const mined = await awaitCalls(sending, callsId, functions, {
    remind: (waited) =>
      report({ kind: 'waiting', for: 'receipt', ...position, hash: null, callsId, ...waited }),
  })
  for (const { hash, functions, status, blockNumber } of mined) {
    if (status === 'success') report({ kind: 'mined', ...position, functions, hash, blockNumber })
  }
  return mined
}

async function giveCalls(
  { wallet, account, chainId }: Sending,
  calls: readonly CheckedCall[],
): Promise<string | undefined> {
  try {
    const { id } = await sendCalls(wallet, {
      account,
      chain: chainOf(wallet, chainId),
      calls: calls.map(({ to, data }) => ({ to, data, value: 0n })),
      version: '2.0.0',
      forceAtomic: false,
    })
    if (typeof id !== 'string') throw new TypeError('The wallet answered no id for the calls')
    return id
  } catch (error) {
    if (cannotSendCalls(error)) return undefined
    throw walletError('wallet_sendCalls', error)
  }
}

/** What became of the calls. Throws CallsFailedError where nothing of them came onto the chain. */
async function awaitCalls(
  { wallet, limits, sentSoFar }: Sending,
  callsId: string,
  functions: readonly string[],
  watch: WaitWatch,
): Promise<MinedCalls[]> {
  const ask = async () => {
    const { statusCode, atomic, receipts = [] } = await getCallsStatus(wallet, { id: callsId })
    const isDone = statusCode >= 200
    // One receipt for several calls that all succeeded: they went in one transaction, whatever `atomic` says.
    const asOne = atomic || (isDone && statusCode < 300 && receipts.length === 1)
    const mined = receipts.map((receipt, index) =>
      readReceipt(receipt, asOne ? functions : functionAt(functions, index)),
    )
    for (const { hash, functions, status } of mined) sentSoFar.note({ hash, functions, status })
    if (!isDone) return undefined
    sentSoFar.areCallsOver = true
    return { statusCode, mined }
  }
  const { statusCode, mined } = await pollUntil(`The bundle of calls ${callsId}`, limits, ask, watch)
  const succeeded = statusCode < 300 && mined.length > 0
  if (succeeded || mined.some(({ status }) => status === 'reverted')) return mined
  throw new CallsFailedError(statusCode)
}

/** A wallet that does not bundle gives one receipt for each call, in order, up to the first that reverted. */
function functionAt(functions: readonly string[], index: number): readonly string[] {
  const own = functions[index]
  return own === undefined ? functions : [own]
}

/** Reads a receipt of a wallet, whose types prove nothing. */
function readReceipt(receipt: WalletReceipt, functions: readonly string[]): MinedCalls {
  const { transactionHash: hash, blockNumber, gasUsed, status, logs } = receipt
  if (typeof hash !== 'string' || !isHash(hash) || (status !== 'success' && status !== 'reverted')) {
    throw new TypeError('The wallet answered a receipt without a hash or a status')
  }
  return {
    hash,
    functions,
    status,
    blockNumber: Number(blockNumber),
    gasUsed,
    logs: (logs ?? []).filter(isLog),
  }
}

interface WalletReceipt {
  readonly transactionHash: unknown
  readonly blockNumber: bigint
  readonly gasUsed: bigint
  readonly status: unknown
  readonly logs?: readonly Unread<WalletLog>[]
}

type Unread<Known> = { readonly [Key in keyof Known]: unknown }

function isLog(log: Unread<WalletLog>): log is WalletLog {
  const { address, data, topics } = log
  return isHex(address) && isHex(data) && Array.isArray(topics) && topics.every((topic) => isHex(topic))
}
