import type { ConnectedWallet } from './wallet.ts'

/**
 * The client that prepares and checks, and the wallet that signs: `{ client, wallet }`, for a connected wallet. Their code
 * (`signing.ts`) is a chunk of its own, loaded when somebody is about to sign and not before.
 */
export async function openSigning(connected: ConnectedWallet) {
  const signing = await import('./signing.ts')
  return signing.openSigning(connected)
}
