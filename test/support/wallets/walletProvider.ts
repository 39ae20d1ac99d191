import type { Address, Hex } from 'viem'

/** What a test wallet is like. All of it is JSON, so that it can be handed to a page. */
export interface TestWalletOptions {
  /** Anvil, or a node like it, that holds the account's key. */
  readonly rpcUrl: string
  readonly account: Address
  /** Whether it has `wallet_sendCalls` and what belongs to it; true where it is left out. */
  readonly sendsCalls?: boolean
  /** Whether it tells receipts with the status of its calls; true where it is left out. */
  readonly tellsReceipts?: boolean
  /** How often its user says yes to what is to be signed, and no from then on; always where it is left out. */
  readonly approvals?: number
  /** The chain that it says it is on until it is asked to switch; the node's own where it is left out. */
  readonly chainId?: number
  /** Methods that it refuses, by the code that it refuses them with. */
  readonly refuses?: Readonly<Record<string, number>>
  /** Whether it says that it asks paymasters. */
  readonly asksPaymasters?: boolean
  readonly name?: string
}

export interface TestWalletRequest {
  readonly method: string
  readonly params?: readonly unknown[]
}

/** An EIP-1193 provider that remembers what it was asked. */
export interface TestWallet {
  readonly requests: TestWalletRequest[]
  /** Waits for what it has taken on by `wallet_sendCalls`: whoever gave it may have stopped waiting before. */
  carriedOut(): Promise<void>
  request(request: TestWalletRequest): Promise<unknown>
  on(event: string, listener: (value: unknown) => void): void
  removeListener(event: string, listener: (value: unknown) => void): void
}

/**
 * A wallet for tests: an EIP-1193 provider over a node that signs. Its `wallet_sendCalls` is that of EIP-5792,
 * version 2.0.0, without atomicity: one transaction after the other, and none after one that reverted.
 *
 * It imports nothing and refers to nothing outside itself, because `walletScript` hands its source to a page.
 */
