import { type Address, isAddressEqual } from 'viem'
import { getTransactionReceipt } from 'viem/actions'
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
  TransactionRevertedError,
  WalletFailedError,
} from '../errors.ts'
import { type AllowanceRemains, SendingError } from '../SendingError.ts'
import { decodeEvents } from '../wait/decodeEvents.ts'
import type { MinedCalls } from '../wait/MinedCalls.ts'
import type { ProtocolEvent } from '../wait/ProtocolEvent.ts'
import { revertReason } from '../wait/revertReason.ts'
import { bringToChain, connectedAccount, currentChain } from '../wallet/account.ts'
import { stepTimeoutMs } from '../wallet/stepOptions.ts'
import type { Reader, SendPreparedOptions, Wallet } from '../wallet/Wallet.ts'
import type { Expected, FlowDefinition, RequestedFlow } from './FlowDefinition.ts'
import type { Sending } from './Sending.ts'
import { SentSoFar } from './SentSoFar.ts'
import { sendOne } from './sendOne.ts'
import { sendTogether } from './sendTogether.ts'

/** A transaction that was mined without a revert. */
export type MinedTransaction = Pick<MinedCalls, 'hash' | 'functions' | 'blockNumber' | 'gasUsed'>

/** What came of a flow, beside what is the flow's own. */
export interface Outcome {
  readonly status: 'success'
  readonly chainId: number
  readonly transactions: readonly MinedTransaction[]
  /** The wallet's id for the calls, where it took them by `wallet_sendCalls`. */
  readonly callsId: string | null
  /** The contract's logs, decoded, in order. */
  readonly events: readonly ProtocolEvent[]
}

/**
 * Prepares a flow for the wallet's account, or takes what was prepared before; checks all that was prepared, has it signed, sends it, waits, and reads
 * what came of it. Throws SendingError; before anything was sent also what the service answered.
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
  try {
    checked =
      prepared === undefined
        ? await prepareChecked(sender, definition, signing)
        : await checkGiven(sender, definition, signing, prepared)
    room = roomFor(sender, signing, checked)
    const sent = await sendAllCalls(sender, definition, checked, signing, {
      sentSoFar,
      room,
      isGiven: prepared !== undefined,
    })
    checked = sent.checked
    room?.mined(Math.max(...sent.mined.map(({ blockNumber }) => blockNumber)))
    return await conclude(checked, signing, sent.mined, sentSoFar)
  } catch (error) {
    if (checked !== undefined && isOver(error, checked, sentSoFar)) room?.release()
    if (sentSoFar.isEmpty) throw error
    const failure = error instanceof SendingError ? error : new SendingInterruptedError(error)
    throw failure.after(sentSoFar.happened(await remainingAllowance(checked, account.address, sentSoFar)))
  }
}

/**
 * Whether the call that was asked for can never be mined. As long as it can, it takes its room in the budget; an approval
 * before it takes none.
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

/** The room in the budget that a flow takes, where there is a budget and the flow commits the wallet to anything. */
function roomFor<Result>(
  { budget, ownWrites }: Sender,
  { wallet, account, chainId, options }: Signing,
  { reads, expected }: Checked<PreparedBatch, Expected<Result>>,
): Room | undefined {
  if (expected.commits === undefined) return undefined
  return budget?.roomFor(expected.commits, {
    chainId,
    account: account.address,
    reads,
    lastBlock: () => ownWrites.minBlock(chainId),
    pollingIntervalMs: options.pollingIntervalMs ?? wallet.pollingInterval,
    signal: options.signal,
  })
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
    const mined = await sendTogether(sending, calls)
    if (mined !== undefined) {
      for (const { blockNumber } of mined) sender.ownWrites.note(chainId, blockNumber)
      for (const one of mined) await assertSuccess(sender, chainId, one)
      return { mined: await withLogs(sending.reader, contract, mined), checked }
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
    sender.ownWrites.note(chainId, one.blockNumber)
    await assertSuccess(sender, chainId, one)
    mined.push(one)
    remaining = rest
    // The next transaction is not prepared again: the terms cannot change on chain, its calldata was checked, and it
    // is run on the node before it is signed. Only after midnight the first charge is another one.
    if (rest.length > 0 && (await current.reads.head()).timestamp >= current.validUntil) {
      // Who gave the answer has shown that charge to somebody, who did not agree to another one.
      if (isGiven) throw new PreparedExpiredError(current.validUntil)
      current = await prepareChecked(sender, definition, signing)
      // The approval was just mined: it is not asked for twice.
      remaining =
        call.functionName === 'approve' && rest.length === 1 ? current.calls.slice(-1) : current.calls
    }
  }
}

/** A wallet need not give logs with its receipts. Where none is of the contract, they are read from the node. */
async function withLogs(
  reader: Reader,
  contract: Address,
  mined: readonly MinedCalls[],
): Promise<MinedCalls[]> {
  const hasOwn = mined.some(({ logs }) => logs.some(({ address }) => isAddressEqual(address, contract)))
  if (hasOwn) return [...mined]
  return Promise.all(
    mined.map(async (one) => ({
      ...one,
      logs: (await getTransactionReceipt(reader, { hash: one.hash })).logs,
    })),
  )
}

async function assertSuccess({ api }: Sender, chainId: number, mined: MinedCalls): Promise<void> {
  const { status, functions, hash } = mined
  if (status === 'success') return
  throw new TransactionRevertedError(
    functions.join(' and '),
    hash,
    await revertReason(api, { ...mined, chainId }),
  )
}

async function conclude<Result>(
  { reads, expected }: Checked<PreparedBatch, Expected<Result>>,
  { chainId, contract }: Signing,
  mined: readonly MinedCalls[],
  sentSoFar: SentSoFar,
): Promise<Outcome & Result> {
  const known = new Map<Address, number | null>(expected.decimals)
  const events = await decodeEvents(contract, mined, async (token) => {
    const decimals = known.get(token) ?? (await reads.decimals(token).catch(() => null))
    known.set(token, decimals)
    return decimals
  })
  const result = await expected.conclude({ transactions: mined, events })
  const transactions = mined.map(({ hash, functions, blockNumber, gasUsed }) => ({
    hash,
    functions,
    blockNumber,
    gasUsed,
  }))
  return { status: 'success', chainId, transactions, callsId: sentSoFar.callsId, events, ...result }
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
