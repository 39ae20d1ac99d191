import { UniversalProvider } from '@walletconnect/universal-provider'
import type { EIP1193Provider } from 'viem'
import type { FoundWallet } from './found.ts'

interface PairingOptions {
  /** The operator's, at WalletConnect. */
  readonly projectId: string
  readonly chainId: number
  /** Gets what the wallet is to scan. It is not called where the wallet of an earlier visit is still there. */
  readonly onUri: (uri: string) => void
}

/** What a wallet is asked to allow: exactly what this site asks of wallets. */
const METHODS = [
  'eth_sendTransaction',
  'personal_sign',
  'wallet_switchEthereumChain',
  'wallet_getCapabilities',
  'wallet_sendCalls',
  'wallet_getCallsStatus',
]

/** Connects a wallet on another device, over WalletConnect's relay. Throws where the wallet or its user refuses. */
export async function pair({ projectId, chainId, onUri }: PairingOptions): Promise<FoundWallet> {
  const provider = await UniversalProvider.init({
    projectId,
    metadata: {
      name: 'Remit',
      description: 'Payments that repeat, on terms that cannot change.',
      url: location.origin,
      icons: [],
    },
    telemetryEnabled: false,
    logger: 'fatal',
  })
  if (provider.session === undefined) {
    provider.on('display_uri', onUri)
    const chains = [`eip155:${chainId}`]
    const events = ['accountsChanged', 'chainChanged']
    await provider.connect({ optionalNamespaces: { eip155: { chains, methods: METHODS, events } } })
  }
  const name = provider.session?.peer.metadata.name ?? 'WalletConnect'
  return {
    key: 'walletConnect',
    name,
    icon: undefined,
    // Safe: it is a provider by EIP-1193, only its type does not name the methods.
    provider: provider as unknown as EIP1193Provider,
    letGo: () => void provider.disconnect().catch(() => {}),
  }
}
