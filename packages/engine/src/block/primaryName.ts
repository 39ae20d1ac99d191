import {
  type Address,
  concatHex,
  decodeAbiParameters,
  type Hex,
  isAddressEqual,
  parseAbiParameters,
  toFunctionSelector,
  zeroAddress,
} from 'viem'
import { namehash, normalize } from 'viem/ens'
import { UpstreamError } from '../errors/chain.ts'
import { type BlockReader, findResult } from './BlockReader.ts'
import type { AtBlock } from './BlockView.ts'

/** The functions of ENS that are called. */
const RESOLVER = toFunctionSelector('resolver(bytes32)')
const NAME = toFunctionSelector('name(bytes32)')
const ADDR = toFunctionSelector('addr(bytes32)')

/** Gas of each call: a resolver is whatever contract the owner of a name has set. */
const MOST_GAS = 500_000n
const MOST_CHARACTERS = 255

/**
 * The name that an address goes by in a registry of names (ENS, Basenames), all read at one block; `null` where it has none.
 *
 * Anybody can claim any name for an address of their own. So it counts only if the name leads back to the address. Names that
 * are not written as ENSIP-15 has them are none, and what a resolver wants to be looked up elsewhere (EIP-3668) is not followed.
 *
 * Throws UpstreamError where no node answers.
 */
export async function readPrimaryName(
  blocks: BlockReader,
  at: AtBlock,
  registry: Address,
  address: Address,
): Promise<string | null> {
  const ask = async (to: Address, selector: Hex, node: Hex): Promise<Hex> => {
    const answer = await blocks.call(at, { to, data: concatHex([selector, node]), gas: MOST_GAS })
    if (answer.kind === 'refused') throw new UpstreamError(blocks.chainId, { cause: answer.error })
    return findResult(answer) ?? '0x'
  }
  const askResolver = async (selector: Hex, node: Hex) => {
    const resolver = asAddress(await ask(registry, RESOLVER, node))
    return isAddressEqual(resolver, zeroAddress) ? '0x' : ask(resolver, selector, node)
  }
  const reverse = `${address.slice(2).toLowerCase()}.${reverseZone(blocks.chainId)}`
  const claimed = asText(await askResolver(NAME, namehash(reverse)))
  if (!isName(claimed)) return null
  const owner = asAddress(await askResolver(ADDR, namehash(claimed)))
  return isAddressEqual(owner, address) ? claimed : null
}

/** Where addresses have their names, by ENSIP-19. */
function reverseZone(chainId: number): string {
  return chainId === 1 ? 'addr.reverse' : `${(0x8000_0000 + chainId).toString(16)}.reverse`
}

/** The zero address where something else was returned. */
function asAddress(returned: Hex): Address {
  try {
    return decodeAbiParameters(parseAbiParameters('address'), returned)[0]
  } catch {
    return zeroAddress
  }
}

function asText(returned: Hex): string {
  try {
    return decodeAbiParameters(parseAbiParameters('string'), returned)[0]
  } catch {
    return ''
  }
}

function isName(text: string): boolean {
  if (text.length > MOST_CHARACTERS || !text.includes('.')) return false
  try {
    return normalize(text) === text
  } catch {
    return false
  }
}
