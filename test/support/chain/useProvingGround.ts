import { StubbornAllowanceToken } from '@remit/contracts/StubbornAllowanceToken'
import { Subscriptions } from '@remit/contracts/Subscriptions'
import { TestToken } from '@remit/contracts/TestToken'
import { TokenNotApprovedError } from '@remit/engine/errors/chain'
import type { PlannedCall, PreparePlan } from '@remit/engine/ports/proof'
import { createRpc } from '@remit/engine/rpc/rpc'
import { BlockReader } from '@remit/engine/testing/block/BlockReader'
import type { BlockView } from '@remit/engine/testing/block/BlockView'
import { FactStore } from '@remit/engine/testing/block/facts'
import { NodeLimits } from '@remit/engine/testing/rpc/limits/NodeLimits'
import { type SubscriptionTerms, subscriptionTerms } from '@remit/protocol/subscription'
import { type Address, encodeDeployData, encodeFunctionData, erc20Abi, type Hex } from 'viem'
import * as z from 'zod'
import { useCountingProxy } from '../nodes/countingProxy.ts'
import { contractAt } from './contractAt.ts'
import { type TestChain, type TestChainOptions, useTestChain } from './useTestChain.ts'

export type ProvingGround = Awaited<ReturnType<typeof useProvingGround>>

const PROTOCOL_UNIT = 10n ** 18n

/** More than any call here takes, so that nobody has to estimate one that will revert. */
const ENOUGH_GAS = 1_000_000n

/** A call to send as it is. */
export interface Sending {
  readonly to: Address
  readonly data?: Hex
  readonly gas?: bigint
  readonly nonce?: number
}

/** The protocol on a test chain of this file, for proofs. */
export async function useProvingGround(options: TestChainOptions = {}) {
  return provingGroundOn(await useTestChain(options))
}

/**
 * A test chain, asked through a proxy, with all that proofs and transaction outcomes are made of. Alice, bob and
 * carol hold a million of each token.
 */
export async function provingGroundOn(chain: TestChain) {
  const node = await useCountingProxy(chain.url)
  const { client, wallets, tokens } = chain
  const stubborn = await chain.deploy(encodeDeployData({ ...StubbornAllowanceToken, args: [18] }))
  const contract = contractAt(client, chain.contract, Subscriptions.abi)
  await contract.send(wallets.admin, 'addERC20Contract', [stubborn, PROTOCOL_UNIT / 100n, 18])
  for (const [token, decimals] of [
    [tokens.usdc, 6] as const,
    [tokens.dai, 18] as const,
    [stubborn, 18] as const,
  ]) {
    for (const wallet of [wallets.alice, wallets.bob, wallets.carol]) {
      await contractAt(client, token, TestToken.abi).send(wallets.admin, 'mint', [
        wallet,
        10n ** BigInt(6 + decimals),
      ])
    }
  }
  await chain.keep()

  const facts = new FactStore()
  const log = { info() {}, warn() {}, error() {} }
  const rpc = createRpc({ chainId: chain.chainId, urls: [node.url], timeoutMs: 30_000, log })
  // The check of its chain that a first request brings along is not what tests count.
  await rpc.request('eth_chainId', [], z.string())
  node.reset()
  const symbols = new Map([
    [tokens.usdc, 'USDC'],
    [tokens.dai, 'DAI'],
    [stubborn, 'STUB'],
  ])
  // What a view reads by itself does not pass through the proxy, and so is not counted.
  const readToken = async (address: Address) => {
    const [known, decimals, paused, minimum] = await contract.read('approvedERC20', [address])
    if (BigInt(known) === 0n) throw new TokenNotApprovedError(address, chain.chainId)
    const symbol = symbols.get(address) ?? null
    const token = { address, symbol, name: symbol, decimals, ownDecimals: decimals, paused, minimum }
    facts.keepToken(token)
    return token
  }

  /** Sends a call, whatever comes of it, and waits for nothing. */
  const post = ({ from, to, data = '0x', gas = ENOUGH_GAS, nonce }: Sending & { from: Address }) =>
    client.sendTransaction({
      account: from,
      chain: null,
      to,
      data,
      gas,
      ...(nonce !== undefined && { nonce }),
    })

  const onTerms = (
    functionName: 'subscribe' | 'unsubscribe' | 'cancelSubscription',
    terms: SubscriptionTerms,
  ): PlannedCall => {
    const data = encodeFunctionData({ abi: Subscriptions.abi, functionName, args: [terms] })
    return { to: chain.contract, data, value: 0n, instruction: `Call ${functionName}.` }
  }

  return {
    ...chain,
    node,
    /** What provers and transaction lookups are made from. */
    access: {
      rpc,
      /** A new one each time: what it learns of the node in one test must not reach the next. */
      get blocks() {
        const limits = new NodeLimits()
        return new BlockReader({ rpc, log, limits: () => limits })
      },
      facts,
      entry: { contractAddress: chain.contract, opStack: false, finalityDepth: 64, txGasCap: 2 ** 24 },
    },
    protocol: contract,
    stubborn,
    /** What the proxy was asked since the last time, the methods in alphabetical order. */
    counted() {
      const counted = { requests: node.requests, methods: node.methods.toSorted() }
      node.reset()
      return counted
    },
    /** The latest block, as a view. */
    async view(backlog?: BlockView['read']['backlog']): Promise<BlockView> {
      const { number, hash, timestamp } = await client.getBlock()
      const nothing = () => Promise.reject(new Error('this view reads no backlog'))
      return {
        chainId: chain.chainId,
        asOf: { blockNumber: Number(number), blockHash: hash, timestamp: Number(timestamp) },
        now: Number(timestamp) + 1,
        read: { token: readToken, backlog: backlog ?? nothing },
      }
    },
    /** Creates a monthly subscription of the provider's. */
    async subscription(token: Address, { whole = 12n, dueDay = 20 } = {}): Promise<SubscriptionTerms> {
      const details = { url: '', description: '' }
      await contract.send(wallets.provider, 'createSubscription', [
        whole * PROTOCOL_UNIT,
        token,
        details,
        1,
        dueDay,
      ])
      const rows = await contract.read('getAccountSubscriptions', [false, wallets.provider])
      const last = rows.at(-1)
      if (last === undefined) throw new Error('nothing was created')
      return subscriptionTerms(last.subscription)
    },
    /** Sends a call, whatever comes of it, and waits until it is mined: anvil answers before that. */
    async send(from: Address, call: Sending) {
      const hash = await post({ from, ...call })
      return client.waitForTransactionReceipt({ hash })
    },
    post: (from: Address, call: Sending) => post({ from, ...call }),
    approve(token: Address, amountRaw: bigint): PlannedCall {
      const args = [chain.contract, amountRaw] as const
      const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args })
      return { to: token, data, value: 0n, instruction: 'Approve the token.' }
    },
    subscribe: (terms: SubscriptionTerms) => onTerms('subscribe', terms),
    unsubscribe: (terms: SubscriptionTerms) => onTerms('unsubscribe', terms),
    cancelSubscription: (terms: SubscriptionTerms) => onTerms('cancelSubscription', terms),
    remit(): PlannedCall {
      const data = encodeFunctionData({ abi: Subscriptions.abi, functionName: 'remit' })
      return { to: chain.contract, data, value: 0n, instruction: 'Remit.' }
    },
  }
}

/** A plan of a wallet with plenty of gas money. */
export function planOf(from: Address, ...batches: readonly PlannedCall[][]): PreparePlan {
  return { operation: 'test', from, batches, nativeBalance: 10n ** 24n }
}
