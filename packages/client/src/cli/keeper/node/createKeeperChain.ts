import { toRaw } from '@remit/protocol/amounts'
import { subscriptionFee, systemShare } from '@remit/protocol/fees'
import {
  type Address,
  BaseError,
  ContractFunctionZeroDataError,
  type Hash,
  isHash,
  parseAbi,
  serializeTransaction,
} from 'viem'
import { isSameHex } from '../../../request/isSameHex.ts'
import type { OwnCall } from '../../../sending/check/prepareHere.ts'
import { feesEarned } from '../../../sending/flows/remit.ts'
import { decodeEvents, type WalletLog } from '../../../sending/wait/decodeEvents.ts'
import {
  ChainFaultError,
  type Gain,
  type KeeperChain,
  type NodeFees,
  NoSimulationError,
  type PendingTransaction,
  type RemitOutcomeAhead,
  type RemitTransaction,
} from '../ports.ts'
import type { OwnNode } from './OwnNode.ts'
import type { TokenReads } from './TokenReads.ts'
import { tryRemit, tryRemitsAhead } from './tryRemit.ts'

/** The chain as a keeper needs it (`KeeperChain`), read at its own node for one wallet and its one call, remit(). */
export function createKeeperChain(
  node: OwnNode,
  { address, call, tokens }: { address: Address; call: OwnCall; tokens: TokenReads },
): KeeperChain {
  const nonce = (blockTag: 'latest' | 'pending') => node.getTransactionCount({ address, blockTag })
  const earningsIn = (logs: Parameters<typeof remitEarnings>[0]) =>
    remitEarnings(logs, { contract: call.to, caller: address, tokens })
  return {
    nonces: () =>
      orFault('the wallet’s nonce', async () => {
        const [latest, pending] = await Promise.all([nonce('latest'), nonce('pending')])
        return { latest, pending }
      }),
    pendingAt: (nonce) => orFault('what is pending', () => findPending(node, address, nonce)),
    balance: () => orFault('the wallet’s balance', () => node.getBalance({ address })),
    fees: () => orFault('the usual fees', () => readFees(node)),
    l1DataFee: (transaction) => orFault('the L1 data fee', () => readL1DataFee(node, transaction)),
    tryRemit: () => orFault('a simulation of the remit', () => tryRemit(node, address, call, earningsIn)),
    remitsAhead: (before) =>
      orFault('a simulation of the next day', () =>
        tryRemitsAhead(node, address, { remit: call, before }, async (logs) => {
          const [gains, outcomes] = await Promise.all([
            earningsIn(logs),
            outcomesIn(node, call.to, tokens, logs),
          ])
          return { gains, outcomes }
        }),
      ),
    token: (token) => orFault('a token', () => tokens.token(token)),
    earned: (logs) => orFault('the tokens of a receipt', () => earningsIn(logs)),
  }
}

/** Asks, and turns a failure into ChainFaultError. A node's message may contain its URL and so a key: it is kept as the cause only. */
async function orFault<T>(what: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (cause) {
    if (cause instanceof NoSimulationError) throw cause
    throw new ChainFaultError(`The RPC failed at ${what}.`, { cause })
  }
}

/** Simulated logs are of no transaction. */
const NO_HASH = '0x'

const feesAbi = parseAbi([
  'function callerFee() view returns (uint256)',
  'function systemFee() view returns (uint256)',
])

/**
 * What a remit pays its caller by the logs of its run: the protocol's transfers to the caller, a token once, without
 * the caller's refunds as a provider.
 */
async function remitEarnings(
  logs: readonly WalletLog[],
  { contract, caller, tokens }: { contract: Address; caller: Address; tokens: TokenReads },
): Promise<Gain[]> {
  const transactions = [{ hash: NO_HASH, logs }] as const
  const events = await decodeEvents(contract, transactions, (token) => tokens.entryDecimals(token))
  const payments = events.filter((event) => event.event === 'SubLog')
  const fees = feesEarned(contract, caller, payments, transactions).filter(({ amountRaw }) => amountRaw > 0n)
  return Promise.all(
    fees.map(async ({ token, amountRaw }) => ({ token: await tokens.token(token), amountRaw })),
  )
}

