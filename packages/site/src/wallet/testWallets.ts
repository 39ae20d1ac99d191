import { getAddress } from 'viem'
import type { PageChain, TestWallet } from '../page/pageContents.ts'

interface Asked {
  readonly method: string
  readonly params?: unknown
}

const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><circle cx="12" cy="12" r="11" fill="#0f6b5c"/></svg>',
)}`

type Ask = (asked: Asked) => Promise<unknown>

/** EIP-1193 and EIP-3326: no such chain in this wallet. */
const UNKNOWN_CHAIN = 4902

/**
 * Announces accounts of a development chain's node as wallets (EIP-6963), each as one, so that a visitor chooses among them. The
 * node has their keys and signs whatever a page asks for: the keys are public, and nothing there is worth anything.
 */
export function announceTestWallets({ chainId, devRpcUrl, testWallets = [] }: PageChain): void {
  if (devRpcUrl === null) return
  const ask = createAsker(devRpcUrl)
  const details = testWallets.map(({ account, name }) => {
    const info = {
      uuid: `5d0f7c3a-0a1e-4f5b-9c39-${String(account).padStart(12, '0')}`,
      name: `Test wallet: ${name}`,
      icon: ICON,
      rdns: `remit.test-wallet.${account}`,
    }
    return Object.freeze({ info, provider: createProvider(chainId, ask, account) })
  })
  const announce = () => {
    for (const detail of details) dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
  }
  addEventListener('eip6963:requestProvider', announce)
  announce()
}

function createProvider(chainId: number, ask: Ask, place: TestWallet['account']) {
  const hex = `0x${chainId.toString(16)}`
  return {
    async request({ method, params }: Asked): Promise<unknown> {
      switch (method) {
        case 'eth_accounts':
        case 'eth_requestAccounts': {
          const accounts = await ask({ method: 'eth_accounts' })
          const account: unknown = Array.isArray(accounts) ? accounts.at(place) : undefined
          // As the pages write addresses: a node answers in lower case.
          return typeof account === 'string' ? [getAddress(account)] : []
        }
        case 'eth_chainId':
          return hex
        case 'wallet_switchEthereumChain':
          if (Array.isArray(params) && params[0]?.chainId === hex) return null
          throw Object.assign(new Error('The test wallet is on its development chain alone.'), {
            code: UNKNOWN_CHAIN,
          })
        default:
          return ask({ method, params })
      }
    },
    // It stays on its chain, and its account never changes.
    on() {},
    removeListener() {},
  }
}

/** Asks a node over HTTP. It throws the node's own errors with their codes. */
function createAsker(rpcUrl: string): Ask {
  let id = 0
  return async ({ method, params = [] }) => {
    id += 1
    const response = await fetch(rpcUrl, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
    })
    const { result, error } = Object(await response.json())
    if (error === undefined) return result
    const { code, message, data } = Object(error)
    throw Object.assign(new Error(String(message)), { code, data })
  }
}
