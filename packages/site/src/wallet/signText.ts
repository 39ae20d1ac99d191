import type { Hex } from 'viem'
import type { ConnectedWallet } from './wallet.ts'

/**
 * Has the wallet sign a text, which it shows. Throws what the wallet throws. viem's own hex would load with every page
 * that may ask for a signature.
 */
export function signText({ wallet: { provider }, address }: ConnectedWallet, text: string): Promise<Hex> {
  const bytes = Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0'))
  return provider.request({ method: 'personal_sign', params: [`0x${bytes.join('')}`, address] })
}
