import type { Hex } from 'viem'
import type { ConnectedWallet } from './wallet.ts'

/**
 * Has the wallet sign a text, which it shows. Throws what the wallet throws. The hex is made here: viem's function would
 * make every page larger that may ask for a signature.
 */
export function signText({ wallet: { provider }, address }: ConnectedWallet, text: string): Promise<Hex> {
  const bytes = Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0'))
  return provider.request({ method: 'personal_sign', params: [`0x${bytes.join('')}`, address] })
}