/** Whom a remit charges and drops, by the logs of its run: `SubLog` is what the contract logs about one subscriber. */
async function outcomesIn(
  node: OwnNode,
  contract: Address,
  tokens: TokenReads,
  logs: readonly WalletLog[],
): Promise<RemitOutcomeAhead[]> {
  const read = { address: contract, abi: feesAbi } as const
  const [callerFee, systemFee, events] = await Promise.all([
    node.readContract({ ...read, functionName: 'callerFee' }),
    node.readContract({ ...read, functionName: 'systemFee' }),
    decodeEvents(contract, [{ hash: NO_HASH, logs }], (token) => tokens.entryDecimals(token)),
  ])
  const outcomes = events.map(async (event): Promise<RemitOutcomeAhead[]> => {
    if (event.event !== 'SubLog') return []
    const { eventName, tokenDecimals, args } = event
    const key = `${args.id} ${args.subscriber}`
    if (eventName === 'Failed') return [{ key, kind: 'dropped' }]
    // One of the two is logged for each charge. Both state the amount of a whole period.
    if (tokenDecimals === null || (eventName !== 'SubscriberPaid' && eventName !== 'FeeFilled')) return []
    const fee = subscriptionFee(args.amount, callerFee)
    const amountRaw = toRaw(fee - systemShare(fee, systemFee), tokenDecimals)
    return [{ key, kind: 'charged', fee: { token: await tokens.token(args.token), amountRaw } }]
  })
  return (await Promise.all(outcomes)).flat()
}

/**
 * A wallet's transaction that waits to be mined, by its nonce: out of the node's pool (`txpool_contentFrom`) or out of
 * its pending block. Many nodes have neither: then it is `undefined`.
 */
async function findPending(
  node: OwnNode,
  address: Address,
  nonce: number,
): Promise<PendingTransaction | undefined> {
  const hash = (await hashInPool(node, address, nonce)) ?? (await hashInBlock(node, address, nonce))
  if (hash === undefined) return undefined
  const found = await node.getTransaction({ hash }).catch(() => undefined)
  if (found === undefined || found.nonce !== nonce || !isSameHex(found.from, address)) return undefined
  const { to, input, value, gas, gasPrice, maxFeePerGas = gasPrice, maxPriorityFeePerGas = gasPrice } = found
  if (maxFeePerGas === undefined || maxPriorityFeePerGas === undefined) return undefined
  return { hash, to, data: input, value, gas, fees: { maxFeePerGas, maxPriorityFeePerGas } }
}

async function hashInPool(node: OwnNode, address: Address, nonce: number): Promise<Hash | undefined> {
  try {
    const content = await node.request<{ Method: string; Parameters: [Address]; ReturnType: unknown }>({
      method: 'txpool_contentFrom',
      params: [address],
    })
    const hash = inside(inside(inside(content, 'pending'), String(nonce)), 'hash')
    return typeof hash === 'string' && isHash(hash) ? hash : undefined
  } catch {
    return undefined
  }
}

async function hashInBlock(node: OwnNode, address: Address, nonce: number): Promise<Hash | undefined> {
  try {
    const { transactions } = await node.getBlock({ blockTag: 'pending', includeTransactions: true })
    return transactions.find((each) => each.nonce === nonce && isSameHex(each.from, address))?.hash
  } catch {
    return undefined
  }
}

/** A field of a foreign value; `undefined` where it is no object or has no such field. */
function inside(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

/** The OP Stack's gas price oracle, which returns the L1 fee of a transaction. */
const GAS_PRICE_ORACLE: Address = '0x420000000000000000000000000000000000000F'
const oracleAbi = parseAbi(['function getL1Fee(bytes data) view returns (uint256)'])

/** The usual fees. Twice the next base fee, and the priority fee, is enough for five full blocks in a row. */
export async function readFees(node: OwnNode): Promise<NodeFees> {
  const [{ baseFeePerGas }, maxPriorityFeePerGas] = await Promise.all([
    node.getFeeHistory({ blockCount: 1, rewardPercentiles: [] }),
    node.estimateMaxPriorityFeePerGas(),
  ])
  // The last row is the next block's.
  const baseFee = baseFeePerGas.at(-1)
  if (baseFee === undefined) throw new Error('The node tells no base fee')
  return {
    nextFeePerGas: baseFee + maxPriorityFeePerGas,
    maxFeePerGas: 2n * baseFee + maxPriorityFeePerGas,
    maxPriorityFeePerGas,
  }
}

/** The L1 data fee in wei; 0 on chains without the oracle. The oracle takes the unsigned bytes and adds a signature's worth itself. */
export async function readL1DataFee(
  node: OwnNode,
  { fees, to, data, chainId, nonce, gas }: RemitTransaction,
): Promise<bigint> {
  const bytes = serializeTransaction({ to, data, chainId, nonce, gas, ...fees, type: 'eip1559', value: 0n })
  try {
    return await node.readContract({
      address: GAS_PRICE_ORACLE,
      abi: oracleAbi,
      functionName: 'getL1Fee',
      args: [bytes],
    })
  } catch (error) {
    if (isAbsent(error)) return 0n
    throw error
  }
}

/** Without a contract at the address, a call succeeds and returns nothing. */
function isAbsent(error: unknown): boolean {
  return (
    error instanceof BaseError &&
    error.walk((cause) => cause instanceof ContractFunctionZeroDataError) !== null
  )
}
