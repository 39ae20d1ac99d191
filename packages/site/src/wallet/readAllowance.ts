import type { Address, Hex } from 'viem'
import { pageData } from '../page/pageData.ts'
import type { ConnectedWallet } from './wallet.ts'

/** The selector of `allowance(address,address)`. */
const ALLOWANCE = '0xdd62ed3e'

/**
 * How much of a token the contract may take from the wallet, in the token's smallest unit, by the wallet's own node.
 * Throws what the wallet throws, and RangeError for an answer that is no amount.
 */
export async function readAllowance({ wallet, address }: ConnectedWallet, token: Address): Promise<bigint> {
  const contract = pageData.chain?.contract
  if (contract == null) throw new RangeError('The page is about no chain')
  const data: Hex = `${ALLOWANCE}${word(address)}${word(contract)}`
  const answered = await wallet.provider.request({
    method: 'eth_call',
    params: [{ to: token, data }, 'latest'],
  })
  if (!/^0x[0-9a-f]{64}$/i.test(answered)) throw new RangeError('The token has told no amount')
  return BigInt(answered)
}

/** An address as 32 bytes. */
function word(address: string): string {
  return address.slice(2).toLowerCase().padStart(64, '0')
}
