import * as z from 'zod'
import { NODE_ABILITIES, NODE_LIMITS, type NodeAbility, type NodeLimit } from '../ports/nodes.ts'
import { Address } from '../schema/hex.ts'

// The registry of chains: what is configured of each (`ChainEntry`, whose defaults are here), the chains that are built in, and
// functions that read an entry. The service makes entries from its environment and from a file of chains.

/** The chain id of local development chains. */
export const DEV_CHAIN_ID = 31_337

/** Bounds against slips of the pen: no node's limit (requests, bytes, blocks, logs, gas) is larger. */
const limit = z.int().min(1).max(1e12)
const ability = z.boolean()

/** What an operator says of one node. */
export const SetLimits = z
  .strictObject({
    // Safe: the names are the keys.
    ...(Object.fromEntries(NODE_LIMITS.map((name) => [name, limit])) as Record<NodeLimit, typeof limit>),
    ...(Object.fromEntries(NODE_ABILITIES.map((name) => [name, ability])) as Record<
      NodeAbility,
      typeof ability
    >),
  })
  .partial()

/**
 * A chain of the registry, from a file of chains or from the environment.
 *
 * A chain without an RPC URL is listed, but no route or tool may name it.
 */
export const ChainEntry = z.strictObject({
  chainId: z.int().positive(),
  name: z.string().min(1).max(100),
  /** Whether protocol routes may name it. */
  rest: z.boolean().default(true),
  /** Whether tools may name it. */
  mcp: z.boolean().default(true),
  contractAddress: Address,
  /** The block in which the contract was deployed, and so that of its first log. */
  firstBlock: z.int().min(0).default(0),
  /** HTTP URLs of its nodes, in order of preference. If one fails, the next is asked. */
  rpcUrls: z.array(z.url({ protocol: /^https?$/, error: 'must be an http or https URL' })).default([]),
  /** WebSocket URLs that announce new blocks. Nothing else is asked there. */
  headUrls: z
    .array(z.url({ protocol: /^wss?$/, error: 'must be a ws or wss URL' }).regex(/^[^#]*$/, 'must have no #'))
    .default([]),
  /** What the operator says of these nodes (ports/nodes.ts), in the order of the URLs. A single entry holds for all. */
  rpcLimits: z.array(SetLimits).default([]),
  /** Candidates for approved tokens; each is confirmed on chain. */
  tokens: z.array(Address).default([]),
  /** A block with so many blocks on top of it counts as final, if the node names no final block. */
  finalityDepth: z.int().min(0).default(64),
  /** Whether transactions also pay for their data on L1. */
  opStack: z.boolean().default(false),
  /** The most gas that one transaction may ask for: 2^24 by EIP-7825; 'none' where it may use all the gas of a block. */
  txGasCap: z.union([z.int().min(21_000), z.literal('none')]).default(2 ** 24),
  /** A registry of names, as ENS has it, in which addresses have the names that they go by. */
  nameRegistry: Address.optional(),
  /** What search and history are read from. */
  index: z.enum(['rpc', 'subgraph', 'off']).default('rpc'),
  subgraphUrl: z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).optional(),
  /** How often a subgraph without news is asked again. Gateways bill each question. */
  subgraphPollSeconds: z.int().min(1).max(3_600).default(5),
  /** Whether blocks come on demand, and may have any time; by default only where the id is a development chain's. */
  devChain: z.boolean().optional(),
  /** How often the head is asked for. Left out: see `pollIntervalMs`, until the time between blocks is known. */
  pollMs: z.int().min(50).max(60_000).optional(),
  /** How long no node may have the newest block until the chain counts as set back. Left out: see `rollbackAfterMsOf`. */
  rollbackAfterMs: z.int().min(0).optional(),
})

export type ChainEntry = z.output<typeof ChainEntry>

/** The chains that the protocol is known to live on. Their RPC URLs come from the environment. */
export const BUILT_IN_CHAINS: readonly ChainEntry[] = [
  ChainEntry.parse({
    chainId: 8453,
    name: 'Base',
    contractAddress: '0xFaF5fc2f77b21BC188f492b827D366B03a07c61f',
    firstBlock: 32_427_185,
    tokens: ['0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'],
    // Half an hour of blocks: L1 finality and the delay of batches lie well within.
    finalityDepth: 900,
    opStack: true,
    nameRegistry: '0xB94704422c2a1E396835A571837Aa5AE53285a95',
  }),
  ChainEntry.parse({
    chainId: 84_532,
    name: 'Base Sepolia',
    contractAddress: '0x6A0791Cd884f2199dC8F372f6715f675D2950922',
    firstBlock: 26_042_632,
    finalityDepth: 900,
    opStack: true,
    nameRegistry: '0x1493b2567056c2181630115660963E13A8E32735',
  }),
]

/** Whether a chain has an RPC URL, and so can be asked. */
export function isReachable(entry: ChainEntry): boolean {
  return entry.rpcUrls.length > 0
}

const THIS_MACHINE = ['127.0.0.1', 'localhost', '[::1]']

/**
 * The development chain with its node, where visitors' wallets may be told of it: on this machine, with nothing in its
 * URL that could be a key. The nodes of other chains are never shown.
 */
export function devChainOf(
  chains: readonly ChainEntry[],
): { readonly chainId: number; readonly rpcUrl: string } | undefined {
  const [rpcUrl] = chains.find(({ chainId }) => chainId === DEV_CHAIN_ID)?.rpcUrls ?? []
  if (rpcUrl === undefined) return undefined
  const { hostname, origin, href } = new URL(rpcUrl)
  if (!THIS_MACHINE.includes(hostname) || href !== `${origin}/`) return undefined
  return { chainId: DEV_CHAIN_ID, rpcUrl: origin }
}

/** The most gas of one transaction; `undefined` if a transaction may use all the gas of a block. */
export function gasCapOf({ txGasCap }: Pick<ChainEntry, 'txGasCap'>): bigint | undefined {
  return txGasCap === 'none' ? undefined : BigInt(txGasCap)
}

/** Whether it is a development chain: blocks come on demand, may have any time, and are taken back. */
export function isDevChain({ devChain, chainId }: Pick<ChainEntry, 'chainId' | 'devChain'>): boolean {
  return devChain ?? chainId === DEV_CHAIN_ID
}

/** Whether the head is asked for at a fixed interval: where one is set, or where blocks come on demand. Else once for each block. */
export function hasSteadyPace(entry: Pick<ChainEntry, 'chainId' | 'devChain' | 'pollMs'>): boolean {
  return entry.pollMs !== undefined || isDevChain(entry)
}

/**
 * How often the head is asked for, until the time between blocks is known. With the time that the answer takes, a head is
 * at most 1 s old on a development chain and 2 s elsewhere.
 */
export function pollIntervalMs(entry: Pick<ChainEntry, 'chainId' | 'devChain' | 'pollMs'>): number {
  return entry.pollMs ?? (isDevChain(entry) ? 250 : 1_500)
}

/**
 * How long no node may have the newest block before the chain counts as set back. A real chain grows again sooner, and
 * its new blocks show the reorg. Without this wait, a single node that hangs would take answers back in time.
 */
const ROLLBACK_AFTER_MS = 300_000
/** A development chain is reverted on purpose. */
const DEV_ROLLBACK_AFTER_MS = 500

/** The wait of one chain, in milliseconds: its own setting, or the default for its kind. */
export function rollbackAfterMsOf(
  entry: Pick<ChainEntry, 'chainId' | 'devChain' | 'rollbackAfterMs'>,
): number {
  return entry.rollbackAfterMs ?? (isDevChain(entry) ? DEV_ROLLBACK_AFTER_MS : ROLLBACK_AFTER_MS)
}
