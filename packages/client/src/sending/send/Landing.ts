/**
 * Finds what became of calls that a wallet has taken by `wallet_sendCalls`. The wallet says that they were mined, but it need not say in
 * which transactions, and its receipts may be incomplete. So they are looked for at the wallet's own node (`Landing`), also by their effect:
 * what the last call leaves on the chain, such as the log of an approval or of a subscription.
 */

import {
  type Address,
  decodeAbiParameters,
  decodeEventLog,
  decodeFunctionData,
  encodeEventTopics,
  erc20Abi,
  type Hash,
  type Hex,
  isAddressEqual,
  numberToHex,
} from 'viem'
import { getBlockNumber } from 'viem/actions'
import { subscriptionsAbi } from '../../generated/abi.ts'
import { isSameHex } from '../../request/isSameHex.ts'
import type { ChainReads } from '../ChainReads.ts'
import { approvalIn } from '../check/prepareHere.ts'
import { findReceipt } from '../wait/awaitReceipt.ts'
import type { CallsStatus } from '../wait/CallsStatus.ts'
import { type MinedCalls, minedCalls, SUBSCRIPTION_EVENTS, type WalletLog } from '../wait/decodeEvents.ts'
import type { Reader } from '../wallet/Wallet.ts'

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

/** Looks for such calls, again and again (`find`): in the transactions that the wallet names, else by the effect of the last call. */
export class Landing {
  readonly #bundle: Bundle
  /** The effect of the last call; `undefined` for a call that leaves none that is known here. */
  readonly #effect: Effect | undefined
  /** Up to this block the logs were looked through. */
  #scanned: number

  constructor(bundle: Bundle) {
    const call = bundle.calls.at(-1)
    this.#bundle = bundle
    this.#effect = call && effectOf({ ...bundle, call })
    this.#scanned = bundle.sentAfter
  }

  /**
   * The transactions of the calls; none where the allowance alone shows that they were mined. `undefined` while nothing shows it.
   * @param hashes the transactions that the wallet names, `mined` its receipts, `isWhole` whether these tell of every call
   */
  async find({
    hashes,
    mined,
    isWhole,
  }: Pick<CallsStatus, 'hashes' | 'mined' | 'isWhole'>): Promise<MinedCalls[] | undefined> {
    const { contract } = this.#bundle
    const hasLogs = mined.some(({ logs }) => logs.some(({ address }) => isAddressEqual(address, contract)))
    if (hasLogs && (isWhole || this.#isShownBy(mined))) return [...mined]
    // A wallet's word is not enough from here on: the node is asked.
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
      // One that no receipt of the wallet's tells of counts as the last call's.
      return [minedCalls(receipt, told.find((one) => one.hash === hash)?.functions ?? functions.slice(-1))]
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

/** What a call leaves on the chain, by which it is known whatever transaction it went in. */
interface Effect {
  /** Where its log is looked for, and by which topics: `null` for any. */
  readonly address: Address
  readonly topics: readonly (Hex | null)[]
  isShownBy(log: WalletLog): boolean
  /** Whether the chain shows it without a log. */
  isInForce(): Promise<boolean>
}

interface Called {
  readonly call: { readonly to: Address; readonly data: Hex }
  readonly account: Address
  readonly contract: Address
  readonly reads: Pick<ChainReads, 'allowance'>
}

/** The effect of what a wallet is given together with an approval: another approval, or subscribing. */
export function effectOf(called: Called): Effect | undefined {
  return approvalEffect(called) ?? subscribingEffect(called)
}

function approvalEffect({ call: { to, data }, account, contract, reads }: Called): Effect | undefined {
  const approval = approvalIn(data)
  if (approval === undefined || !isAddressEqual(approval.spender, contract)) return undefined
  const { spender, amount } = approval
  const event = { abi: erc20Abi, eventName: 'Approval', args: { owner: account, spender } } as const
  return {
    ...logOf(to, encodeEventTopics(event), (log) => {
      const values = attempt(() => decodeAbiParameters([{ type: 'uint256' }], log.data))
      return values?.[0] === amount
    }),
    // Not every token logs an approval. Remit may have taken of it by then, which is not seen here.
    async isInForce() {
      const allowance = await reads.allowance(to, account)
      return amount === 0n ? allowance === 0n : allowance >= amount
    },
  }
}

function subscribingEffect({ call: { data }, account, contract }: Called): Effect | undefined {
  const read = attempt(() => decodeFunctionData({ abi: subscriptionsAbi, data }))
  if (read?.functionName !== 'subscribe') return undefined
  const [{ id }] = read.args
  const event = { abi: subscriptionsAbi, eventName: 'SubLog', args: { id, subscriber: account } } as const
  return {
    ...logOf(contract, encodeEventTopics(event), ({ data, topics: [signature, ...indexed] }) => {
      if (signature === undefined) return false
      const topics: [Hex, ...Hex[]] = [signature, ...indexed]
      const decoded = attempt(() =>
        decodeEventLog({ abi: subscriptionsAbi, eventName: 'SubLog', data, topics }),
      )
      return decoded !== undefined && SUBSCRIPTION_EVENTS[decoded.args.subScriptEvent] === 'Subscribed'
    }),
    // Only its log says what was taken, so the log is waited for.
    isInForce: async () => false,
  }
}

/** An effect by its log. @param isMeant whether a log with these topics is the one */
function logOf(
  address: Address,
  encoded: readonly (Hex | readonly Hex[] | null)[],
  isMeant: (log: WalletLog) => boolean,
): Pick<Effect, 'address' | 'topics' | 'isShownBy'> {
  const topics = encoded.map((topic) => (typeof topic === 'string' ? topic : null))
  const isLike = ({ topics: given }: WalletLog) =>
    topics.every((topic, index) => topic === null || isSameHex(given[index], topic))
  return {
    address,
    topics,
    isShownBy: (log) => isAddressEqual(log.address, address) && isLike(log) && isMeant(log),
  }
}

/** What a decoder reads; `undefined` where it throws, for data of another form. */
function attempt<Read>(read: () => Read): Read | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
