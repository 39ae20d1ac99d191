import { settled } from '@remit/testing/support/browser/settled'
import { usePageModules } from '@remit/testing/support/browser/usePageModules'
import { describe, expect, it, vi } from 'vitest'
import type { FoundWallet } from './found.ts'

usePageModules()

const A = '0x00000000000000000000000000000000000000aa'
const B = '0x00000000000000000000000000000000000000bb'
const C = '0x00000000000000000000000000000000000000cc'
const MAINNET = '0x1'

/** A wallet whose answers come when the test gives them. */
function walletOf(key: string) {
  const waiting = new Map<string, (answer: unknown) => void>()
  const listeners = new Set<readonly [event: string, listener: (value: unknown) => void]>()
  const provider = {
    request: ({ method }: { method: string }) =>
      new Promise((resolve) => {
        waiting.set(method, resolve)
      }),
    on: (event: string, listener: (value: unknown) => void) => listeners.add([event, listener]),
    removeListener(event: string, listener: (value: unknown) => void) {
      for (const one of listeners) if (one[0] === event && one[1] === listener) listeners.delete(one)
    },
  }
  return {
    // Safe: it is all of a wallet that is looked at here.
    wallet: { key, name: key, icon: undefined, provider } as unknown as FoundWallet,
    listeners,
    async answer(method: string, result: unknown) {
      waiting.get(method)?.(result)
      await settled()
    },
    tell(event: string, value: unknown) {
      for (const [name, listener] of [...listeners]) if (name === event) listener(value)
    },
  }
}

/** The module, and a wallet that has let the site see A and was not asked for its chain before. */
async function begin() {
  const { connect, connected, disconnect } = await import('./wallet.ts')
  const asked = walletOf('asked')
  const done = connect(asked.wallet)
  await asked.answer('eth_requestAccounts', [A])
  const shown = () => connected.value && [connected.value.address, connected.value.chainId]
  return { ...asked, connect, disconnect, done, shown }
}

describe('the connected wallet', () => {
  it('is on the account that the wallet named last, however slow its chain is to come', async () => {
    const { tell, answer, done, shown } = await begin()
    tell('accountsChanged', [B])
    tell('accountsChanged', [C])
    await answer('eth_chainId', MAINNET)
    await expect(done).resolves.toBe(true)
    expect(shown()).toEqual([C, 1])
    tell('accountsChanged', [A])
    tell('accountsChanged', [B])
    expect(shown()).toEqual([B, 1])
  })

  it('is on the chain that the wallet told of after it was asked', async () => {
    const { tell, answer, shown } = await begin()
    tell('chainChanged', '0x2105')
    expect(shown()).toEqual([A, 8453])
    await answer('eth_chainId', MAINNET)
    expect(shown()).toEqual([A, 8453])
  })

  it('is on the chain that it has switched to without telling: it is asked again', async () => {
    const { askChainAgain } = await import('./wallet.ts')
    const { answer, tell, shown } = await begin()
    await answer('eth_chainId', MAINNET)
    const again = askChainAgain()
    await answer('eth_chainId', '0x2105')
    await again
    expect(shown()).toEqual([A, 8453])
    // An event that comes meanwhile is newer than the answer.
    window.dispatchEvent(new Event('focus'))
    tell('chainChanged', '0xa')
    await answer('eth_chainId', MAINNET)
    expect(shown()).toEqual([A, 10])
  })

  it('is gone while it is locked, and there again when it is unlocked', async () => {
    const { tell, answer, shown } = await begin()
    await answer('eth_chainId', MAINNET)
    tell('accountsChanged', [])
    expect(shown()).toBeUndefined()
    tell('chainChanged', '0x2105')
    expect(shown()).toBeUndefined()
    tell('accountsChanged', [A])
    expect(shown()).toEqual([A, 8453])
  })

  it('is there without a break when it was locked and its user unlocks it to connect it', async () => {
    const { wallet, connect, tell, answer, shown } = await begin()
    await answer('eth_chainId', MAINNET)
    tell('accountsChanged', [])
    const again = connect(wallet)
    tell('accountsChanged', [B])
    expect(shown()).toEqual([B, 1])
    await answer('eth_requestAccounts', [B])
    expect(shown()).toEqual([B, 1])
    await expect(again).resolves.toBe(true)
  })

  it('that was locked when the page came is there when it is unlocked', async () => {
    const { wallet, answer, tell } = walletOf('asked')
    vi.stubGlobal('window', Object.assign(new EventTarget(), { ethereum: wallet.provider }))
    vi.stubGlobal('localStorage', { getItem: () => 'window.ethereum', setItem() {}, removeItem() {} })
    const { connected } = await import('./wallet.ts')
    await answer('eth_accounts', [])
    await answer('eth_chainId', MAINNET)
    expect(connected.value).toBeUndefined()
    tell('accountsChanged', [A])
    expect(connected.value).toMatchObject({ address: A, chainId: 1 })
  })

  it('stays away when it was let go of before its chain came', async () => {
    const { answer, disconnect, done, listeners, shown } = await begin()
    disconnect()
    await answer('eth_chainId', MAINNET)
    await expect(done).resolves.toBe(false)
    expect(shown()).toBeUndefined()
    expect(listeners.size).toBe(0)
  })

  it('is the one that was asked last: a late answer of another is dropped', async () => {
    const { connect, connected } = await import('./wallet.ts')
    const [silent, quick] = [walletOf('silent'), walletOf('quick')]
    const late = connect(silent.wallet)
    const done = connect(quick.wallet)
    await quick.answer('eth_requestAccounts', [B])
    await quick.answer('eth_chainId', MAINNET)
    await expect(done).resolves.toBe(true)
    await silent.answer('eth_requestAccounts', [A])
    await expect(late).resolves.toBe(false)
    expect(connected.value).toMatchObject({ address: B, wallet: { key: 'quick' } })
    expect(silent.listeners.size).toBe(0)
  })
})
