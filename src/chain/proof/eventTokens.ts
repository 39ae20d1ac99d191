import { type Address, getAddress } from 'viem'
import type { LastingToken } from '../../core/chainReads.ts'
import { TokenNotApprovedError } from '../../errors/chain.ts'
import { decodeLogs, type EncodedLog } from '../../protocol/events.ts'
import type { BlockView } from '../block/BlockView.ts'
import type { Facts } from '../block/facts.ts'

/** The tokens that the protocol knows, by checksummed address. */
export type KnownTokens = ReadonlyMap<Address, LastingToken>

/** A transaction of strangers can name any number of contracts; beyond so many unread ones, none is read. */
const MOST_UNREAD_TOKENS = 16

/** The tokens that the logs' amounts are of, each once. */
export function tokensNamed(logs: readonly EncodedLog[], contractAddress: Address): Address[] {
  const named = decodeLogs(logs, contractAddress).flatMap((event) => {
    if (event.type === 'SubLog') return [getAddress(event.token)]
    return event.type === 'Transfer' || event.type === 'Approval' ? [getAddress(event.log.address)] : []
  })
  return [...new Set(named)]
}

/**
 * Those of the tokens that the protocol has approved, with their decimals: from what is known already, else
 * read, all in one tick. Others are left out, because their decimals would be a guess.
 */
export async function resolveTokens(
  view: BlockView,
  facts: Facts,
  addresses: readonly Address[],
): Promise<KnownTokens> {
  const known = addresses.map((address) => [address, facts.token(address)] as const)
  const unread = known.flatMap(([address, token]) => (token === undefined ? [address] : []))
  const read = await Promise.all(unread.slice(0, MOST_UNREAD_TOKENS).map((address) => find(view, address)))
  const found = [...known.map(([, token]) => token), ...read].filter((token) => token !== undefined)
  return new Map(found.map((token) => [getAddress(token.address), token]))
}

async function find(view: BlockView, address: Address): Promise<LastingToken | undefined> {
  try {
    return await view.read.token(address)
  } catch (error) {
    if (error instanceof TokenNotApprovedError) return undefined
    throw error
  }
}
