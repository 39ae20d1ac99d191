import type { Address, Hex } from 'viem'
import { pageData } from '../page/pageData.ts'
import type { ConnectedWallet } from './wallet.ts'

/** The selector of `allowance(address,address)`. */
const ALLOWANCE = '0xdd62ed3e'
/** The selector of `nonces(address)`. */
const NONCES = '0x7ecebe00'

/**
 * How much of a token the contract may take from the wallet, in the token's smallest unit, by the wallet's own node.
 * Throws what the wallet throws, and RangeError for an answer that is no number.
 */
export async function readAllowance(connected: ConnectedWallet, token: Address): Promise<bigint> {
  const contract = pageData.chain?.contract
  if (contract == null) throw new RangeError('The page is about no chain')
  return ask(connected, token, `${ALLOWANCE}${word(connected.address)}${word(contract)}`)
}

/**
 * The number that the next permission signed for a token has, by the wallet's own node (`nonces` of EIP-2612 and of DAI).
 * Throws what the wallet throws, and RangeError where the token does not say.
 */
export function readNonce(connected: ConnectedWallet, token: Address): Promise<bigint> {
  return ask(connected, token, `${NONCES}${word(connected.address)}`)
}

/** Calls a view of the token that answers with one number. */
async function ask({ wallet }: ConnectedWallet, token: Address, data: Hex): Promise<bigint> {
  const answered = await wallet.provider.request({
    method: 'eth_call',
    params: [{ to: token, data }, 'latest'],
  })
  if (!/^0x[0-9a-f]{64}$/i.test(answered)) throw new RangeError('The token has told no number')
  return BigInt(answered)
}

/** An address as 32 bytes. */
function word(address: string): string {
  return address.slice(2).toLowerCase().padStart(64, '0')
}
