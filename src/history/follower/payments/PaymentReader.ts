import type { Address } from 'viem'
import type { ChainNode } from '../../../core/ports/node.ts'
import { matchPayments } from '../../../protocol/payments/matchPayments.ts'
import type { PlacedPayment } from '../../projection.ts'
import type { Step } from '../../source.ts'
import { type Dropping, readDropReasons } from './dropReasons.ts'
import { type Receipts, readReceipts } from './receipts.ts'

/** Reads what the events of a step moved, for every source alike: by the receipts of their transactions. */
export class PaymentReader {
  readonly #node: ChainNode
  /** The contract's entries for tokens. They are never changed once they are made. */
  readonly #decimals = new Map<Address, number>()

  constructor(node: ChainNode) {
    this.#node = node
  }

  /**
   * The step's payments, in the order of the chain.
   * @throws BlockGoneError, NodesDisagreeError: see readReceipts
   */
  async read(step: Step, signal: AbortSignal): Promise<readonly PlacedPayment[]> {
    const receipts = await readReceipts(this.#node, step, signal)
    if (receipts.size === 0) return []
    await this.#learnDecimals(step, signal)
    const placed = this.#match(receipts)
    const reasons = await readDropReasons(this.#node, placed, signal)
    return placed
      .map(({ payment }) => ({ ...payment, dropReason: reasons.get(payment) ?? null }))
      .sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
  }

  #match(receipts: Receipts): readonly Dropping[] {
    const decimalsOf = (token: Address) => this.#decimals.get(lower(token))
    return [...receipts].flatMap(([transactionHash, logs]) => {
      const [first] = logs
      if (first === undefined) return []
      const { blockNumber, blockHash } = first
      return matchPayments(logs, this.#node.contract, decimalsOf).map((payment) => ({
        payment: { ...payment, blockNumber, blockHash, transactionHash },
        block: { number: blockNumber, hash: blockHash },
        logs,
        decimals: decimalsOf(payment.token),
      }))
    })
  }

  async #learnDecimals({ events }: Step, signal: AbortSignal): Promise<void> {
    const tokens = new Set<Address>()
    for (const { event } of events) {
      if (event.type !== 'SubLog' || event.subscriber === undefined) continue
      if (!this.#decimals.has(lower(event.token))) tokens.add(lower(event.token))
    }
    if (tokens.size === 0) return
    const { head } = await this.#node.head(signal)
    for (const [token, decimals] of await this.#node.tokenDecimals([...tokens], head, signal)) {
      this.#decimals.set(token, decimals)
    }
  }
}

function lower(address: Address): Address {
  return `0x${address.slice(2).toLowerCase()}`
}
