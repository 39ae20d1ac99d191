import { Subscriptions } from '@remit/contracts/Subscriptions'
import { TestToken } from '@remit/contracts/TestToken'
import { type Address, formatUnits, type Log, parseEventLogs, zeroAddress } from 'viem'
import type { TestChain } from './useTestChain.ts'

const EVENTS = [
  'CREATE',
  'CANCEL',
  'PROVPAID',
  'FAILED',
  'PROVREFUND',
  'SUBPAID',
  'SUBSCRIBED',
  'UNSUBSCRIBED',
  'FEEFILL',
  'SUBREFUND',
] as const

const abi = [...Subscriptions.abi, ...TestToken.abi]

/**
 * Logs as short lines in their order, such as `SUBPAID alice 10` or `Transfer alice→provider 10`.
 *
 * Amounts are written in whole tokens: those of transfers by the token's decimals, all others by 18.
 */
export function describeLogs(chain: TestChain, logs: readonly Log[]): string[] {
  const nameOf = namesOn(chain)
  return parseEventLogs({ abi, logs: [...logs] }).map((log) => {
    switch (log.eventName) {
      case 'SubLog': {
        const { subscriber, amount, subScriptEvent } = log.args
        return `${EVENTS[subScriptEvent]} ${nameOf(subscriber)} ${formatUnits(amount, 18)}`
      }
      case 'DetailsLog':
        return `DetailsLog ${log.args.url} ${log.args.description}`
      case 'ProvDetailsLog':
        return `ProvDetailsLog ${log.args.company}`
      case 'CallerLog':
        return `CallerLog ${log.args.checkedDay} ${log.args.isFinished ? 'finished' : 'broken off'}`
      case 'UList':
        return `UList ${nameOf(log.args.subscriber)}`
      case 'Coordinates': {
        const { subscriberIndex, subscriptionIndex, frequency } = log.args
        return `Coordinates ${subscriberIndex},${subscriptionIndex},${frequency}`
      }
      case 'Transfer': {
        const decimals = log.address.toLowerCase() === chain.tokens.dai.toLowerCase() ? 18 : 6
        const { from, to, value } = log.args
        return `Transfer ${nameOf(from)}→${nameOf(to)} ${formatUnits(value, decimals)}`
      }
      default:
        return log.eventName
    }
  })
}

function namesOn({ wallets, contract }: TestChain): (address: Address) => string {
  const named: [string, string][] = Object.entries(wallets)
  const names = new Map(named.map(([name, address]) => [address.toLowerCase(), name]))
  names.set(contract.toLowerCase(), 'contract')
  names.set(zeroAddress, 'nobody')
  return (address) => names.get(address.toLowerCase()) ?? address
}
