import { type Hash, isHash } from 'viem'
import { sendTransaction } from 'viem/actions'
import { sleep } from '../../request/Deadline.ts'
import type { OwnCall } from '../check/prepareHere.ts'
import { TransactionReplacedError, WouldRevertError } from '../errors.ts'
import { type Awaited, awaitReceipt, type Mined } from '../wait/awaitReceipt.ts'
import { walletError } from '../wallet/walletErrors.ts'
import { type LookBlock, lastLook, type Pricing } from './lastLook.ts'
import { chainOf, latestBlock, type Sending, type Step } from './Sending.ts'

/**
 * Has one transaction signed, sends it and waits for it: may it still be signed, does it still go through at the wallet's node (the last
 * look), sign, send, wait. A revert in its block is not thrown here: the receipt says it.
 * @param pricing where the caller decides on gas, fees and nonce; only for an account whose key is in this program
 */
export async function sendOne(
  sending: Sending,
  call: OwnCall,
  step: Step,
  pricing?: Pricing,
): Promise<Mined> {
  const { account, reader, limits, sentSoFar, report } = sending
  const functions = [call.functionName]
  // Asked again for every signature: a user can switch in between, and subscribe to something else.
  await sending.assertMaySign((forMs) => report({ kind: 'waiting', for: 'node', ...step, functions, forMs }))
  const gas = await lookAgain(sending, call, step, pricing?.lookAt)
  const sentAfter = await latestBlock(reader)
  limits.signal?.throwIfAborted()
  report({ kind: 'signing', ...step, functions })
  let awaited: Awaited
  if (account.type === 'local') {
    const { KeyTransaction } = await keyTransactions()
    const transaction = await inTurn(`${sending.chainId} ${account.address}`, async () => {
      const signed = await KeyTransaction.sign({ ...sending, account }, call, pricing ?? { gas })
      await signed.send()
      return signed
    })
    awaited = transaction.awaited(sentAfter)
  } else {
    const hash = await sendByWallet(sending, call, gas)
    sentSoFar.note({ hash, functions, status: 'pending' })
    awaited = { hashes: [hash], slot: undefined, to: call.to, data: call.data, sentAfter }
  }
  report({
    kind: 'sent',
    ...step,
    functions,
    hash: awaited.hashes[0],
    callsId: null,
    from: account.address,
    calls: [{ to: call.to, data: call.data }],
    sentAfter: Number(sentAfter),
    nonce: awaited.slot?.nonce,
  })
  return awaitOne(sending, functions, step, awaited, pricing)
}

/** The sendings that sign now with a key in this program. By chain and account, the last one of each, for the next to wait for. */
const turns = new Map<string, Promise<unknown>>()

/** Runs works with the same key one after the other: two that ask for the nonce at once would both sign for the same one. */
async function inTurn<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
  const turn = (turns.get(key) ?? Promise.resolve()).then(work, work)
  turns.set(key, turn)
  try {
    return await turn
  } finally {
    if (turns.get(key) === turn) turns.delete(key)
  }
}

/**
 * Waits for a transaction that an earlier run of the program has sent, as `sendOne` waits for its own: its fees are
 * raised likewise, at the same nonce.
 */
export async function resumeOne(
  sending: Sending,
  call: OwnCall,
  step: Step,
  pricing: Pricing,
  hash: Hash,
): Promise<Mined> {
  const { account, reader } = sending
  if (account.type !== 'local') throw new TypeError('Only a key in this program can take a transaction over')
  const { KeyTransaction } = await keyTransactions()
  const transaction = KeyTransaction.adopt({ ...sending, account }, call, pricing, hash)
  return awaitOne(sending, [call.functionName], step, transaction.awaited(await latestBlock(reader)), pricing)
}

/** Few programs hold a key, so the code that signs with one is loaded when it is needed. */
const keyTransactions = () => import('./KeyTransaction.ts')

/** Waits for a transaction, or for the one that takes its place. Throws StillPendingError, TransactionReplacedError. */
export async function awaitOne(
  { reader, limits, sentSoFar, report }: Sending,
  functions: readonly string[],
  { step, of }: Step,
  awaited: Awaited,
  pricing?: Pricing,
): Promise<Mined> {
  const [hash] = awaited.hashes
  const mined = await awaitReceipt(reader, awaited, limits, {
    remind: (waited) =>
      report({ kind: 'waiting', for: 'receipt', step, of, functions, hash, callsId: null, ...waited }),
    fault: (error) => pricing?.onEvent({ kind: 'fault', error }),
  })
  const { receipt, replaced } = mined
  for (const version of awaited.hashes) {
    if (version !== receipt.transactionHash) sentSoFar.note({ hash: version, functions, status: 'replaced' })
  }
  if (replaced !== undefined && replaced !== 'repriced') {
    throw new TransactionReplacedError(hash, receipt.transactionHash, replaced)
  }
  sentSoFar.note({ hash: receipt.transactionHash, functions, status: receipt.status })
  if (receipt.status === 'success') {
    const { transactionHash, blockNumber } = receipt
    report({ kind: 'mined', step, of, functions, hash: transactionHash, blockNumber: Number(blockNumber) })
  }
  return mined
}

/**
 * Several nodes can stand behind one address, and one of them may not have seen yet what another has told to be mined.
 * So a call that follows another one is tried this often before it counts as failed.
 */
const LOOKS_AFTER_ANOTHER = 5
const LONGEST_PAUSE_MS = 1_000

/** The last look before signing, tried several times for a call that follows another. @returns the gas limit */
async function lookAgain(
  { reader, account, limits, report }: Sending,
  call: OwnCall,
  { step, of }: Step,
  block: LookBlock | undefined,
): Promise<bigint> {
  const looks = step === 1 ? 1 : LOOKS_AFTER_ANOTHER
  for (let look = 1; ; look += 1) {
    try {
      return await lastLook(reader, account.address, call, block)
    } catch (error) {
      if (look === looks || !(error instanceof WouldRevertError)) throw error
      const forMs = Math.min(limits.pollingIntervalMs, LONGEST_PAUSE_MS)
      report({ kind: 'waiting', for: 'node', step, of, functions: [call.functionName], forMs })
      await sleep(forMs, limits.signal)
    }
  }
}

async function sendByWallet(
  { wallet, account, chainId }: Sending,
  call: OwnCall,
  gas: bigint,
): Promise<Hash> {
  const { to, data } = call
  try {
    const chain = chainOf(wallet, chainId)
    const hash = await sendTransaction(wallet, { account, chain, to, data, value: 0n, gas })
    if (!isHash(hash)) throw new TypeError(`The wallet answered ${String(hash)} and not a hash`)
    return hash
  } catch (error) {
    throw walletError(`signing ${call.functionName}`, error)
  }
}
