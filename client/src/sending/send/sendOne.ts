import { type Account, type Chain, defineChain, type Hex, isHash, keccak256, type LocalAccount } from 'viem'
import {
  getBlockNumber,
  prepareTransactionRequest,
  sendRawTransaction,
  sendTransaction,
  signTransaction,
} from 'viem/actions'
import { sleep } from '../../request/sleep.ts'
import type { CheckedCall } from '../check/checkPrepared.ts'
import { lastLook } from '../check/lastLook.ts'
import { ChainReadError, NotSentError, TransactionReplacedError, WouldRevertError } from '../errors.ts'
import { type Awaited, awaitReceipt, type Mined } from '../wait/awaitReceipt.ts'
import type { Patience } from '../wait/waiting.ts'
import type { Ledger } from './Ledger.ts'
import type { Progress, Reader, Wallet } from './Wallet.ts'
import { isRefusedByNode, walletError } from './walletErrors.ts'

/** Everything that sending needs beside what is sent. */
export interface Sending {
  readonly wallet: Wallet
  readonly account: Account
  readonly chainId: number
  readonly reader: Reader
  readonly patience: Patience
  readonly ledger: Ledger
  readonly report: (progress: Progress) => void
  /**
   * Throws WrongChainError where the wallet is elsewhere, OverBudgetError where there is no room for it.
   * @param onWait told of each wait for the wallet's node
   */
  readonly assertMaySign: (onWait: (forMs: number) => void) => Promise<void>
}

export interface Step {
  readonly step: number
  readonly of: number
}

/** Has one transaction signed, sends it and waits for it. A revert is not thrown here: the receipt says it. */
export async function sendOne(sending: Sending, call: CheckedCall, { step, of }: Step): Promise<Mined> {
  const { reader, patience, ledger, report } = sending
  const functions = [call.functionName]
  // Asked again for every signature: a user can switch in between, and subscribe to something else.
  await sending.assertMaySign((forMs) => report({ kind: 'waiting', for: 'node', step, of, functions, forMs }))
  const gas = await lookAgain(sending, call, { step, of })
  const sentAfter = await latestBlock(reader)
  patience.signal?.throwIfAborted()
  report({ kind: 'signing', step, of, functions })
  const { hash, slot } = await signAndSend(sending, call, gas)
  ledger.note({ hash, functions, status: 'pending' })
  report({ kind: 'sent', step, of, functions, hash, callsId: null })

  const awaited = { hash, slot, to: call.to, data: call.data, sentAfter }
  const mined = await awaitReceipt(reader, awaited, patience, (waited) =>
    report({ kind: 'waiting', for: 'receipt', step, of, functions, hash, callsId: null, ...waited }),
  )
  const { receipt, replaced } = mined
  if (replaced !== undefined) {
    ledger.note({ hash, functions, status: 'replaced' })
    if (replaced !== 'repriced') {
      throw new TransactionReplacedError(hash, receipt.transactionHash, replaced)
    }
  }
  ledger.note({ hash: receipt.transactionHash, functions, status: receipt.status })
  if (receipt.status === 'success') {
    report({
      kind: 'mined',
      step,
      of,
      functions,
      hash: receipt.transactionHash,
      blockNumber: Number(receipt.blockNumber),
    })
  }
  return mined
}

/**
 * Behind one address there can be several nodes, one of which has not seen yet what another has just told to be
 * mined: a call that follows on another is looked at this often before its failing is believed.
 */
const LOOKS_AFTER_ANOTHER = 5
const LONGEST_PAUSE_MS = 1_000

async function lookAgain(
  { reader, account, patience, report }: Sending,
  call: CheckedCall,
  { step, of }: Step,
): Promise<bigint> {
  const looks = step === 1 ? 1 : LOOKS_AFTER_ANOTHER
  for (let look = 1; ; look += 1) {
    try {
      return await lastLook(reader, account.address, call)
    } catch (error) {
      if (look === looks || !(error instanceof WouldRevertError)) throw error
      const forMs = Math.min(patience.pollingIntervalMs, LONGEST_PAUSE_MS)
      report({ kind: 'waiting', for: 'node', step, of, functions: [call.functionName], forMs })
      await sleep(forMs, patience.signal)
    }
  }
}

async function latestBlock(reader: Reader): Promise<bigint> {
  try {
    return await getBlockNumber(reader, { cacheTime: 0 })
  } catch (cause) {
    throw new ChainReadError('The latest block', cause)
  }
}

/** A hash, and the nonce behind it where that is known. */
type Signed = Pick<Awaited, 'hash' | 'slot'>

async function signAndSend(sending: Sending, call: CheckedCall, gas: bigint): Promise<Signed> {
  const { wallet, account, chainId } = sending
  if (account.type === 'local') return signHere(sending, account, call, gas)
  const { to, data } = call
  try {
    const chain = chainOf(wallet, chainId)
    const hash = await sendTransaction(wallet, { account, chain, to, data, value: 0n, gas })
    if (!isHash(hash)) throw new TypeError(`The wallet answered ${String(hash)} and not a hash`)
    return { hash, slot: undefined }
  } catch (error) {
    throw walletError(`signing ${call.functionName}`, error)
  }
}

/**
 * Signs with a key that is here, so that the hash is known before anything is sent: a node's lost answer does not
 * lose the transaction then.
 */
async function signHere(
  { wallet, chainId, ledger }: Sending,
  account: LocalAccount,
  { functionName, to, data }: CheckedCall,
  gas: bigint,
): Promise<Signed> {
  const chain = chainOf(wallet, chainId)
  let serializedTransaction: Hex
  let nonce: number | undefined
  try {
    const request = await prepareTransactionRequest(wallet, { account, chain, to, data, value: 0n, gas })
    nonce = request.nonce
    serializedTransaction = await signTransaction(wallet, { ...request, account, chain })
  } catch (error) {
    throw new NotSentError(functionName, error)
  }
  const hash = keccak256(serializedTransaction)
  try {
    await sendRawTransaction(wallet, { serializedTransaction })
  } catch (error) {
    if (isRefusedByNode(error)) throw new NotSentError(functionName, error)
    ledger.note({ hash, functions: [functionName], status: 'pending' })
  }
  return { hash, slot: nonce === undefined ? undefined : { from: account.address, nonce } }
}

/** The chain for viem, which compares it with the wallet's and signs for it. */
export function chainOf(wallet: Wallet, chainId: number): Chain {
  if (wallet.chain?.id === chainId) return wallet.chain
  return defineChain({
    id: chainId,
    name: `Chain ${chainId}`,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [] } },
  })
}
