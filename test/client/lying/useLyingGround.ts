import { createClient } from '@remit/client/testing/createClient'
import { createFlows, type Flows } from '@remit/client/testing/sending/flows/createFlows'
import type { Flow } from '@remit/client/testing/sending/flows/Flow'
import type { SendOptions, Wallet } from '@remit/client/testing/sending/wallet/Wallet'
import { StubbornAllowanceToken } from '@remit/contracts/StubbornAllowanceToken'
import { type Account, type Address, createWalletClient, custom } from 'viem'
import { approvedToken } from '../../support/chain/approvedToken.ts'
import { protocolOn, units } from '../../support/chain/protocolOn.ts'
import { signerOf, useTestChain } from '../../support/chain/useTestChain.ts'
import { useTestService } from '../../support/service/testService.ts'
import {
  type TestWallet,
  type TestWalletRequest,
  walletProvider,
} from '../../support/wallets/walletProvider.ts'
import { QUICK } from '../sendingGround.ts'
import { type LyingProxy, useLyingProxy } from './LyingProxy.ts'
import type { Attacker } from './lies.ts'

/** Who sends, and what. */
export interface FlowCase {
  /** The mnemonic's account by its number. */
  readonly signer: number
  send(flows: Flows, wallet: Wallet, options: SendOptions): Promise<unknown>
  /** Prepares first, and sends that answer then. */
  sendPrepared(flows: Flows, wallet: Wallet, options: SendOptions): Promise<unknown>
}

export type WalletKind = 'with wallet_sendCalls' | 'without' | 'with a key of its own'

export interface Asked {
  /** What the wallet was asked that is not reading, to the byte. */
  readonly requests: readonly TestWalletRequest[]
  readonly failure: unknown
}

/**
 * A chain that stands still, an honest service on it with a proxy before it that lies, and every flow of the client.
 * Wallets refuse to sign: all of it is about what they are asked.
 */
export interface LyingGround {
  readonly proxy: LyingProxy
  readonly attacker: Attacker
  readonly flows: Readonly<Record<string, FlowCase>>
  readonly chainId: number
  /** Sends a flow by the proxy; `beforehand` prepares it first and sends that answer. */
  ask(
    flow: FlowCase,
    kind: WalletKind,
    chainId: number | undefined,
    options?: SendOptions & { readonly beforehand?: boolean },
  ): Promise<Asked>
}

export const DETAILS = { url: 'https://provider.example', description: 'A plan' }
const PROFILE = {
  description: 'd',
  company: 'c',
  url: 'https://c.example',
  domain: 'c.example',
  email: 'f',
  misc: '',
}
const [PROVIDER, ALICE, BOB, CAROL, KEEPER] = [1, 3, 4, 5, 9]

