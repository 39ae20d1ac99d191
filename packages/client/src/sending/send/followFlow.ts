import type { Address } from 'viem'
import { parseAccount } from 'viem/accounts'
import { ChainReads } from '../ChainReads.ts'
import type { Room } from '../check/Budget.ts'
import { contractFor } from '../check/findContract.ts'
import type { Sender } from '../check/prepareHere.ts'
import { nodeApi } from '../check/signingFor.ts'
import { CallsFailedError, SendingInterruptedError } from '../errors.ts'
import { SendingError } from '../SendingError.ts'
import { type MinedCalls, minedCalls } from '../wait/decodeEvents.ts'
import {
  assertOnChain,
  bringToChain,
  currentChain,
  type SendOptions,
  type Sent,
  stepTimeoutMs,
  type Wallet,
} from '../wallet/Wallet.ts'
import { assertSuccess, concludeFlow, type Outcome, roomFor } from './concludeFlow.ts'
import type { PreparedBatch, RequestedFlow } from './FlowDefinition.ts'
import { remainingAllowance } from './remainingAllowance.ts'
import { type Sending, SentSoFar } from './Sending.ts'
import { awaitOne } from './sendOne.ts'
import { awaitCalls } from './sendTogether.ts'

/**
 * `follow` of a flow: waits for what was sent of it before, maybe by another run of the program, and reads what came of it. `undefined` if
 * only a part was sent. Throws SendingError.
 */
export async function followFlow<Prepared extends PreparedBatch, Result, Told>(
  sender: Sender,
  requested: RequestedFlow<Prepared, Result, Told>,
  wallet: Wallet,
  sent: Sent,
  options: SendOptions = {},
): Promise<(Outcome & Result) | undefined> {
  const { publicClient, signal, onProgress } = options
  const sentSoFar = new SentSoFar()
  const { callsId, hash, from, functions, step, of } = sent
  // Earlier steps are approvals, which have no result.
  const isLast = step === of
  sentSoFar.callsId = callsId
  if (hash !== null) sentSoFar.note({ hash, functions, status: 'pending' })
  let room: Room | undefined
  let ground: { readonly contract: Address; readonly reads: ChainReads } | undefined
  let isMined = false
  try {
    signal?.throwIfAborted()
    const chainId = requested.chainId ?? (await currentChain(wallet))
    const contract = await contractFor(sender, chainId)
    if (options.switchChain === true) await bringToChain(wallet, chainId)
    else await assertOnChain(wallet, chainId)
    const reader = publicClient ?? wallet
    const reads = new ChainReads(reader, contract)
    if (publicClient !== undefined) await reads.assertChain(chainId)
    ground = { contract, reads }
    const pollingIntervalMs = options.pollingIntervalMs ?? wallet.pollingInterval
    const sending: Sending = {
      wallet,
      account: parseAccount(from),
      chainId,
      reader,
      limits: { timeoutMs: stepTimeoutMs(options), pollingIntervalMs, signal },
      sentSoFar,
      report: (progress) => onProgress?.(progress),
      assertMaySign: () => Promise.reject(new TypeError('Nothing is signed while something is followed')),
    }
    const here = nodeApi(reader, { ...sender, chainId, contract })
    const conclusion = await requested.on(here, chainId).conclusion({ account: from, contract, reads })
    if (isLast) room = roomFor(sender, { wallet, chainId, options, from, reads }, conclusion)
    room?.hold()
    const mined = hash === null ? await awaitCalls(sending, sent, ground) : [await awaitHash(sending, sent)]
    await assertSuccess(sender, { here, chainId }, mined)
    if (!isLast) return undefined
    room?.mined(Math.max(...mined.map(({ blockNumber }) => blockNumber)))
    isMined = true
    return await concludeFlow(conclusion, { chainId, contract, reads }, mined, sentSoFar)
  } catch (error) {
    const isOver = error instanceof CallsFailedError || !sentSoFar.isOpen(functions.at(-1) ?? '')
    if (isOver && !isMined) room?.release()
    const failure = error instanceof SendingError ? error : new SendingInterruptedError(error)
    const remains =
      ground === undefined
        ? null
        : await remainingAllowance(sent.calls, { account: from, reads: ground.reads }, sentSoFar)
    throw failure.after(sentSoFar.happened(remains))
  }
}

async function awaitHash(sending: Sending, sent: Sent): Promise<MinedCalls> {
  const { hash, from, nonce, functions, sentAfter, step, of } = sent
  const call = sent.calls.at(-1)
  if (hash === null || call === undefined)
    throw new TypeError('What is followed has neither a hash nor calls')
  const { receipt } = await awaitOne(
    sending,
    functions,
    { step, of },
    {
      hashes: [hash],
      slot: nonce === undefined ? undefined : { from, nonce },
      to: call.to,
      data: call.data,
      sentAfter: BigInt(sentAfter),
    },
  )
  return minedCalls(receipt, functions)
}
