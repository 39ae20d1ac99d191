import type { EIP1193Provider } from 'viem'
import type { PageChain } from '../page/pageContents.ts'

/** What a wallet must be told of a chain that it does not know yet (EIP-3085). */
interface AddedChain {
  readonly chainName: string
  readonly rpcUrls: readonly string[]
  readonly blockExplorerUrls?: readonly string[]
}

/** By chain id. Any other chain a wallet must know already. */
const CHAINS: Readonly<Record<number, AddedChain>> = {
  8453: {
    chainName: 'Base',
    rpcUrls: ['https://mainnet.base.org'],
    blockExplorerUrls: ['https://basescan.org'],
  },
  84532: {
    chainName: 'Base Sepolia',
    rpcUrls: ['https://sepolia.base.org'],
    blockExplorerUrls: ['https://sepolia.basescan.org'],
  },
}

function addedChain({ chainId, devRpcUrl }: PageChain): AddedChain | undefined {
  if (devRpcUrl === null) return CHAINS[chainId]
  return { chainName: 'Remit development chain', rpcUrls: [devRpcUrl] }
}

/** Asks the wallet to switch, and to learn the chain first where it does not know it. Throws what the wallet throws. */
export async function switchChain(provider: EIP1193Provider, chain: PageChain): Promise<void> {
  const hex = `0x${chain.chainId.toString(16)}` as const
  const change = () => provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: hex }] })
  try {
    await change()
  } catch (error) {
    const added = addedChain(chain)
    // EIP-3326: the wallet does not know the chain.
    if (added === undefined || Object(error).code !== 4902) throw error
    const { rpcUrls, blockExplorerUrls = [], ...rest } = added
    await provider.request({
      method: 'wallet_addEthereumChain',
      params: [
        {
          chainId: hex,
          nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
          ...rest,
          rpcUrls: [...rpcUrls],
          blockExplorerUrls: [...blockExplorerUrls],
        },
      ],
    })
    await change()
  }
}
