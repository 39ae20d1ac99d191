import type { Page } from 'playwright-core'
import { type TestWallet, type TestWalletOptions, walletProvider } from '../wallets/walletProvider.ts'

export interface PageWalletOptions extends TestWalletOptions {
  /** What answers in its place, where it is another than a test wallet over the node: a smart account, say. */
  readonly inside?: TestWallet
  /** How a page finds it: by EIP-6963, or only as `window.ethereum`. */
  readonly found: 'announced' | 'window.ethereum'
  /** Its user answers no question about a signature before this. */
  readonly answersAfter?: Promise<void>
  /** Its user does not say before this whether the site may see the account. */
  readonly connectsAfter?: Promise<void>
}

export interface PageWallet extends TestWallet {
  /** Tells the page of something that the wallet's user did in the wallet. */
  tell(event: 'accountsChanged' | 'chainChanged', value: unknown): Promise<void>
}

const SIGNATURES = ['eth_sendTransaction', 'wallet_sendCalls']

let wallets = 0

/**
 * Puts a test wallet into a page as an extension does: the page gets its provider, and what it asks the chain
 * goes past the page, its content policy and its network.
 */
export async function giveWallet(page: Page, options: PageWalletOptions): Promise<PageWallet> {
  wallets += 1
  const { found, name = 'Test wallet' } = options
  const wallet = options.inside ?? walletProvider(options)
  const binding = `pageWallet${wallets}`
  await page.exposeFunction(binding, async (request: { method: string; params?: readonly unknown[] }) => {
    try {
      if (SIGNATURES.includes(request.method)) await options.answersAfter
      if (request.method === 'eth_requestAccounts') await options.connectsAfter
      return { result: await wallet.request(request) }
    } catch (error) {
      // An error's code would not come through by itself.
      const { code, message } = Object(error)
      return { code, message }
    }
  })
  const tell: PageWallet['tell'] = async (event, value) => {
    const detail = JSON.stringify({ event, value })
    await page.evaluate(`dispatchEvent(new CustomEvent('${binding}', { detail: ${detail} }))`)
  }
  wallet.on('chainChanged', (value) => void tell('chainChanged', value))
  await page.addInitScript({ content: script(binding, found, name) })
  return { ...wallet, tell }
}

/** What a wallet was asked to sign. */
export function signatures(wallet: PageWallet | undefined): string[] {
  const methods = (wallet?.requests ?? []).map(({ method }) => method)
  return methods.filter((method) => SIGNATURES.includes(method))
}

function script(binding: string, found: PageWalletOptions['found'], name: string): string {
  return `(() => {
    const listeners = []
    const provider = {
      async request({ method, params }) {
        const { result, code, message } = await window.${binding}({ method, params })
        if (message !== undefined) throw Object.assign(new Error(message), { code })
        return result
      },
      on: (event, listener) => listeners.push({ event, listener }),
      removeListener: (_event, listener) => listeners.splice(listeners.findIndex((one) => one.listener === listener), 1),
    }
    addEventListener('${binding}', ({ detail }) => {
      for (const { event, listener } of [...listeners]) if (event === detail.event) listener(detail.value)
    })
    if ('${found}' === 'window.ethereum') {
      Object.defineProperty(window, 'ethereum', { value: provider })
      return
    }
    const icon = 'data:image/svg+xml,' + encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><circle cx="12" cy="12" r="11" fill="teal"/></svg>')
    const info = { uuid: '${binding}', name: ${JSON.stringify(name)}, icon, rdns: 'test.${binding}' }
    const announce = () =>
      dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: Object.freeze({ info, provider }) }))
    addEventListener('eip6963:requestProvider', announce)
    announce()
  })()`
}
