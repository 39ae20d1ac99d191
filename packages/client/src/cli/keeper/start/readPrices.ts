import { type Address, getAddress } from 'viem'
import { isAddress } from '../../commands/words.ts'
import { UsageError } from '../../invocation/CliError.ts'
import { type Decimal, parseDecimal } from '../decide/decimal.ts'
import type { Prices } from '../decide/weighRemit.ts'
import type { TokenReads } from '../node/TokenReads.ts'
import type { KeeperToken } from '../ports/ports.ts'

/** The prices of REMIT_PRICES, which are separated by commas, and of --price, which go before them. */
export function priceTexts(flags: readonly string[], environment: string | undefined): string[] {
  const fromEnvironment = (environment ?? '').split(',').filter((text) => text.trim() !== '')
  return [...fromEnvironment, ...flags].map((text) => text.trim())
}

/**
 * Reads `<token>=<ether for one token>`, the later ones first. A token is named by its address, or by its symbol
 * where one approved token alone has it. Throws UsageError.
 * @param tokens those that the protocol has approved, as the keeper's own node knows them
 */
export function readPrices(texts: readonly string[], tokens: readonly KeeperToken[]): Prices {
  const prices = new Map<string, Decimal>()
  for (const text of texts) {
    const [name = '', price = '', ...rest] = text.split('=').map((part) => part.trim())
    const decimal = rest.length === 0 ? parseDecimal(price) : undefined
    if (name === '' || decimal === undefined || decimal.digits < 0n) {
      throw new UsageError(`A price must be <token>=<ETH for one token>, such as USDC=0.0004, not "${text}".`)
    }
    const { address, decimals } = findToken(name, tokens)
    if (decimals === null) {
      throw new UsageError(
        `The token ${address} does not tell its decimals: a price for one of it means nothing.`,
      )
    }
    prices.set(address.toLowerCase(), decimal)
  }
  return prices
}

function findToken(name: string, tokens: readonly KeeperToken[]): KeeperToken {
  const wanted = name.toLowerCase()
  const found = tokens.filter(({ address, symbol }) =>
    isAddress(name) ? address.toLowerCase() === wanted : symbol?.toLowerCase() === wanted,
  )
  const [token, another] = found
  if (token === undefined) {
    const known = tokens.map(({ symbol, address }) => symbol ?? address).join(', ')
    throw new UsageError(
      `The protocol has not approved a token ${name}: it has ${known === '' ? 'none' : known}.`,
    )
  }
  if (another !== undefined) {
    throw new UsageError(`Several tokens call themselves ${name}: give the price by the token’s address.`)
  }
  return token
}

/** More tokens than the protocol has. The rest of a longer list is ignored. */
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
