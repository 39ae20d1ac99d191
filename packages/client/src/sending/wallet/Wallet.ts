/** Wallets and nodes as viem's clients, what `send` takes and reports, and which account and chain a wallet is on. */

import type { Account, Address, Chain, Client, Hex, Transport } from 'viem'
import { parseAccount } from 'viem/accounts'
import { getAddresses, getChainId, switchChain } from 'viem/actions'
import type { CallOptions, Wait } from '../../call/CallOptions.ts'
import { NoAccountError, WrongChainError } from '../errors.ts'
import { isRejection, walletError } from './walletErrors.ts'

/** viem's wallet client, or anything that its wallet actions take. */
export type Wallet = Client<Transport, Chain | undefined, Account | undefined>

/** Any viem client that reads. */
export type Reader = Client<Transport, Chain | undefined>

/** What has just happened in a sending. `step` counts the wallet's signatures from 1; `of` is how many there are. */
export type Progress =
  /** It was prepared at the wallet's node. */
  | {
      readonly kind: 'prepared'
      readonly step: number
      readonly of: number
      readonly warnings: readonly Told[]
    }
  /** It is what was shown, and within the caller's limits. */
  | {
      readonly kind: 'checked'
      readonly step: number
      readonly of: number
      readonly functions: readonly string[]
    }
  /** The wallet is asked to sign. */
  | {
      readonly kind: 'signing'
      readonly step: number
      readonly of: number
      readonly functions: readonly string[]
    }
  | Sent
  | {
      readonly kind: 'mined'
      readonly step: number
      readonly of: number
      readonly functions: readonly string[]
      readonly hash: Hex
      readonly blockNumber: number
    }
  | Waiting

/** What has left the wallet by one signature. It is plain JSON: a later run of the program can `follow` it. */
export interface Sent {
  readonly kind: 'sent'
  readonly step: number
  readonly of: number
  readonly functions: readonly string[]
  /** `null` where the wallet took the calls by `wallet_sendCalls` and has told no hash yet. */
  readonly hash: Hex | null
  /** The wallet's id of calls that it took by `wallet_sendCalls`; else `null`. */
  readonly callsId: string | null
  readonly from: Address
  /** One for each of `functions`. */
  readonly calls: readonly { readonly to: Address; readonly data: Hex }[]
  /** The number of the latest block before it was sent. */
  readonly sentAfter: number
  /** Of the transaction `hash`, where it is known: it shows a successor also where no node has seen the first one. */
  readonly nonce?: number | undefined
}

/** What a sending waits for before it goes on. `step` is 0 while the transactions are being prepared. */
export type Waiting = { readonly kind: 'waiting'; readonly step: number; readonly of: number } & (
  | Wait
  /** What was sent is not mined yet; told every five seconds. */
  | {
      readonly for: 'receipt'
      readonly functions: readonly string[]
      readonly hash: Hex | null
      readonly callsId: string | null
      /** How long the wait has lasted. */
      readonly sinceMs: number
      /** How much longer the wait can last. */
      readonly forMs: number
    }
  /** The wallet's node has not seen the transaction before this one. */
  | { readonly for: 'node'; readonly functions: readonly string[]; readonly forMs: number }
)

/** A warning of what was prepared. */
interface Told {
  readonly code: string
  readonly message: string
}

/** How a flow is sent. */
export interface SendOptions {
  /**
   * Ends the sending. While the wallet is being asked to sign, its answer is still waited for: only that answer tells
   * the hash. What was sent is in the error.
   */
  readonly signal?: AbortSignal | undefined
  /** Called after each part of the sending. What it throws ends the sending. */
  readonly onProgress?: ((progress: Progress) => void) | undefined
  /** Whether a wallet on another chain is asked to switch. */
  readonly switchChain?: boolean | undefined
  /** The most that may be approved, in the token's smallest unit; it takes the place of the client's own limit. */
  readonly maxApproval?: bigint | undefined
  /**
   * Reads the chain where the wallet answers no reads. It is trusted like the wallet's own node, so it must not be the service's node.
   */
  readonly publicClient?: Reader | undefined
  /** false: one transaction after the other, even where the wallet has `wallet_sendCalls`. */
  readonly together?: boolean | undefined
  /**
   * How long each step may take: preparing, with all waits for limits and blocks, and then each transaction, from
   * being sent to being mined. The wallet's user may take any time to sign. Default 120,000.
   */
  readonly timeoutMs?: number | undefined
  /** How long to wait between two looks for the receipt. Default: the wallet client's own interval. */
  readonly pollingIntervalMs?: number | undefined
}

export interface SendPreparedOptions<Prepared> extends SendOptions {
  /**
   * What this flow's `prepare` has answered for the wallet's account: it is checked and sent as it is, so a person
   * signs exactly what was shown. Without it, `send` prepares by itself.
   */
  readonly prepared?: Prepared | undefined
}

/** Who signs: the wallet client's account, else the first that the wallet has given. Throws NoAccountError. */
export async function connectedAccount(wallet: Wallet): Promise<Account> {
  if (wallet.account !== undefined) return wallet.account
  try {
    const [first] = await getAddresses(wallet)
    if (first !== undefined) return parseAccount(first)
  } catch (cause) {
    throw new NoAccountError({ cause })
  }
  throw new NoAccountError()
}

/**
 * Throws WrongChainError where the wallet says that it is on another chain, whatever its client was made for, and
 * WalletFailedError where it does not say.
 */
export async function assertOnChain(wallet: Wallet, chainId: number): Promise<void> {
  const actual = await currentChain(wallet)
  if (actual !== chainId) throw new WrongChainError(chainId, actual)
}

/**
 * Asks the wallet to switch to a chain, unless it is on it. Throws WrongChainError where it is on another one afterwards,
 * UserRejectedError, WalletFailedError.
 */
export async function bringToChain(wallet: Wallet, chainId: number): Promise<void> {
  const actual = await currentChain(wallet)
  if (actual === chainId) return
  try {
    await switchChain(wallet, { id: chainId })
  } catch (error) {
    if (isRejection(error)) throw walletError('switching chains', error)
    throw new WrongChainError(chainId, actual, { cause: error })
  }
  await assertOnChain(wallet, chainId)
}

/** The chain that the wallet says it is on. Throws WalletFailedError where it does not say. */
export async function currentChain(wallet: Wallet): Promise<number> {
  try {
    return await getChainId(wallet)
  } catch (error) {
    throw walletError('telling its chain', error)
  }
}

/** How long a step of a sending may take where nobody says otherwise. */
const STEP_TIMEOUT_MS = 120_000

export function stepTimeoutMs({ timeoutMs = STEP_TIMEOUT_MS }: SendOptions): number {
  return timeoutMs
}

/** The options of the calls that prepare a sending: within the step's time, and each wait is reported as progress. */
export function stepOptions(options: SendOptions): CallOptions {
  const { signal, onProgress } = options
  return {
    signal,
    withinMs: stepTimeoutMs(options),
    onWait: (wait) => onProgress?.({ kind: 'waiting', step: 0, of: 0, ...wait }),
  }
}
