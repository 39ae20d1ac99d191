import type { ConnectedWallet } from './wallet.ts'

/**
 * What signs, for a connected wallet: `{ client, wallet }`. It is a chunk of its own, which is loaded when somebody is
 * about to sign and not before.
 */
export async function openSigning(connected: ConnectedWallet) {
  const signing = await import('./signing.ts')
  return signing.openSigning(connected)
}
