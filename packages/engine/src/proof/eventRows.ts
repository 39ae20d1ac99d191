import { formatHuman, toRaw } from '@remit/protocol/amounts'
import { type DecodedLog, decodeLogs, type EncodedLog } from '@remit/protocol/logs/events'
import { type Address, getAddress } from 'viem'
import type { BlockView } from '../block/BlockView.ts'
import type { Facts } from '../block/facts.ts'
import { TokenNotApprovedError } from '../errors/chain.ts'
import type { LastingToken } from '../ports/chainReads.ts'
import type { EventRow } from '../schema/transaction.ts'

/** The tokens that the protocol knows, by checksummed address. */
export type KnownTokens = ReadonlyMap<Address, LastingToken>

/** How many unknown tokens are read: a stranger's transaction can name any number of contracts. */
const MOST_UNREAD_TOKENS = 16

/**
 * Logs as proofs and transactions state them, in their order.
 *
 * If the token is known, the amount stands beside `args` as a triple. The amount of a SubLog is never in `args`,
 * because it would be in the protocol's own units there.
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
      // Named as in the ABI, where a reader looks them up.
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

/** The tokens that the logs' amounts are of, each once. */
export function tokensNamed(logs: readonly EncodedLog[], contractAddress: Address): Address[] {
  const named = decodeLogs(logs, contractAddress).flatMap((event) => {
    if (event.type === 'SubLog') return [getAddress(event.token)]
    return event.type === 'Transfer' || event.type === 'Approval' ? [getAddress(event.log.address)] : []
  })
  return [...new Set(named)]
}

/**
 * The tokens that the protocol has approved, with their decimals. Those that are not known yet are read, all in one
 * tick. Other tokens are left out, because their decimals would be a guess.
 */
export async function resolveTokens(
  view: BlockView,
  facts: Facts,
  addresses: readonly Address[],
): Promise<KnownTokens> {
  const known = addresses.map((address) => [address, facts.token(address)] as const)
  const unread = known.flatMap(([address, token]) => (token === undefined ? [address] : []))
  const read = await Promise.all(
    unread.slice(0, MOST_UNREAD_TOKENS).map((address) => findToken(view, address)),
  )
  const found = [...known.map(([, token]) => token), ...read].filter((token) => token !== undefined)
  return new Map(found.map((token) => [getAddress(token.address), token]))
}

/** `undefined` where the protocol has not approved it. */
async function findToken(view: BlockView, address: Address): Promise<LastingToken | undefined> {
  try {
    return await view.read.token(address)
  } catch (error) {
    if (error instanceof TokenNotApprovedError) return undefined
    throw error
  }
}