export function walletProvider(options: TestWalletOptions): TestWallet {
  const { rpcUrl, account, sendsCalls = true, approvals = Number.POSITIVE_INFINITY } = options
  const requests: TestWalletRequest[] = []
  const listeners = new Map<string, Set<(value: unknown) => void>>()
  const batches = new Map<string, { chainId: unknown; hashes: unknown[]; calls: number }>()
  const works: Promise<void>[] = []
  let pretended = options.chainId
  let signatures = 0
  let asked = 0

  interface Receipt {
    status: Hex
    logs: { address: Hex; data: Hex; topics: Hex[] }[]
    blockHash: Hex
    blockNumber: Hex
    gasUsed: Hex
    transactionHash: Hex
  }

  function refusal(code: number, message: string) {
    return Object.assign(new Error(message), { code })
  }

  async function node(method: string, params: readonly unknown[] = []): Promise<unknown> {
    asked += 1
    const response = await fetch(rpcUrl, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: asked, method, params }),
    })
    // Taken on trust: the node is the test's own, and a page has no zod.
    const answer = (await response.json()) as { result?: unknown; error?: { code: number; message: string } }
    if (answer.error) throw Object.assign(new Error(answer.error.message), answer.error)
    return answer.result
  }

  async function chainId(): Promise<unknown> {
    return pretended === undefined ? node('eth_chainId') : `0x${pretended.toString(16)}`
  }

  function sign() {
    signatures += 1
    if (signatures > approvals) throw refusal(4001, 'User rejected the request.')
  }

  function receiptOf(hash: unknown): Promise<Receipt | null> {
    return node('eth_getTransactionReceipt', [hash]) as Promise<Receipt | null>
  }

  async function minedReceipt(hash: unknown): Promise<Receipt> {
    for (;;) {
      const receipt = await receiptOf(hash)
      if (receipt !== null) return receipt
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  interface Call {
    to: Hex
    data: Hex
    value?: Hex
  }

  async function sendCalls(request: { from: Hex; chainId: Hex; calls: Call[] }) {
    if (request.chainId !== (await chainId())) throw refusal(5710, 'This chain is not supported.')
    sign()
    const id = `calls-${Math.random().toString(16).slice(2)}`
    const batch = { chainId: request.chainId, hashes: [] as unknown[], calls: request.calls.length }
    batches.set(id, batch)
    // Answered at once, as wallets do: what becomes of the calls is for wallet_getCallsStatus to tell.
    const carryOut = async () => {
      for (const { to, data, value = '0x0' } of request.calls) {
        const before = batch.hashes.at(-1)
        if (before !== undefined && (await minedReceipt(before)).status !== '0x1') break
        // With a gas limit of its own: the node then mines what reverts, too.
        const transaction = { from: request.from, to, data, value, gas: '0x4c4b40' }
        batch.hashes.push(await node('eth_sendTransaction', [transaction]))
      }
    }
    // Only a node that is gone fails here, and then nobody is left who would ask.
    works.push(carryOut().catch(() => {}))
    return { id }
  }

  async function callsStatus(id: string) {
    const batch = batches.get(id)
    if (batch === undefined) throw refusal(5730, 'No calls have this id.')
    const found = await Promise.all(batch.hashes.map(receiptOf))
    const receipts = found.filter((receipt) => receipt !== null)
    const succeeded = receipts.filter((receipt) => receipt.status === '0x1').length
    const failed = receipts.length - succeeded
    const done = failed > 0 || succeeded === batch.calls
    const status = !done ? 100 : failed === 0 ? 200 : succeeded === 0 ? 500 : 600
    if (options.tellsReceipts === false) return { version: '2.0.0', id, chainId: batch.chainId, status }
    return {
      version: '2.0.0',
      id,
      chainId: batch.chainId,
      status,
      atomic: false,
      receipts: receipts.map(({ logs, status, blockHash, blockNumber, gasUsed, transactionHash }) => ({
        logs: logs.map(({ address, data, topics }) => ({ address, data, topics })),
        status,
        blockHash,
        blockNumber,
        gasUsed,
        transactionHash,
      })),
    }
  }

  async function request({ method, params = [] }: TestWalletRequest): Promise<unknown> {
    requests.push({ method, params })
    const refused = options.refuses?.[method]
    if (refused !== undefined) throw refusal(refused, `The method ${method} is not supported.`)
    const [first] = params
    switch (method) {
      case 'eth_accounts':
      case 'eth_requestAccounts':
        return [account]
      case 'eth_chainId':
        return chainId()
      case 'wallet_switchEthereumChain': {
        const own = await node('eth_chainId')
        const { chainId: asked } = first as { chainId: unknown }
        if (asked !== own) throw refusal(4902, `The wallet does not know the chain ${asked}.`)
        pretended = undefined
        for (const listener of listeners.get('chainChanged') ?? []) listener(own)
        return null
      }
      case 'eth_sendTransaction':
        sign()
        return node(method, params)
      case 'wallet_getCapabilities':
      case 'wallet_sendCalls':
      case 'wallet_getCallsStatus':
        if (!sendsCalls) throw refusal(4200, `The method ${method} is not supported.`)
        if (method === 'wallet_sendCalls') return sendCalls(first as Parameters<typeof sendCalls>[0])
        if (method === 'wallet_getCallsStatus') return callsStatus(String(first))
        return {
          [String(await chainId())]: {
            atomic: { status: 'unsupported' },
            ...(options.asksPaymasters === true ? { paymasterService: { supported: true } } : {}),
          },
        }
      default:
        return node(method, params)
    }
  }

  return {
    requests,
    carriedOut: async () => void (await Promise.all(works)),
    request,
    on(event, listener) {
      listeners.set(event, (listeners.get(event) ?? new Set()).add(listener))
    },
    removeListener(event, listener) {
      listeners.get(event)?.delete(listener)
    },
  }
}

/**
 * A script that puts the wallet into a page before the page's own scripts run: as `window.ethereum`, and
 * announced as EIP-6963 says. Playwright: `page.addInitScript({ content: walletScript(options) })`.
 *
 * What it was asked is then `window.ethereum.requests`.
 */
export function walletScript(options: TestWalletOptions): string {
  return `(() => {
    // Some compilers wrap functions in this helper to keep their names, and leave the helper outside.
    const __name = (value) => value
    const wallet = (${walletProvider.toString()})(${JSON.stringify(options)})
    const detail = Object.freeze({
      info: Object.freeze({
        uuid: crypto.randomUUID ? crypto.randomUUID() : '350670db-19fa-4704-a166-e52e178b59d2',
        name: ${JSON.stringify(options.name ?? 'Test wallet')},
        icon: 'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg"/>',
        rdns: 'test.wallet',
      }),
      provider: wallet,
    })
    const announce = () => window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
    Object.defineProperty(window, 'ethereum', { value: wallet })
    window.addEventListener('eip6963:requestProvider', announce)
    announce()
  })()`
}
