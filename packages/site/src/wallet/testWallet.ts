interface Asked {
  readonly method: string
  readonly params?: unknown
}

/** The index of its account at the node: one with money that the example data of the development chain does not use. */
const ACCOUNT = 11

const INFO = {
  uuid: '5d0f7c3a-0a1e-4f5b-9c39-31337a11ce00',
  name: 'Test wallet of this development chain',
  icon: `data:image/svg+xml,${encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><circle cx="12" cy="12" r="11" fill="#0f6b5c"/></svg>',
  )}`,
  rdns: 'remit.test-wallet',
}

/** EIP-1193 and EIP-3326: no such chain in this wallet. */
const UNKNOWN_CHAIN = 4902

/**
 * Announces an account of a development chain's node as a wallet (EIP-6963). The node has its key and signs whatever a
 * page asks for: the keys are public, and nothing there is worth anything.
 */
export function announceTestWallet(chainId: number, rpcUrl: string): void {
  const hex = `0x${chainId.toString(16)}`
  const ask = createAsker(rpcUrl)
  const provider = {
    async request({ method, params }: Asked): Promise<unknown> {
      switch (method) {
        case 'eth_accounts':
        case 'eth_requestAccounts': {
          const accounts = await ask({ method: 'eth_accounts' })
          const account = Array.isArray(accounts) ? (accounts[ACCOUNT] ?? accounts.at(-1)) : undefined
          return account === undefined ? [] : [account]
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
  const detail = Object.freeze({ info: INFO, provider })
  const announce = () => dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
  addEventListener('eip6963:requestProvider', announce)
  announce()
}

/** Asks a node over HTTP. It throws the node's own errors with their codes. */
function createAsker(rpcUrl: string): (asked: Asked) => Promise<unknown> {
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
