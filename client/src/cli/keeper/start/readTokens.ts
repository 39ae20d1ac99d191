import { type Address, getAddress } from 'viem'
import { isAddress } from '../../commands/words.ts'
import type { KeeperToken } from '../decide/weighRemit.ts'
import type { TokenReads } from '../node/TokenReads.ts'

/** More tokens than a protocol has; a longer list is not read to its end. */
const MOST_TOKENS = 200

/**
 * The tokens that prices can name: of those named by address and of those that the service lists, what the contract has
 * approved, with the symbols and decimals that the tokens tell themselves.
 */
export async function readTokens(
  priceTexts: readonly string[],
  listed: readonly Address[],
  tokens: TokenReads,
): Promise<KeeperToken[]> {
  if (priceTexts.length === 0) return []
  const named = priceTexts.flatMap((text) => {
    const [name = ''] = text.split('=').map((part) => part.trim())
    return isAddress(name) ? [getAddress(name)] : []
  })
  const addresses = new Map(
    [...named, ...listed.slice(0, MOST_TOKENS)].map((each) => [each.toLowerCase(), each]),
  )
  const read = [...addresses.values()].map(async (address) => {
    const isApproved = (await tokens.entryDecimals(address)) !== null
    return isApproved ? [await tokens.token(address)] : []
  })
  return (await Promise.all(read)).flat()
}
