import type { RecordedLog } from '@remit/contracts/testing/life'
import type { EncodedLog } from '@remit/protocol/logs/events'
import type { Address } from 'viem'
import { encodeLog, eventNamed } from '../support/models/encodeLog.ts'

/** A recorded step's logs as its receipt had them. */
export function encodeRecorded(
  logs: readonly RecordedLog[],
  addressOf: (name: string) => Address,
): (EncodedLog & { logIndex: number })[] {
  return logs.map((log, logIndex) => {
    const named = Object.fromEntries(
      eventNamed(log.event).inputs.map(({ name = '', type }) => {
        const value = log.args[name]
        if (type === 'address') return [name, addressOf(String(value))]
        return [name, type.startsWith('uint') && typeof value === 'string' ? BigInt(value) : value]
      }),
    )
    return { ...encodeLog(addressOf(log.in), log.event, named), logIndex }
  })
}
