import { type Address, getAddress } from 'viem'
import { formatHuman, toRaw } from '../../protocol/amounts.ts'
import { type DecodedLog, decodeLogs, type EncodedLog } from '../../protocol/logs/events.ts'
import type { EventRow } from '../../schema/transaction.ts'
import type { KnownTokens } from './eventTokens.ts'

/**
 * Logs as proofs and transactions state them, in their order.
 *
 * An amount is stated where its token is known, as the triple beside `args`; a SubLog's is never in `args`,
 * because there it would be in the protocol's own units.
 */
export function eventRows(
  logs: readonly EncodedLog[],
  contractAddress: Address,
  tokens: KnownTokens,
): EventRow[] {
  return decodeLogs(logs, contractAddress).map((event) => toRow(event, tokens))
}

function toRow(event: DecodedLog, tokens: KnownTokens): EventRow {
  const address = getAddress(event.log.address)
  switch (event.type) {
    case 'SubLog': {
      const { type, log: _, eventName, amount, subscriber, ...args } = event
      const decimals = tokens.get(getAddress(event.token))?.decimals
      return {
        event: type,
        address,
        eventName,
        args: { ...args, ...(subscriber === undefined ? {} : { subscriber }) },
        ...(decimals === undefined ? {} : triple(toRaw(amount, decimals), decimals)),
      }
    }
    case 'Transfer':
    case 'Approval': {
      const { type, log: _, amountRaw, ...args } = event
      const decimals = tokens.get(address)?.decimals
      return {
        event: type,
        address,
        args: { ...args, value: amountRaw.toString() },
        ...(decimals === undefined ? {} : triple(amountRaw, decimals)),
      }
    }
    case 'Coordinates': {
      const { type, log: _, subscriberPosition, subscriptionPosition, ...args } = event
      // Named as in the ABI, which is where a reader would look them up.
      const positions = { subscriberIndex: subscriberPosition, subscriptionIndex: subscriptionPosition }
      return { event: type, address, args: { ...args, ...positions } }
    }
    case 'Unknown':
      return { event: null, address, args: {} }
    default: {
      const { type, log: _, ...args } = event
      return { event: type, address, args }
    }
  }
}

function triple(amountRaw: bigint, tokenDecimals: number) {
  return { amount: formatHuman(amountRaw, tokenDecimals), amountRaw, tokenDecimals }
}
