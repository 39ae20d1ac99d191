import { sendCalls } from 'viem/actions'
import type { Capabilities, OwnCall } from '../check/prepareHere.ts'
import { CallsFailedError } from '../errors.ts'
import { readCallsStatus } from '../wait/CallsStatus.ts'
import type { MinedCalls } from '../wait/decodeEvents.ts'
import { pollUntil } from '../wait/waiting.ts'
import type { Sent } from '../wallet/Wallet.ts'
import { cannotSendCalls, walletError } from '../wallet/walletErrors.ts'
import { type Bundle, Landing } from './Landing.ts'
import { chainOf, latestBlock, type Sending } from './Sending.ts'

/** Where calls are looked for that the wallet says are on the chain. */
type Ground = Pick<Bundle, 'contract' | 'reads'>

/** What a wallet is given by one `wallet_sendCalls`. */
interface Batch {
  readonly calls: readonly OwnCall[]
  readonly capabilities: Capabilities
}

/**
 * Gives all calls to a wallet that has `wallet_sendCalls`, and waits for them. `undefined` where the wallet says that
 * it has not: nothing was sent then. A user's refusal throws.
 *
 * The wallet is not asked for its capabilities first: a wallet with the method takes calls that need not be atomic, and
 * a wallet without it says so when it is called.
 */
export async function sendTogether(
  sending: Sending,
  batch: Batch,
  ground: Ground,
): Promise<MinedCalls[] | undefined> {
  const { account, reader, report } = sending
  const { calls } = batch
  const functions = calls.map((call) => call.functionName)
  const position = { step: 1, of: 1, functions }
  // A key in this program has no wallet that could bundle calls.
  if (account.type === 'local') return undefined
  await sending.assertMaySign((forMs) => report({ kind: 'waiting', for: 'node', ...position, forMs }))
  const sentAfter = await latestBlock(reader)
  sending.limits.signal?.throwIfAborted()
  report({ kind: 'signing', ...position })
  const callsId = await giveCalls(sending, batch)
  if (callsId === undefined) return undefined
  const sent: Sent = {
    kind: 'sent',
    ...position,
    hash: null,
    callsId,
    from: account.address,
    calls: calls.map(({ to, data }) => ({ to, data })),
    sentAfter: Number(sentAfter),
  }
  sending.sentSoFar.callsId = callsId
  report(sent)
  return awaitCalls(sending, sent, ground)
}

/** @returns the wallet's id for the calls; `undefined` where it has no `wallet_sendCalls` */
async function giveCalls(
  { wallet, account, chainId }: Sending,
  { calls, capabilities }: Batch,
): Promise<string | undefined> {
  try {
    const { id } = await sendCalls(wallet, {
      account,
      chain: chainOf(wallet, chainId),
      calls: calls.map(({ to, data }) => ({ to, data, value: 0n })),
      version: '2.0.0',
      forceAtomic: false,
      capabilities,
    })
    if (typeof id !== 'string') throw new TypeError('The wallet answered no id for the calls')
    return id
  } catch (error) {
    if (cannotSendCalls(error)) return undefined
    throw walletError('wallet_sendCalls', error)
  }
}

/**
 * Waits for what became of calls that the wallet has taken. Throws CallsFailedError where the wallet says that nothing of
 * them came onto the chain, StillPendingError where they are not seen there in time.
 */
export async function awaitCalls(
  { wallet, reader, limits, sentSoFar, report }: Sending,
  sent: Sent,
  ground: Ground,
): Promise<MinedCalls[]> {
  const { callsId, functions, step, of, from, calls, sentAfter } = sent
  const landing = new Landing({ ...ground, reader, functions, calls, account: from, sentAfter })
  const ask = async () => {
    let fault: unknown
    // Read here, not by viem, which fails at what some wallets leave out.
    const answer = await wallet
      .request({ method: 'wallet_getCallsStatus', params: [String(callsId)] })
      .catch((error: unknown) => {
        fault = error
      })
    const status = readCallsStatus(answer, functions)
    for (const one of status.mined) sentSoFar.note(one)
    if (status.standing === 'pending' && fault === undefined) return undefined
    // These receipts are all that there will be. Otherwise what landed is found by the wallet's own node, also where the wallet gave no
    // answer (`fault`): the calls may be on the chain all the same.
    const isTold = status.standing === 'failed' || (status.standing === 'partial' && status.isWhole)
    const mined = isTold ? status.mined : await landing.find(status)
    if (mined === undefined) {
      if (fault !== undefined) throw fault
      return undefined
    }
    for (const one of mined) sentSoFar.note(one)
    sentSoFar.areCallsOver = true
    return { status, mined }
  }
  const position = { step, of, functions }
  const { status, mined } = await pollUntil(`The bundle of calls ${callsId}`, limits, ask, {
    remind: (waited) =>
      report({ kind: 'waiting', for: 'receipt', ...position, hash: null, callsId, ...waited }),
  })
  if (status.standing === 'failed' && mined.length === 0) throw new CallsFailedError(status.statusCode)
  for (const { hash, functions, status, blockNumber } of mined) {
    if (status === 'success') report({ kind: 'mined', ...position, functions, hash, blockNumber })
  }
  return [...mined]
}
