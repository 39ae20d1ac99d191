import { type Address, type Hash, type Hex, isAddressEqual, numberToHex } from 'viem'
import { getBlockNumber } from 'viem/actions'
import type { ChainReads } from '../chain/ChainReads.ts'
import { findReceipt } from '../wait/awaitReceipt.ts'
import type { CallsStatus } from '../wait/CallsStatus.ts'
import type { MinedCalls } from '../wait/MinedCalls.ts'
import type { Reader } from '../wallet/Wallet.ts'
import { type Effect, effectOf } from './effectOf.ts'

/** Calls that were sent together, and where they are looked for. */
export interface Bundle {
  readonly functions: readonly string[]
  /** The last of them does what was asked for. */
  readonly calls: readonly { readonly to: Address; readonly data: Hex }[]
  readonly account: Address
  readonly contract: Address
  readonly reader: Reader
  readonly reads: Pick<ChainReads, 'allowance'>
  /** The number of the latest block before they were sent. */
  readonly sentAfter: number
}

/** Nodes limit how many blocks one question about logs may span. */
const MOST_BLOCKS = 1_000

/**
 * The wallet says that the calls were mined. This finds them through the wallet's own node: in the transactions that
 * the wallet names, otherwise by the effect of the last call.
 */
export class Landing {
  readonly #bundle: Bundle
  readonly #effect: Effect | undefined
  /** Up to this block the logs were looked through. */
  #scanned: number

  constructor(bundle: Bundle) {
    const call = bundle.calls.at(-1)
    this.#bundle = bundle
    this.#effect = call && effectOf({ ...bundle, call })
    this.#scanned = bundle.sentAfter
  }

  /** The transactions that show it; none where the allowance alone does. `undefined` while the node shows neither. */
  async find({
    hashes,
    mined,
    isWhole,
  }: Pick<CallsStatus, 'hashes' | 'mined' | 'isWhole'>): Promise<MinedCalls[] | undefined> {
    const { contract } = this.#bundle
    const hasLogs = mined.some(({ logs }) => logs.some(({ address }) => isAddressEqual(address, contract)))
    if (hasLogs && (isWhole || this.#isShownBy(mined))) return [...mined]
    const named = await this.#read(hashes, mined)
    // The node's own receipts of every call are complete evidence.
    if (isWhole && named.length === hashes.length) return named
    if (this.#isShownBy(named)) return named
    const found = await this.#read(await this.#findLogs(), mined)
    if (this.#isShownBy(found)) return found
    return (await this.#effect?.isInForce()) ? named : undefined
  }

  #isShownBy(mined: readonly MinedCalls[]): boolean {
    return mined.some(
      ({ status, logs }) => status === 'success' && logs.some((log) => this.#effect?.isShownBy(log) === true),
    )
  }

  /** The node's own receipts of these transactions, as far as it has them. */
  async #read(hashes: readonly Hash[], told: readonly MinedCalls[]): Promise<MinedCalls[]> {
    const { reader, functions } = this.#bundle
    const all = hashes.map(async (hash) => {
      const receipt = await findReceipt(reader, hash)
      if (receipt === undefined) return []
      const { status, blockNumber, gasUsed, logs } = receipt
      const own = told.find((one) => one.hash === hash)?.functions ?? functions.slice(-1)
      return [{ hash, functions: own, status, blockNumber: Number(blockNumber), gasUsed, logs }]
    })
    return (await Promise.all(all)).flat()
  }

  /** The transactions with such a log. What was looked through once is not looked through again. */
  async #findLogs(): Promise<Hash[]> {
    const { reader } = this.#bundle
    if (this.#effect === undefined) return []
    const { address, topics } = this.#effect
    const head = Number(await getBlockNumber(reader, { cacheTime: 0 }))
    while (this.#scanned < head) {
      const last = Math.min(this.#scanned + MOST_BLOCKS, head)
      const range = { fromBlock: numberToHex(this.#scanned + 1), toBlock: numberToHex(last) }
      const logs = await reader.request({
        method: 'eth_getLogs',
        params: [{ address, topics: [...topics], ...range }],
      })
      const hashes = logs.flatMap(({ transactionHash }) => transactionHash ?? [])
      if (hashes.length > 0) return [...new Set(hashes)]
      this.#scanned = last
    }
    return []
  }
}
