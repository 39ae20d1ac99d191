import { RemitError } from '@remit/client'
import { api, apiUrl, chainId } from '../page/api.ts'
import { asked } from '../page/Resource.ts'
import { signText } from '../wallet/signText.ts'
import type { ConnectedWallet } from '../wallet/wallet.ts'
import { walletErrorWords } from '../wallet/walletErrorWords.ts'
import { errorWords } from '../words/errors.ts'
import { keepSecret } from './secret.ts'

/** Which wallet has signed in, if any: keys, webhooks, passes and waiting permissions are for their owner only. */
export const session = asked('getSession', {})

/**
 * Has the wallet sign a message for this site, and opens a session. Throws what the wallet or the service throws.
 * @param purpose what it is for, as the wallet shows it: a sentence
 */
export async function signIn(connected: ConnectedWallet, purpose: string): Promise<void> {
  const [createSiweMessage, { nonce, issuedAt }] = await Promise.all([
    // By `.then` the bundler sees that one export is used, and leaves out 20 KB that check such messages.
    import('viem/siwe').then(({ createSiweMessage }) => createSiweMessage),
    api.getSignInTerms({}),
  ])
  const message = createSiweMessage({
    address: connected.address,
    chainId: chainId ?? 1,
    domain: location.host,
    // The service's clock, which may differ from this machine's.
    issuedAt: new Date(issuedAt * 1000),
    nonce,
    statement: `${purpose} This costs nothing and moves nothing.`,
    uri: `${apiUrl}/portal`,
    version: '1',
  })
  const signature = await signText(connected, message)
  const { secret } = await api.signIn({ message, signature })
  keepSecret(secret)
  await session.refresh()
}

export async function signOut(): Promise<void> {
  await api.signOut({})
  keepSecret(undefined)
  await session.refresh()
}

/** Why signing in failed, by the wallet or by the service. */
export function signInErrorWords(error: unknown): string {
  return error instanceof RemitError ? errorWords(error) : walletErrorWords(error)
}
