import { toRaw } from '@remit/protocol/amounts'
import { type Address, decodeEventLog, formatUnits, isAddressEqual } from 'viem'
import { subscriptionsAbi } from '../../generated/abi.ts'
import type { MinedCalls, WalletLog } from './MinedCalls.ts'
import { type ProtocolEvent, SUBSCRIPTION_EVENTS } from './ProtocolEvent.ts'

/**
 * The contract's logs in mined transactions, in order. Logs of others are left out.
 * @param decimalsOf the contract's entry for a token; `null` where it cannot be read
 */
export async function decodeEvents(
  contract: Address,
  mined: readonly Pick<MinedCalls, 'hash' | 'logs'>[],
  decimalsOf: (token: Address) => Promise<number | null>,
): Promise<ProtocolEvent[]> {
  const events: ProtocolEvent[] = []
  for (const { hash: transactionHash, logs } of mined) {
    for (const log of logs.filter(({ address }) => isAddressEqual(address, contract))) {
      const decoded = decodeLog(log)
      if (decoded === undefined) continue
      if (decoded.eventName !== 'SubLog') {
        // Safe: viem pairs every name with its arguments, and the pairing is only lost in the spreading.
        events.push({ event: decoded.eventName, args: decoded.args, transactionHash } as ProtocolEvent)
        continue
      }
      const { args } = decoded
      const eventName = SUBSCRIPTION_EVENTS[args.subScriptEvent]
      if (eventName === undefined) continue
      const tokenDecimals = await decimalsOf(args.token)
      const amountRaw = tokenDecimals === null ? null : toRaw(args.amount, tokenDecimals)
      const amount =
        amountRaw === null || tokenDecimals === null ? null : formatUnits(amountRaw, tokenDecimals)
      events.push({ event: 'SubLog', eventName, args, transactionHash, amount, amountRaw, tokenDecimals })
    }
  }
  return events
}

/** What one of the contract's logs says; `undefined` for one that is not its own. */
export function decodeLog({ data, topics }: WalletLog) {
  const [signature, ...indexed] = topics
  if (signature === undefined) return undefined
  try {
    return decodeEventLog({ abi: subscriptionsAbi, data, topics: [signature, ...indexed] })
  } catch {
    return undefined
  }
}
