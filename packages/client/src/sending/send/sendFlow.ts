import type { Room } from '../check/Budget.ts'
import { type OwnCall, prepareHere, type Ready, type Sender, type Signing } from '../check/prepareHere.ts'
import { signingFor } from '../check/signingFor.ts'
import {
  CallsFailedError,
  PreparedExpiredError,
  SendingInterruptedError,
  WalletFailedError,
} from '../errors.ts'
import { SendingError } from '../SendingError.ts'
import { type MinedCalls, minedCalls } from '../wait/decodeEvents.ts'
import { assertOnChain, type SendPreparedOptions, stepTimeoutMs, type Wallet } from '../wallet/Wallet.ts'
import { assertSuccess, concludeFlow, type Outcome, roomFor } from './concludeFlow.ts'
import type { PreparedBatch, RequestedFlow } from './FlowDefinition.ts'
import { remainingAllowance } from './remainingAllowance.ts'
import { type Sending, SentSoFar } from './Sending.ts'
import { sendOne } from './sendOne.ts'
import { sendTogether } from './sendTogether.ts'

/**
 * `send` of a flow: prepares it for the wallet's account at the wallet's own node, has it signed, sends it, waits, and reads the
 * result. Throws SendingError; before anything was sent also what preparing throws.
 */
export async function sendFlow<Prepared extends PreparedBatch, Result, Told>(
  sender: Sender,
  requested: RequestedFlow<Prepared, Result, Told>,
  wallet: Wallet,
  options: SendPreparedOptions<Prepared> = {},
): Promise<Outcome & Result> {
  const { prepared } = options
  const signing = await signingFor(sender, requested.chainId, wallet, options)
  const { account } = signing
  const sentSoFar = new SentSoFar()
  let ready: Ready<Result> | undefined
  // What this flow takes of the client's budget; without a budget, nothing.
  let room: Room | undefined
  let isMined = false
  try {
    ready = await prepareHere(sender, requested, signing, prepared)
    const { reads } = ready
    room = roomFor(sender, { ...signing, from: account.address, reads }, ready.conclusion)
    const sent = await sendAllCalls(sender, requested, ready, signing, {
      sentSoFar,
      room,
      isShown: prepared !== undefined,
    })
    ready = sent.ready
    room?.mined(Math.max(...sent.mined.map(({ blockNumber }) => blockNumber)))
    isMined = true
    return await concludeFlow(ready.conclusion, { ...signing, reads }, sent.mined, sentSoFar)
  } catch (error) {
    // A mined transaction releases its room at its block, even if a later step fails.
    if (ready !== undefined && !isMined && isOver(error, ready, sentSoFar)) room?.release()
    if (sentSoFar.isEmpty || ready === undefined) throw error
    const failure = error instanceof SendingError ? error : new SendingInterruptedError(error)
    const remains = await remainingAllowance(
      ready.calls,
      { account: account.address, reads: ready.reads },
      sentSoFar,
    )
    throw failure.after(sentSoFar.happened(remains))
  }
}

/**
 * Whether the call that was asked for can never be mined. While it can be mined, it takes room in the budget; an
 * approval before it takes none.
 */
function isOver(error: unknown, { calls }: Pick<Ready<unknown>, 'calls'>, sentSoFar: SentSoFar): boolean {
  const functionName = calls.at(-1)?.functionName ?? ''
  // The wallet failed while it was asked for this very call: it may have sent it all the same.
  if (error instanceof WalletFailedError && sentSoFar.asked.includes(functionName)) return false
  // The wallet told that its calls failed; or this one was never sent, or its end is known.
  return error instanceof CallsFailedError || !sentSoFar.isOpen(functionName)
}

/** Sends all calls: together where the wallet can, else one after the other. @returns `ready`: as it was prepared last */
async function sendAllCalls<Prepared extends PreparedBatch, Result, Told>(
  sender: Sender,
  requested: RequestedFlow<Prepared, Result, Told>,
  ready: Ready<Result>,
  signing: Signing,
  {
    sentSoFar,
    room,
    isShown,
  }: {
    readonly sentSoFar: SentSoFar
    readonly room: Room | undefined
    /** Whether somebody has looked at these transactions and agreed to them. */
    readonly isShown: boolean
  },
): Promise<{ mined: MinedCalls[]; ready: Ready<Result> }> {
  const { wallet, account, chainId, contract, options } = signing
  const { calls, capabilities } = ready
  const { publicClient, signal, onProgress } = options
  const pollingIntervalMs = options.pollingIntervalMs ?? wallet.pollingInterval
  const sending: Sending = {
    wallet,
    account,
    chainId,
    reader: publicClient ?? wallet,
    limits: { timeoutMs: stepTimeoutMs(options), pollingIntervalMs, signal },
    sentSoFar,
    report(progress) {
      if (progress.kind === 'signing') sentSoFar.asked = progress.functions
      onProgress?.(progress)
    },
    async assertMaySign(onWait) {
      await assertOnChain(wallet, chainId)
      await room?.take(onWait)
    },
  }
  const isBatch = calls.length > 1 || capabilities !== undefined
  if (isBatch && options.together !== false) {
    const mined = await sendTogether(sending, { calls, capabilities }, { contract, reads: ready.reads })
    if (mined !== undefined) {
      await assertSuccess(sender, signing, mined)
      return { mined, ready }
    }
  }

  const mined: MinedCalls[] = []
  let current = ready
  let remaining: readonly OwnCall[] = calls
  for (let step = 1; ; step += 1) {
    const [call, ...rest] = remaining
    if (call === undefined) return { mined, ready: current }
    const { receipt } = await sendOne(sending, call, { step, of: step + rest.length })
    const one = minedCalls(receipt, [call.functionName])
    await assertSuccess(sender, signing, [one])
    mined.push(one)
    remaining = rest
    // The next transaction is not prepared again: the terms cannot change on chain, and it is run on the node before it
    // is signed. Only after midnight the first charge is another one.
    if (rest.length > 0 && (await current.reads.head()).timestamp >= current.validUntil) {
      if (isShown) throw new PreparedExpiredError(current.validUntil)
      current = await prepareHere(sender, requested, signing)
      // After the last approval only the call that was asked for is left. After a reset to 0 the approval is still to come.
      remaining =
        call.functionName === 'approve' && rest.length === 1 ? current.calls.slice(-1) : current.calls
    }
  }
}
