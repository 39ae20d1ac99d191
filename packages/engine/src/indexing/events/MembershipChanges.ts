import { type Address, isAddressEqual } from 'viem'
import type { Chains } from '../../chain/Chains.ts'
import { CursorStaleError, SubscriptionNotFoundError } from '../../errors/chain.ts'
import { BlockGoneError } from '../../ports/chains.ts'
import type { ChainNode } from '../../ports/node.ts'
import type { PlacedEvent, PlacedPayment } from '../../ports/source.ts'

/** Says without an index which payments began or ended a membership: the logs say most, and the state before a block the rest. */
export class Memberships {
  readonly #chains: Chains
  readonly #node: ChainNode

  constructor(chains: Chains, node: ChainNode) {
    this.#chains = chains
    this.#node = node
  }

  /**
   * The payments with the providers of their subscriptions, and those of them with which a membership began or ended.
   * @param events all events of their blocks
   * @throws CursorStaleError where no node has the state that says it
   */
  async follow(payments: readonly PlacedPayment[], events: readonly PlacedEvent[], signal: AbortSignal) {
    const turned = new Set<PlacedPayment>()
    const followed: PlacedPayment[] = []
    for (const payment of payments) {
      // A clean-up's logs name the provider that its caller names.
      const provider =
        payment.kind === 'cleanedUp' ? await this.#providerOf(payment, signal) : payment.provider
      const one = { ...payment, provider }
      followed.push(one)
      if (!['period', 'feeFill'].includes(payment.kind) && (await this.#hasTurned(payment, events, signal)))
        turned.add(one)
    }
    return { payments: followed, turned }
  }

  /** The contract lets an account leave that is no member. Whoever joins is none, and it drops and removes members alone. */
  async #hasTurned(payment: PlacedPayment, events: readonly PlacedEvent[], signal: AbortSignal) {
    if (payment.kind !== 'left') return true
    const { subscriptionId, subscriber, blockNumber, logIndex, lastLogIndex } = payment
    const own = events.flatMap((placed) => {
      const { event } = placed
      if (placed.blockNumber !== blockNumber || event.type !== 'SubLog') return []
      if (event.id !== subscriptionId || event.subscriber === undefined) return []
      return isAddressEqual(event.subscriber, subscriber) ? [{ ...event, logIndex: placed.logIndex }] : []
    })
    // Members alone have a fee balance.
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
    const { chainId } = this.#node
    const readParent = async () => {
      const [parent, block] = await this.#node.headers([blockNumber - 1, blockNumber], signal)
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
      // The block is there, and its state is not: trying again does not help.
      throw new CursorStaleError()
    }
  }

  async #providerOf({ subscriptionId }: PlacedPayment, signal: AbortSignal): Promise<Address> {
    return this.#chains.withView(this.#node.chainId, { signal }, async (view) => {
      const { terms } = await view.read.subscription(subscriptionId)
      return terms.provider
    })
  }
}
