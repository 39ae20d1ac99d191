import { type Hash, type Hex, keccak256, type LocalAccount } from 'viem'
import { prepareTransactionRequest, sendRawTransaction, signTransaction } from 'viem/actions'
import type { OwnCall } from '../check/prepareHere.ts'
import { NotSentError } from '../errors.ts'
import type { Awaited } from '../wait/awaitReceipt.ts'
import { isKnownToNode, isNonceTaken, isRefusedByNode } from '../wallet/walletErrors.ts'
import type { Fees, Pricing } from './lastLook.ts'
import { chainOf, type Sending } from './Sending.ts'

/** A sending whose key is in this program. */
type KeySending = Sending & { readonly account: LocalAccount }

/** One signed form of the transaction: it is signed once more, as another version, for each raise of its fees. */
interface Version {
  readonly hash: Hash
  /** Its bytes; `undefined` where another run of the program has signed it. */
  readonly raw: Hex | undefined
}

/**
 * A transaction that is signed by a key in this program. The hash is known before anything is sent, so that it is not
 * lost with a node's answer. All its versions have the same nonce: at most one of them is ever mined.
 *
 * It is signed (`sign`) and sent (`send`). Then `awaitReceipt` looks for its receipt again and again, and after each look at which it is
 * not mined calls `tend`, which sends it again or replaces it by a version with higher fees.
 */
export class KeyTransaction {
  readonly #sending: KeySending
  readonly #call: OwnCall
  readonly #pricing: Pricing | undefined
  readonly #nonce: number
  readonly #hashes: [Hash, ...Hash[]]
  #newest: Version
  /** The fees of the newest version; `undefined` where the node has decided on them, so that they are never raised. */
  #fees: Fees | undefined
  /** When it was last sent, by `#now`. */
  #sentAtMs: number
  /** Whether a node has taken or refused the newest version. Until then it is sent again at each look. */
  #isAnswered: boolean

  private constructor(
    sending: KeySending,
    call: OwnCall,
    { nonce, pricing, version }: { nonce: number; pricing: Pricing | undefined; version: Version },
  ) {
    this.#sending = sending
    this.#call = call
    this.#pricing = pricing
    this.#nonce = nonce
    this.#hashes = [version.hash]
    this.#newest = version
    this.#fees = pricing?.fees
    this.#sentAtMs = this.#now()
    this.#isAnswered = version.raw === undefined
  }

  /** Signs and sends nothing. Throws NotSentError. */
  static async sign(
    sending: KeySending,
    call: OwnCall,
    pricing: Pricing | { readonly gas: bigint },
  ): Promise<KeyTransaction> {
    try {
      const { nonce, ...version } = await signCall(sending, call, pricing)
      return new KeyTransaction(sending, call, {
        nonce,
        pricing: 'raise' in pricing ? pricing : undefined,
        version,
      })
    } catch (error) {
      throw new NotSentError(call.functionName, error)
    }
  }

  /** A transaction that another run of the program has sent. */
  static adopt(sending: KeySending, call: OwnCall, pricing: Pricing, hash: Hash): KeyTransaction {
    const transaction = new KeyTransaction(sending, call, {
      nonce: pricing.nonce,
      pricing,
      version: { hash, raw: undefined },
    })
    transaction.#note()
    return transaction
  }

  /** What `awaitReceipt` waits for. @param sentAfter the latest block before it was sent */
  awaited(sentAfter: bigint): Awaited {
    const { account } = this.#sending
    return {
      hashes: this.#hashes,
      slot: { from: account.address, nonce: this.#nonce },
      to: this.#call.to,
      data: this.#call.data,
      sentAfter,
      tend: () => this.#tend(),
      ...(this.#pricing && { mostLooksAfterNonce: this.#pricing.mostLooksAfterNonce }),
    }
  }

  /**
   * Throws NotSentError where the node refuses it. A lost answer does not count as a refusal. Neither does a taken nonce: the
   * transaction itself may be mined, from a try whose answer was lost. Of several nodes, one can refuse what another has taken.
   */
  async send(): Promise<void> {
    try {
      await this.#broadcast()
    } catch (error) {
      const isRefused = isRefusedByNode(error)
      const isOneNode = this.#sending.wallet.transport.type !== 'fallback'
      if (isRefused && isOneNode && !isNonceTaken(error)) {
        throw new NotSentError(this.#call.functionName, error)
      }
      const { hash } = this.#newest
      this.#pricing?.onEvent(isRefused ? { kind: 'refused', hash, error } : { kind: 'fault', error })
    }
    this.#note()
  }

  /** After each look at which it is not mined: sends it again if no node has answered, and raises its fees when it is time. */
  async #tend(): Promise<void> {
    if (!this.#isAnswered) await this.#sendAgain()
    const pricing = this.#pricing
    if (pricing === undefined || this.#fees === undefined) return
    if (this.#now() - this.#sentAtMs < pricing.raiseAfterMs) return
    const fees = await pricing.raise(this.#fees)
    if (fees === undefined) {
      // The fees stay, and the next look sends the same transaction once more: the node may have dropped it.
      this.#sentAtMs = this.#now()
      this.#isAnswered = this.#newest.raw === undefined
      return
    }
    const { hash, raw } = await signCall(this.#sending, this.#call, {
      gas: pricing.gas,
      nonce: this.#nonce,
      fees,
    })
    this.#newest = { hash, raw }
    this.#fees = fees
    this.#isAnswered = false
    this.#hashes.push(hash)
    this.#note()
    pricing.onEvent({ kind: 'raised', hash, fees })
    await this.#sendAgain()
  }

  /** A refusal does not end the waiting: an earlier version, or an earlier try, may be on its way. */
  async #sendAgain(): Promise<void> {
    try {
      await this.#broadcast()
    } catch (error) {
      if (!isRefusedByNode(error)) throw error
      this.#isAnswered = true
      // Where the nonce is taken, the next look finds out by what.
      if (isNonceTaken(error)) return
      this.#pricing?.onEvent({ kind: 'refused', hash: this.#newest.hash, error })
    }
  }

  async #broadcast(): Promise<void> {
    const { raw } = this.#newest
    if (raw === undefined) return
    this.#sentAtMs = this.#now()
    try {
      await sendRawTransaction(this.#sending.wallet, { serializedTransaction: raw })
    } catch (error) {
      if (!isKnownToNode(error)) throw error
    }
    this.#isAnswered = true
  }

  #note(): void {
    const { hash } = this.#newest
    this.#sending.sentSoFar.note({ hash, functions: [this.#call.functionName], status: 'pending' })
  }

  #now(): number {
    return this.#sending.limits.clock?.now() ?? performance.now()
  }
}

/**
 * Makes a transaction of a call and signs it. Where nonce and fees are given, the node is not asked for anything, so
 * that it cannot change them; else they are the node's.
 */
async function signCall(
  { wallet, account, chainId }: KeySending,
  { to, data }: OwnCall,
  given: { readonly gas: bigint } | Pick<Pricing, 'gas' | 'nonce' | 'fees'>,
): Promise<{ readonly hash: Hash; readonly raw: Hex; readonly nonce: number }> {
  const call = { account, chain: chainOf(wallet, chainId), to, data, value: 0n, gas: given.gas }
  if ('fees' in given) {
    const { nonce, fees } = given
    const raw = await signTransaction(wallet, { ...call, nonce, ...fees, type: 'eip1559' })
    return { hash: keccak256(raw), raw, nonce }
  }
  const request = await prepareTransactionRequest(wallet, call)
  const raw = await signTransaction(wallet, { ...request, ...call })
  return { hash: keccak256(raw), raw, nonce: request.nonce }
}
