import type { Address } from 'viem'
import type { DecodedLog, EncodedLog, SubLog } from '../logs/events.ts'

/** A token's Transfer log. */
export interface TransferLog {
  readonly token: Address
  readonly from: Address
  readonly to: Address
  readonly amountRaw: bigint
  readonly logIndex: number
}

/** A log of the contract, with the transfers between it and the contract's next log. */
export interface LogWithTransfers {
  readonly event: string
  /** Set for a SubLog. */
  readonly log: SubLog | undefined
  /** The day that remit was walking, where it is a Coordinates. */
  readonly coordinates: number | undefined
  /** Who called remit, where it is a CallerLog. */
  readonly caller: Address | undefined
  readonly logIndex: number
  readonly transfers: readonly TransferLog[]
}

/** The contract's logs in their order. Transfers before the first one belong to nothing. */
export function logsWithTransfers<Log extends EncodedLog & { readonly logIndex: number }>(
  logs: readonly DecodedLog<Log>[],
): readonly LogWithTransfers[] {
  const found: (LogWithTransfers & { transfers: TransferLog[] })[] = []
  for (const decoded of logs) {
    const { logIndex, address: token } = decoded.log
    switch (decoded.type) {
      case 'Unknown':
      case 'Approval':
        break
      case 'Transfer': {
        const { from, to, amountRaw } = decoded
        found.at(-1)?.transfers.push({ token, from, to, amountRaw, logIndex })
        break
      }
      default:
        found.push({
          event: decoded.type === 'SubLog' ? decoded.eventName : decoded.type,
          log: decoded.type === 'SubLog' ? decoded : undefined,
          coordinates: decoded.type === 'Coordinates' ? decoded.nextUncheckedDay : undefined,
          caller: decoded.type === 'CallerLog' ? decoded.caller : undefined,
          logIndex,
          transfers: [],
        })
    }
  }
  return found
}
