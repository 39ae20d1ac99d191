/** What the hooks need around them: a wagmi config, a QueryClient and a client of Remit. */
import { createClient } from '@remit/client'
import { RemitProvider } from '@remit/react'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { foundry } from 'viem/chains'
import { createConfig, http, WagmiProvider } from 'wagmi'
import { Plan } from './Plan.tsx'

// `npm start` is here; REMIT and RPC of another build are set by VITE_REMIT_URL and VITE_RPC_URL.
const { VITE_REMIT_URL = 'http://127.0.0.1:3000', VITE_RPC_URL = 'http://127.0.0.1:8545' } = import.meta.env

const config = createConfig({ chains: [foundry], transports: { [foundry.id]: http(VITE_RPC_URL) } })
const queryClient = new QueryClient()
const client = createClient({
  url: VITE_REMIT_URL,
  // Base and Base Sepolia are known to the client. This is the development chain's, the same on every machine.
  contracts: { [foundry.id]: '0x5FbDB2315678afecb367f032d93F642f64180aa3' },
})

const plan = new URLSearchParams(location.search).get('plan') ?? ''
const root = document.getElementById('root')
if (root === null) throw new Error('The page has no root')
createRoot(root).render(
  <StrictMode>
    <WagmiProvider config={config}>
      <QueryClientProvider client={queryClient}>
        <RemitProvider client={client}>
          {isId(plan) ? <Plan id={plan} /> : <p>Name a plan in the address: ?plan=0x…</p>}
        </RemitProvider>
      </QueryClientProvider>
    </WagmiProvider>
  </StrictMode>,
)

function isId(text: string): text is `0x${string}` {
  return /^0x[0-9a-f]{64}$/i.test(text)
}
