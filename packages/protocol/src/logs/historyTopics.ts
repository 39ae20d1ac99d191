import { ISubscriptions } from '@remit/contracts/ISubscriptions'
import { toEventSelector } from 'viem'

const KEPT: readonly string[] = ['SubLog', 'DetailsLog', 'ProvDetailsLog', 'CallerLog']

/** The first topics of the events that the index keeps. */
export const HISTORY_TOPICS = ISubscriptions.abi
  .filter((item) => item.type === 'event')
  .filter(({ name }) => KEPT.includes(name))
  .map((event) => toEventSelector(event))
