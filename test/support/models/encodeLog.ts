import { ISubscriptions } from '@remit/contracts/ISubscriptions'
import type { EncodedLog } from '@remit/protocol/logs/events'
import { type Address, encodeAbiParameters, encodeEventTopics, erc20Abi, type Hex } from 'viem'

const EVENTS = [...ISubscriptions.abi, ...erc20Abi].filter((item) => item.type === 'event')

/** An event of the protocol or of a token, by its name in the ABI. */
export function eventNamed(eventName: string) {
  const event = EVENTS.find(({ name }) => name === eventName)
  if (event === undefined) throw new Error(`${eventName} is no event of the protocol or of a token`)
  return event
}

/** An event as a receipt has it. @param args by the names of the ABI, all of them */
export function encodeLog(
  address: Address,
  eventName: string,
  args: Readonly<Record<string, unknown>>,
): EncodedLog & { readonly topics: Hex[] } {
  const event = eventNamed(eventName)
  const plain = event.inputs.filter((input) => !('indexed' in input && input.indexed))
  const topics = encodeEventTopics({ abi: [event], args })
  return {
    address,
    topics: topics.filter((topic): topic is Hex => typeof topic === 'string'),
    data: encodeAbiParameters(
      plain,
      plain.map(({ name = '' }) => args[name]),
    ),
  }
}
