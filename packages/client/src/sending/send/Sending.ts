import { type Account, type Chain, defineChain, type Hex } from 'viem'
import { getBlockNumber } from 'viem/actions'
import { ChainReadError } from '../errors.ts'
import type { AllowanceRemains, Happened, SentTransaction } from '../SendingError.ts'
import type { WaitLimits } from '../wait/waiting.ts'
import type { Progress, Reader, Wallet } from '../wallet/Wallet.ts'

/** Everything that sending needs beside what is sent. */
export interface Sending {
  readonly wallet: Wallet
  readonly account: Account
  readonly chainId: number
  readonly reader: Reader
  readonly limits: WaitLimits
  readonly sentSoFar: SentSoFar
  readonly report: (progress: Progress) => void
  /**
   * Asked before each signature. Throws WrongChainError where the wallet is on another chain, and OverBudgetError where
   * the budget has no room.
   * @param onWait told of each wait for the wallet's node
   */
  readonly assertMaySign: (onWait: (forMs: number) => void) => Promise<void>
}

/** Which of the wallet's signatures it is, counted from 1, and how many there are. */
export interface Step {
  readonly step: number
  readonly of: number
}

/** The number of the latest block at the wallet's node. Throws ChainReadError. */
export async function latestBlock(reader: Reader): Promise<bigint> {
  try {
    return await getBlockNumber(reader, { cacheTime: 0 })
  } catch (cause) {
    throw new ChainReadError('The latest block', cause)
  }
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

/** The transactions that have left the wallet so far. */
export class SentSoFar {
  readonly #sent = new Map<Hex, SentTransaction>()
  /** The wallet's id for calls that it took by `wallet_sendCalls`. */
  callsId: string | null = null
  /** The functions that the wallet was last asked to sign. */
  asked: readonly string[] = []
  /** Whether the wallet has told the end of the bundle. Until then, calls without a receipt may still be mined. */
  areCallsOver = false

  get isEmpty(): boolean {
    return this.#sent.size === 0 && this.callsId === null
  }

  /** Whether a call of this function has left the wallet and its outcome is unknown. */
  isOpen(functionName: string): boolean {
    // A bundle has every call of its flow.
    const isUntold = this.callsId !== null && !this.areCallsOver
    const isPending = [...this.#sent.values()].some(
      ({ functions, status }) => status === 'pending' && functions.includes(functionName),
    )
    return isUntold || isPending
  }

  /** Whether an approval was mined without a revert. */
  get approved(): boolean {
    return [...this.#sent.values()].some(
      ({ functions, status }) => status === 'success' && functions.includes('approve'),
    )
  }

  /** Notes a transaction, or its new status. */
  note({ hash, functions, status }: SentTransaction): void {
    this.#sent.set(hash, { hash, functions, status })
  }

  happened(allowanceRemains: AllowanceRemains | null): Happened {
    return { sent: [...this.#sent.values()], callsId: this.callsId, allowanceRemains }
  }
}
