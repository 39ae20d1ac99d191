import { type Client, clientWith } from '@remit/client/testing/createClient'
import { OwnWrites } from '@remit/client/testing/request/freshCaller'
import { createFlows, type Flows, type FlowsOptions } from '@remit/client/testing/sending/flows/createFlows'
import type { SendOptions } from '@remit/client/testing/sending/wallet/Wallet'
import { type Address, createWalletClient, custom, http } from 'viem'
import { afterEach } from 'vitest'
import { type Protocol, protocolOn, type Subscription } from '../support/chain/protocolOn.ts'
import { signerOf, type TestChain, useTestChain } from '../support/chain/useTestChain.ts'
import { type TestService, useTestService } from '../support/service/testService.ts'
import {
  type TestWallet,
  type TestWalletOptions,
  type TestWalletRequest,
  walletProvider,
} from '../support/wallets/walletProvider.ts'

/** A chain with the service and its client, a weekly subscription of 10 USDC, and alice with 1,000 USDC. */
export interface SendingGround {
  readonly chain: TestChain
  readonly protocol: Protocol
  readonly service: TestService
  readonly api: Client
  readonly flows: Flows
  readonly weekly: Subscription
  /** Flows over another api, say one that lies. */
  flowsOver(api: Client, options?: Pick<FlowsOptions, 'budget' | 'outstandingPermits'>): Flows
  /** A wallet in a browser, and what it was asked. */
  injected(account: Address, options?: InjectedOptions): Injected
}

export interface InjectedOptions extends Partial<TestWalletOptions> {
  /** What happens around a request, in place of the request alone. */
  readonly around?: (request: TestWalletRequest, go: () => Promise<unknown>) => Promise<unknown>
}

export interface Injected {
  readonly wallet: ReturnType<typeof walletOver>
  readonly provider: TestWallet
  /** Requests that a user would have to sign. */
  signatures(): readonly TestWalletRequest[]
}

/** Ground for tests of sending: `const ground = await useSendingGround()` at the top of the file. */
export async function useSendingGround(): Promise<SendingGround> {
  const chain = await useTestChain()
  const protocol = protocolOn(chain)
  const weekly = await protocol.create()
  await protocol.fund(chain.tokens.usdc, chain.wallets.alice, { balance: 1_000_000_000n })
  await chain.keep()
  const service = await useTestService([chain])
  // The chain is set back after each test, and what was written then is forgotten.
  let nowMs = 0
  afterEach(() => {
    nowMs += 3_600_000
  })
  // What a wallet still sends would fall into the next test.
  const wallets: TestWallet[] = []
  afterEach(async () => {
    await Promise.all(wallets.splice(0).map((wallet) => wallet.carriedOut()))
  })
  const ownWrites = new OwnWrites(() => nowMs)
  const api = clientWith(ownWrites, { url: service.url, retries: 0 })
  const { chainId } = chain
  const flowsOver: SendingGround['flowsOver'] = (served, options = {}) =>
    createFlows(served, { contracts: { [chainId]: chain.contract }, chainId, ownWrites, ...options })
  return {
    chain,
    protocol,
    service,
    api,
    weekly,
    flows: flowsOver(api),
    flowsOver,
    injected(account, { around = plainly, ...options } = {}) {
      const provider = walletProvider({ rpcUrl: chain.url, account, ...options })
      wallets.push(provider)
      const asked: TestWallet = {
        ...provider,
        request: (request) => around(request, () => provider.request(request)),
      }
      return {
        wallet: walletOver(asked),
        provider,
        signatures: () =>
          provider.requests.filter(({ method }) => /^(eth_send|eth_sign|wallet_send|personal_)/.test(method)),
      }
    },
  }
}

const plainly: NonNullable<InjectedOptions['around']> = (_, go) => go()

function walletOver(provider: TestWallet) {
  return createWalletClient({ transport: custom(provider) })
}

/** A wallet with a key in this process, which sends what it has signed by the chain's node. */
export function localWallet(chain: Pick<TestChain, 'url'>, index: number) {
  return createWalletClient({ account: signerOf(index), transport: http(chain.url, { retryCount: 0 }) })
}

/** The mnemonic's accounts by their number, as `chain.wallets` names them. */
export const SIGNERS = { provider: 1, alice: 3, bob: 4, keeper: 9 } as const

/** Blocks are mined at once here. */
export const QUICK: SendOptions = { pollingIntervalMs: 20, timeoutMs: 10_000 }
