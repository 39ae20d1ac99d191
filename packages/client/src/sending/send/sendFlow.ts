import type { Address } from 'viem'
import type { Room } from '../budget/Budget.ts'
import type { PreparedBatch } from '../check/checkPrepared.ts'
import { contractFor } from '../check/findContract.ts'
import {
  type Checked,
  checkGiven,
  prepareChecked,
  type Sender,
  type Signing,
} from '../check/prepareChecked.ts'
import {
  CallsFailedError,
  PreparedExpiredError,
  SendingInterruptedError,
  WalletFailedError,
} from '../errors.ts'
import { type AllowanceRemains, SendingError } from '../SendingError.ts'
import type { MinedCalls } from '../wait/MinedCalls.ts'
import { bringToChain, connectedAccount, currentChain } from '../wallet/account.ts'
import { stepTimeoutMs } from '../wallet/stepOptions.ts'
import type { SendPreparedOptions, Wallet } from '../wallet/Wallet.ts'
import { assertSuccess, concludeFlow, type Outcome, roomFor } from './concludeFlow.ts'
import type { Expected, FlowDefinition, RequestedFlow } from './FlowDefinition.ts'
import type { Sending } from './Sending.ts'
import { SentSoFar } from './SentSoFar.ts'
import { sendOne } from './sendOne.ts'
import { sendTogether } from './sendTogether.ts'

/**
 * Prepares a flow for the wallet's account, or takes an earlier answer; checks it, has it signed, sends it, waits, and
 * reads the result. Throws SendingError; before anything was sent also what the service answered.
 */
export async function sendFlow<Prepared extends PreparedBatch, Result, Told>(
  sender: Sender,
  requested: RequestedFlow<Prepared, Result, Told>,
  wallet: Wallet,
  options: SendPreparedOptions<Prepared> = {},
): Promise<Outcome & Result> {
  options.signal?.throwIfAborted()
  const account = await connectedAccount(wallet)
  // The chain is decided before the service is asked for anything: the service must not choose it.
  const chainId = requested.chainId ?? (await currentChain(wallet))
  const definition = requested.on(chainId)
  const contract = await contractFor(sender, chainId)
  await bringToChain(wallet, chainId, options.switchChain === true)
  const signing = { wallet, account, chainId, contract, options }
  const { prepared } = options
  const sentSoFar = new SentSoFar()
  let checked: Checked<PreparedBatch, Expected<Result>> | undefined
  let room: Room | undefined
  let isMined = false
  try {
    checked =
      prepared === undefined
        ? await prepareChecked(sender, definition, signing)
        : await checkGiven(sender, definition, signing, prepared)
    const { reads } = checked
    room = roomFor(sender, { ...signing, from: account.address, reads }, checked.expected)
    const sent = await sendAllCalls(sender, definition, checked, signing, {
      sentSoFar,
      room,
      isGiven: prepared !== undefined,
    })
    checked = sent.checked
    room?.mined(Math.max(...sent.mined.map(({ blockNumber }) => blockNumber)))
    isMined = true
    return await concludeFlow(checked.expected, { ...signing, reads }, sent.mined, sentSoFar)
  } catch (error) {
    // A mined transaction releases its room at its block, even if a later step fails.
    if (checked !== undefined && !isMined && isOver(error, checked, sentSoFar)) room?.release()
    if (sentSoFar.isEmpty) throw error
    const failure = error instanceof SendingError ? error : new SendingInterruptedError(error)
    throw failure.after(sentSoFar.happened(await remainingAllowance(checked, account.address, sentSoFar)))
  }
}

/**
 * Whether the call that was asked for can never be mined. While it can be mined, it takes room in the budget; an
 * approval before it takes none.
 */
function isOver<Result>(
  error: unknown,
  { expected }: Checked<PreparedBatch, Expected<Result>>,
  sentSoFar: SentSoFar,
): boolean {
  const { functionName } = expected.call
  if (error instanceof WalletFailedError && sentSoFar.asked.includes(functionName)) return false
  return error instanceof CallsFailedError || !sentSoFar.isOpen(functionName)
}

async function sendAllCalls<Prepared extends PreparedBatch, Result, Told>(
  sender: Sender,
  definition: FlowDefinition<Prepared, Result, Told>,
  checked: Checked<PreparedBatch, Expected<Result>>,
  signing: Signing,
  {
    sentSoFar,
    room,
    isGiven,
  }: {
    readonly sentSoFar: SentSoFar
    readonly room: Room | undefined
    /** Whether the caller has had the answer prepared. */
    readonly isGiven: boolean
  },
): Promise<{ mined: MinedCalls[]; checked: Checked<PreparedBatch, Expected<Result>> }> {
  const { wallet, account, chainId, contract, options } = signing
  const { calls } = checked
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
      await bringToChain(wallet, chainId, false)
      await room?.take(onWait)
    },
  }
  if (calls.length > 1 && options.together !== false) {
    const mined = await sendTogether(sending, calls, { contract, reads: checked.reads })
    if (mined !== undefined) {
      await assertSuccess(sender, chainId, mined)
      return { mined, checked }
    }
  }

  const mined: MinedCalls[] = []
  let current = checked
  let remaining = calls
  for (let step = 1; ; step += 1) {
    const [call, ...rest] = remaining
    if (call === undefined) return { mined, checked: current }
    const { receipt } = await sendOne(sending, call, { step, of: step + rest.length })
    const { transactionHash: hash, status, blockNumber, gasUsed, logs } = receipt
    const one = {
      hash,
      functions: [call.functionName],
      status,
      blockNumber: Number(blockNumber),
      gasUsed,
      logs,
    }
    await assertSuccess(sender, chainId, [one])
    mined.push(one)
    remaining = rest
    // The next transaction is not prepared again: the terms cannot change on chain, its calldata was checked, and it
    // is run on the node before it is signed. Only after midnight the first charge is another one.
    if (rest.length > 0 && (await current.reads.head()).timestamp >= current.validUntil) {
      // The caller has shown that charge to somebody, who agreed to it and to no other.
      if (isGiven) throw new PreparedExpiredError(current.validUntil)
      current = await prepareChecked(sender, definition, signing)
      // The approval was just mined, so it is left out.
      remaining =
        call.functionName === 'approve' && rest.length === 1 ? current.calls.slice(-1) : current.calls
    }
  }
}

/** The allowance that remains where the approval was mined and the rest failed. */
async function remainingAllowance<Result>(
  checked: Checked<PreparedBatch, Expected<Result>> | undefined,
  account: Address,
  sentSoFar: SentSoFar,
): Promise<AllowanceRemains | null> {
  const rule = checked?.expected.approval
  if (checked === undefined || rule === undefined) return null
  const { token, spender, current, amount } = rule
  const approved = sentSoFar.approved ? amount : undefined
  const now = await checked.reads.allowance(token, account).catch(() => approved)
  return now === undefined || now <= current ? null : { token, spender, amountRaw: now }
}
