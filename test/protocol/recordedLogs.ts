import { type Address, encodeAbiParameters, encodeEventTopics, erc20Abi, type Hex } from 'viem'
import { ISubscriptions } from '../../contracts/generated/ISubscriptions.ts'
import type { RecordedLog } from '../../contracts/testing/life.ts'
import type { EncodedLog } from '../../src/protocol/logs/events.ts'

const EVENTS = [...ISubscriptions.abi, ...erc20Abi].filter((item) => item.type === 'event')

/** A recorded step's logs as its receipt had them. */
export function encodeRecorded(
  logs: readonly RecordedLog[],
  addressOf: (name: string) => Address,
): (EncodedLog & { logIndex: number })[] {
  return logs.map((log, logIndex) => {
    const event = EVENTS.find(({ name }) => name === log.event)
    if (event === undefined) throw new Error(`${log.event} is no event of the protocol or of a token`)
    const named = Object.fromEntries(
      event.inputs.map(({ name = '', type }) => {
        const value = log.args[name]
        if (type === 'address') return [name, addressOf(String(value))]
        return [name, type.startsWith('uint') && typeof value === 'string' ? BigInt(value) : value]
      }),
    )
    const plain = event.inputs.filter((input) => !('indexed' in input && input.indexed))
    const topics = encodeEventTopics({ abi: [event], args: named })
    return {
      address: addressOf(log.in),
      topics: topics.filter((topic): topic is Hex => typeof topic === 'string'),
      data: encodeAbiParameters(
        plain,
        plain.map(({ name = '' }) => named[name]),
      ),
      logIndex,
    }
  })
}
