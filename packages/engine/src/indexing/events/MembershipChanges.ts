import { type Address, isAddressEqual } from 'viem'
import type { Chains } from '../../chain/Chains.ts'
import { CursorStaleError, SubscriptionNotFoundError } from '../../errors/chain.ts'
import { BlockGoneError } from '../../ports/chains.ts'
import type { ChainNodes } from '../../ports/nodes.ts'
import type { PlacedEvent, PlacedPayment } from '../../ports/source.ts'

/**
 * Finds, for a client that reads a node without an index, with which payments a membership began or ended. The logs tell
 * most of it, the state before a block the rest.
 */
export class MembershipChanges {
  readonly #chains: Chains
  readonly #nodes: ChainNodes

  constructor(chains: Chains, nodes: ChainNodes) {
    this.#chains = chains
    this.#nodes = nodes
  }

  /**
   * The payments with the providers of their subscriptions, and those of them with which a membership began or ended.
   * @param events all events of their blocks
   * @throws CursorStaleError where no node has the state that tells it any more, so that reading on from there is impossible
   */
  async find(payments: readonly PlacedPayment[], events: readonly PlacedEvent[], signal: AbortSignal) {
    const changing = new Set<PlacedPayment>()
    const withProviders: PlacedPayment[] = []
    for (const payment of payments) {
      // A clean-up's logs name the provider that its caller names.
      const provider =
        payment.kind === 'cleanedUp' ? await this.#providerOf(payment, signal) : payment.provider
      const one = { ...payment, provider }
      withProviders.push(one)
      if (await this.#changesMembership(payment, events, signal)) changing.add(one)
    }
    return { payments: withProviders, changing }
  }

  /**
   * Charges of remit change no membership. A first charge begins one, a drop, a removal and a clean-up end one. Only leaving is
   * in doubt: the contract lets an account leave that is no member.
   */
  async #changesMembership(payment: PlacedPayment, events: readonly PlacedEvent[], signal: AbortSignal) {
    if (payment.kind === 'period' || payment.kind === 'feeFill') return false
    if (payment.kind !== 'left') return true
    const { subscriptionId, subscriber, blockNumber, logIndex, lastLogIndex } = payment
    const own = events.flatMap((placed) => {
      const { event } = placed
      if (placed.blockNumber !== blockNumber || event.type !== 'SubLog') return []
      if (event.id !== subscriptionId || event.subscriber === undefined) return []
      return isAddressEqual(event.subscriber, subscriber) ? [{ ...event, logIndex: placed.logIndex }] : []
    })
    // Who leaves has the fee balance paid out to the provider. Only members have one.
    const refund = own.find(
      (log) =>
        log.eventName === 'ProviderRefunded' && log.logIndex > logIndex && log.logIndex <= lastLogIndex,
    )
    if (refund !== undefined && refund.amount > 0n) return true
    const earlier = own.findLast(
      (log) => log.logIndex < logIndex && ['Subscribed', 'Unsubscribed'].includes(log.eventName),
    )
    if (earlier !== undefined) return earlier.eventName === 'Subscribed'
    return this.#wasMemberBefore(payment, signal)
  }

  /** By the state of the block before. */
  async #wasMemberBefore(
    { subscriptionId, subscriber, blockNumber, blockHash }: PlacedPayment,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { chainId } = this.#nodes
    const readParent = async () => {
      const [parent, block] = await this.#nodes.headers([blockNumber - 1, blockNumber], signal)
      if (parent !== undefined && block?.hash === blockHash) return parent
      throw new BlockGoneError(`block ${blockNumber} was reorganised away while its events were read`)
    }
    const block = await readParent()
    try {
      return await this.#chains.withView(chainId, { block, signal }, async ({ read }) => {
        const { isSubscribed } = await read.membershipState(subscriptionId, subscriber, subscriber)
        return isSubscribed
      })
    } catch (error) {
      if (error instanceof SubscriptionNotFoundError) return false
      if (!(error instanceof BlockGoneError)) throw error
      await readParent()
      // The block is there, and its state is not: reading on from this position will never work.
      throw new CursorStaleError()
    }
  }

  async #providerOf({ subscriptionId }: PlacedPayment, signal: AbortSignal): Promise<Address> {
    return this.#chains.withView(this.#nodes.chainId, { signal }, async (view) => {
      const { terms } = await view.read.subscription(subscriptionId)
      return terms.provider
    })
  }
}
