import { toRaw } from '@remit/protocol/amounts'
import { subscriptionFee, systemShare } from '@remit/protocol/fees'
import { type Address, parseAbi } from 'viem'
import type { OwnCall } from '../../../sending/check/prepareHere.ts'
import { feesEarned } from '../../../sending/flows/remit.ts'
import { decodeEvents } from '../../../sending/wait/decodeEvents.ts'
import type { WalletLog } from '../../../sending/wait/MinedCalls.ts'
import { ChainFaultError, NoSimulationError } from '../ports/faults.ts'
import type { Gain, KeeperChain, RemitOutcomeAhead } from '../ports/ports.ts'
import { findPending } from './findPending.ts'
import type { OwnNode } from './OwnNode.ts'
import { readFees, readL1DataFee } from './readFees.ts'
import type { TokenReads } from './TokenReads.ts'
import { tryRemit, tryRemitsAhead } from './tryRemit.ts'

/** The chain as a keeper needs it, for one wallet and its one call. */
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

/** A node's message may contain its URL and so a key. It is kept as the cause only. */
async function orFault<T>(what: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (cause) {
    if (cause instanceof NoSimulationError) throw cause
    throw new ChainFaultError(`The RPC failed at ${what}.`, { cause })
  }
}

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

/** Whom a remit charges and drops, by the logs of its run. */
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
    // Both carry the amount of a whole period.
    if (tokenDecimals === null || (eventName !== 'SubscriberPaid' && eventName !== 'FeeFilled')) return []
    const fee = subscriptionFee(args.amount, callerFee)
    const amountRaw = toRaw(fee - systemShare(fee, systemFee), tokenDecimals)
    return [{ key, kind: 'charged', fee: { token: await tokens.token(args.token), amountRaw } }]
  })
  return (await Promise.all(outcomes)).flat()
}
