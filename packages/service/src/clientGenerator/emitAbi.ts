import { ISubscriptions } from '@remit/contracts/ISubscriptions'
import * as z from 'zod'

/** The functions that the client signs calls of, and those that it reads to check them. */
const FUNCTIONS = [
  'createSubscription',
  'subscribe',
  'unsubscribe',
  'unsubscribeByProvider',
  'cancelSubscription',
  'editDetails',
  'editProvDetails',
  'remit',
  'idSubMap',
  'approvedERC20',
  'getAccountSubscriptions',
  'callerFee',
  'feeBalance',
  'getIdByTime',
  'nextUncheckedDay',
]

const Entry = z.looseObject({ type: z.string(), name: z.string() })

/** The contract's events and the functions that transactions of this client call. */
export function emitAbi(): string {
  const entries = ISubscriptions.abi.filter((entry) => {
    const { type, name } = Entry.parse(entry)
    return type === 'event' || (type === 'function' && FUNCTIONS.includes(name))
  })
  const found = entries.map((entry) => Entry.parse(entry).name)
  const missing = FUNCTIONS.filter((name) => !found.includes(name))
  if (missing.length > 0) throw new Error(`The contract has no ${missing.join(', ')}`)
  return [
    '/** The protocol’s events, and the functions that transactions of this client call. */',
    'export const subscriptionsAbi = [',
    ...entries.map((entry) => `  ${JSON.stringify(entry)},`),
    '] as const',
    '',
  ].join('\n')
}