export async function useLyingGround(): Promise<LyingGround> {
  const chain = await useTestChain()
  const protocol = protocolOn(chain)
  const { alice, bob, carol, dave, stranger } = chain.wallets
  const { usdc, dai } = chain.tokens
  const { chainId, contract } = chain

  const weekly = await protocol.create()
  const dearer = await protocol.create({ amount: units('20') })
  const joined = await protocol.create({ frequency: 1, dueDay: 9 })
  const twin = await protocol.create({ frequency: 1, dueDay: 9, amount: units('4') })
  const stubborn = await protocol.create({ token: await approvedToken(chain, StubbornAllowanceToken) })
  // Alice's allowance lasts for what she has; bob's for anything; carol's is of a token that changes none.
  await protocol.join(joined, alice, { allowance: 17_000_000n })
  await protocol.fund(usdc, alice, { balance: 1_000_000_000n })
  await protocol.fund(usdc, bob, { balance: 1_000_000_000n, allowance: 900_000_000n })
  await protocol.fund(stubborn.token, carol, { balance: 1_000_000_000n, allowance: 5n })
  // Due today, so that there is something to remit.
  await protocol.join(await protocol.create({ dueDay: 1 }), dave)
  await chain.keep()
  const service = await useTestService([chain])
  await service.caughtUp()
  const proxy = await useLyingProxy(service.url)

  const terms = { amount: '10.5', token: usdc, details: DETAILS, frequency: 2, dueDay: 90 } as const
  const flow = <Prepared, Result, Told>(
    signer: number,
    of: (flows: Flows) => Flow<Prepared, Result, Told>,
  ): FlowCase => ({
    signer,
    send: (all, ...how) => of(all).send(...how),
    async sendPrepared(all, wallet, options) {
      if (wallet.account === undefined) throw new Error('The wallet has no account to prepare for')
      const prepared = await of(all).prepare(wallet.account.address)
      return of(all).send(wallet, { ...options, prepared })
    },
  })
  const flows: LyingGround['flows'] = {
    create: flow(PROVIDER, (all) => all.createSubscription(terms)),
    subscribe: flow(ALICE, (all) => all.subscribe({ id: weekly.id })),
    'subscribe, without end': flow(ALICE, (all) => all.subscribe({ id: weekly.id, infiniteApproval: true })),
    'subscribe, allowance there': flow(BOB, (all) => all.subscribe({ id: weekly.id })),
    'subscribe, keeping dates': flow(ALICE, (all) =>
      all.subscribe({ id: twin.id, approvalPeriods: 1, keepCoverage: true }),
    ),
    'subscribe, with a reset': flow(CAROL, (all) => all.subscribe({ id: stubborn.id })),
    leave: flow(ALICE, (all) => all.unsubscribe({ id: joined.id })),
    remove: flow(PROVIDER, (all) => all.removeSubscriber({ id: joined.id, subscriber: alice })),
    cancel: flow(PROVIDER, (all) => all.cancelSubscription({ id: weekly.id })),
    edit: flow(PROVIDER, (all) => all.editDetails({ id: weekly.id, details: DETAILS })),
    'edit profile': flow(PROVIDER, (all) => all.editProviderDetails(PROFILE)),
    revoke: flow(ALICE, (all) => all.revokeAllowance({ token: usdc })),
    remit: flow(KEEPER, (all) => all.remit()),
  }

  // A mnemonic takes long to turn into a key.
  const keys = new Map(
    [...new Set(Object.values(flows).map(({ signer }) => signer))].map((index) => [index, signerOf(index)]),
  )
  // The chain stands still: what was read once reads the same again.
  const readings = new Map<string, Promise<unknown>>()
  function walletOf(kind: WalletKind, signer: number): { wallet: Wallet; requests: TestWalletRequest[] } {
    const key = keys.get(signer) ?? signerOf(signer)
    const provider = walletProvider({
      rpcUrl: chain.url,
      account: key.address,
      approvals: 0,
      sendsCalls: kind === 'with wallet_sendCalls',
      refuses: { eth_sendRawTransaction: 4001 },
    })
    const requests: TestWalletRequest[] = []
    const asked: TestWallet = {
      ...provider,
      request(request) {
        if (!isReading(request)) {
          requests.push(request)
          return provider.request(request)
        }
        const name = JSON.stringify([request, key.address])
        const known = readings.get(name) ?? provider.request(request)
        readings.set(name, known)
        return known
      },
    }
    const account: Account | Address = kind === 'with a key of its own' ? key : key.address
    return { wallet: createWalletClient({ account, transport: custom(asked, { retryCount: 0 }) }), requests }
  }

  return {
    proxy,
    attacker: {
      account: stranger,
      contract: '0x00000000000000000000000000000000DeaDBeef',
      protocol: contract,
      otherToken: dai,
      otherSubscription: dearer,
    },
    flows,
    chainId,
    async ask(flow, kind, named, { beforehand = false, ...options } = {}) {
      const api = createClient({
        url: proxy.url,
        retries: 0,
        ...(named === undefined ? {} : { chainId: named }),
      })
      const sent = createFlows(api, { contracts: { [chainId]: contract }, chainId: named })
      const { wallet, requests } = walletOf(kind, flow.signer)
      const send = beforehand ? flow.sendPrepared : flow.send
      const failure: unknown = await send(sent, wallet, { ...QUICK, ...options }).then(
        () => undefined,
        (error: unknown) => error,
      )
      return { requests, failure }
    },
  }
}

function isReading({ method }: TestWalletRequest): boolean {
  return /^(eth_(call|simulateV1|createAccessList|chainId|accounts|blockNumber|estimateGas|get|gasPrice|maxPriority|feeHistory|fill)|net_)/.test(
    method,
  )
}
