import { FREQUENCIES, type Frequency } from '../subscription.ts'
import { chargeSubscriber } from './chargeSubscriber.ts'
import { payFees } from './payFees.ts'
import { type LiveSubscription, listOfDay, type RemitState, removeAt } from './remitBacklog.ts'
import { type RemitEffects, RemitReverted } from './remitEffects.ts'

/**
 * One call's walk over the due lists of one day: from the checkpoint, where there is one, until maxRemits subscribers
 * are processed or the day is done.
 */
export class DayWalk {
  readonly #state: RemitState
  readonly #run: RemitEffects
  readonly #dayNumber: number
  readonly #from: RemitState['checkpoint']
  /**
   * The highest position that is visited in a due list.
   *
   * Quirk: the checkpoint's subscription position also cuts the lists of later frequencies. Only a cancelled or paused
   * checkpoint lifts that.
   */
  #topPosition: number
  /** Whether the checkpoint has been met. Before that nobody is charged. */
  #resumed: boolean
  #processed = 0

  constructor(state: RemitState, run: RemitEffects) {
    this.#state = state
    this.#run = run
    this.#dayNumber = state.nextUncheckedDay
    this.#from = state.checkpoint
    this.#resumed = state.checkpoint === undefined
    this.#topPosition = state.checkpoint?.subscriptionPosition ?? Number.POSITIVE_INFINITY
  }

  /** Walks the four due lists of the state's next unchecked day, each from its end. */
  walk(): 'empty' | 'finished' | 'broken' {
    let empty = true
    for (const frequency of FREQUENCIES) {
      if (this.#from !== undefined && frequency < this.#from.frequency) continue
      const list = listOfDay(this.#state, this.#dayNumber, frequency)
      this.#noteSkipped(list, frequency)
      for (let position = Math.min(list.length, this.#topPosition); position >= 1; position -= 1) {
        const subscription = list[position - 1]
        if (subscription === undefined) throw new RangeError(`A due list has no position ${position}`)
        if (subscription.subscribers.length === 0) {
          removeAt(list, position)
          continue
        }
        // A day counts as non-empty also for subscriptions that are cancelled or paused.
        empty = false
        if (subscription.terms.cancelled || subscription.paused) {
          if (subscription.terms.cancelled) removeAt(list, position)
          this.#clearCheckpointAt(subscription)
          continue
        }
        if (this.#walkSubscribers(subscription, position, frequency) === 'broken') return 'broken'
      }
    }
    return empty ? 'empty' : 'finished'
  }

  /** Records the due subscriptions that the checkpoint's position cuts off: they lose this period. */
  #noteSkipped(list: readonly LiveSubscription[], frequency: Frequency): void {
    if (this.#from === undefined || frequency <= this.#from.frequency) return
    for (const { terms, paused, subscribers } of list.slice(this.#topPosition)) {
      const due = subscribers.length > 0 && !terms.cancelled && !paused
      if (due) this.#run.skipped.push({ id: terms.id, dayNumber: this.#dayNumber })
    }
  }

  #clearCheckpointAt(subscription: LiveSubscription): void {
    if (this.#resumed || this.#from?.id !== subscription.terms.id) return
    this.#resumed = true
    this.#topPosition = Number.POSITIVE_INFINITY
  }

  #walkSubscribers(
    subscription: LiveSubscription,
    subscriptionPosition: number,
    frequency: Frequency,
  ): 'done' | 'broken' {
    const { subscribers, terms } = subscription
    const live = subscribers.length - subscription.unsubscribedCount
    if (live < 0) throw new RemitReverted('listedExceedSubscribers')
    const top = this.#topSubscriber(subscription)
    if (top === undefined) return 'done'
    let fees = 0n
    for (let position = top; position >= 1; position -= 1) {
      if (this.#processed >= this.#state.backlog.maxRemits) {
        const { id } = terms
        this.#state.checkpoint = { id, subscriberPosition: position, subscriptionPosition, frequency }
        payFees(this.#state, this.#run, { subscription, fees })
        return 'broken'
      }
      // Quirk: where position 1 is on the unsubscribed list, the subscription's fees stay in the contract.
      if (subscribers[position - 1]?.isUnsubscribed === true) continue
      this.#processed += 1
      fees += chargeSubscriber(this.#state, this.#run, { subscription, position })
      if (position === 1 && live > 0) payFees(this.#state, this.#run, { subscription, fees })
    }
    return 'done'
  }

  /** The position to begin at, or `undefined` where the checkpoint is not in this subscription. */
  #topSubscriber({ subscribers, terms }: LiveSubscription): number | undefined {
    if (this.#resumed) return subscribers.length
    const position = this.#from?.subscriberPosition ?? 0
    if (this.#from?.id !== terms.id || position < 1 || position > subscribers.length) return undefined
    this.#resumed = true
    return position
  }
}
