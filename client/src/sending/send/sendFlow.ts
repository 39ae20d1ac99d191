import { type Address, isAddressEqual } from 'viem'
import { getTransactionReceipt } from 'viem/actions'
import type { Room } from '../budget/Budget.ts'
import type { PreparedBatch } from '../check/checkPrepared.ts'
import { contractFor } from '../check/findContract.ts'
import type { Plan, Planned } from '../check/Plan.ts'
import { prepareChecked, type Ready, type Sender, type Signing } from '../check/prepareChecked.ts'
import {
  CallsFailedError,
  SendingInterruptedError,
  TransactionRevertedError,
  WalletFailedError,
} from '../errors.ts'
import { type AllowanceRemains, SendingError } from '../SendingError.ts'
import { decodeEvents } from '../wait/decodeEvents.ts'
import type { ProtocolEvent } from '../wait/ProtocolEvent.ts'
import { revertReason } from '../wait/revertReason.ts'
import { bringToChain, connectedAccount, currentChain } from './account.ts'
import { Ledger } from './Ledger.ts'
import { type Sending, sendOne } from './sendOne.ts'
import { type MinedCalls, sendTogether } from './sendTogether.ts'
import { stepTimeoutMs } from './stepOptions.ts'
import type { Reader, SendOptions, Wallet } from './Wallet.ts'

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
 * Prepares a flow for the wallet's account, checks all that was prepared, has it signed, sends it, waits, and reads
 * what came of it. Throws SendingError; before anything was sent also what the service answered.
 */
export async function sendFlow<Prepared extends PreparedBatch, Result, Told>(
  sender: Sender,
  planned: Planned<Prepared, Result, Told>,
  wallet: Wallet,
  options: SendOptions = {},
): Promise<Outcome & Result> {
  options.signal?.throwIfAborted()
  const account = await connectedAccount(wallet)
  // Decided here, once, before the service is asked for anything: its word must not move a wallet.
  const chainId = planned.chainId ?? (await currentChain(wallet))
  const plan = planned.on(chainId)
  const contract = await contractFor(sender, chainId)
  await bringToChain(wallet, chainId, options.switchChain === true)
  const signing = { wallet, account, chainId, contract, options }
  const ledger = new Ledger()
  let ready: Ready<Result> | undefined
  let room: Room | undefined
  try {
    ready = await prepareChecked(sender, plan, signing)
    room = roomFor(sender, signing, ready)
    const sent = await sendAllCalls(sender, plan, ready, signing, { ledger, room })
    ready = sent.ready
    room?.release()
    return await conclude(ready, signing, sent.mined, ledger)
  } catch (error) {
    if (isOver(error, ledger)) room?.release()
    if (ledger.isEmpty) throw error
    const failure = error instanceof SendingError ? error : new SendingInterruptedError(error)
    throw failure.after(ledger.happened(await remainingAllowance(ready, account.address, ledger)))
  }
}

/** Whether nothing of it can be mined any more. What may still be goes on taking its room in the budget. */
function isOver(error: unknown, ledger: Ledger): boolean {
  if (error instanceof WalletFailedError) return false
  return error instanceof CallsFailedError || !ledger.isOpen
}

/** The room in the budget that a flow takes, where there is a budget and the flow commits the wallet to anything. */
function roomFor<Result>(
  { budget, ownWrites }: Sender,
  { wallet, account, chainId, options }: Signing,
  { reads, expected }: Ready<Result>,
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
  plan: Plan<Prepared, Result, Told>,
  ready: Ready<Result>,
  signing: Signing,
  { ledger, room }: { readonly ledger: Ledger; readonly room: Room | undefined },
): Promise<{ mined: MinedCalls[]; ready: Ready<Result> }> {
  const { wallet, account, chainId, contract, options } = signing
  const { calls } = ready
  const { publicClient, signal, onProgress } = options
  const pollingIntervalMs = options.pollingIntervalMs ?? wallet.pollingInterval
  const sending: Sending = {
    wallet,
    account,
    chainId,
    reader: publicClient ?? wallet,
    patience: { timeoutMs: stepTimeoutMs(options), pollingIntervalMs, signal },
    ledger,
    report: (progress) => onProgress?.(progress),
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
      return { mined: await withLogs(sending.reader, contract, mined), ready }
    }
  }

  const mined: MinedCalls[] = []
  let current = ready
  let remaining = calls
  for (let step = 1; ; step += 1) {
    const [call, ...rest] = remaining
    if (call === undefined) return { mined, ready: current }
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
    // What follows is not prepared again as a rule: terms cannot change, the calldata is checked, and the last look
    // runs it on the chain as it is. Only after midnight another charge holds than the one that was told.
    if (rest.length > 0 && (await current.reads.head()).timestamp >= current.validUntil) {
      current = await prepareChecked(sender, plan, signing)
      // What has just been approved is not asked for a second time.
      remaining =
        call.functionName === 'approve' && rest.length === 1 ? current.calls.slice(-1) : current.calls
    }
  }
}

/** Wallets need not tell the logs of calls: where the contract has none in any, they are read from the node. */
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

async function assertSuccess(
  { api }: Sender,
  chainId: number,
  { status, functions, hash }: MinedCalls,
): Promise<void> {
  if (status === 'success') return
  throw new TransactionRevertedError(functions.join(' and '), hash, await revertReason(api, chainId, hash))
}

async function conclude<Result>(
  { reads, expected }: Ready<Result>,
  { chainId, contract }: Signing,
  mined: readonly MinedCalls[],
  ledger: Ledger,
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
  return { status: 'success', chainId, transactions, callsId: ledger.callsId, events, ...result }
}

/** What an approval that went through leaves behind, where what it was for did not. */
async function remainingAllowance<Result>(
  ready: Ready<Result> | undefined,
  account: Address,
  ledger: Ledger,
): Promise<AllowanceRemains | null> {
  const rule = ready?.expected.approval
  if (ready === undefined || rule === undefined) return null
  const { token, spender, current, amount } = rule
  const approved = ledger.approved ? amount : undefined
  const now = await ready.reads.allowance(token, account).catch(() => approved)
  return now === undefined || now <= current ? null : { token, spender, amountRaw: now }
}
