import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { BUILT_IN_CHAINS, ChainEntry, isReachable } from './chain/registry.ts'
import {
  boolean,
  ConfigError,
  type Environment,
  httpUrl,
  integer,
  isUnset,
  list,
  reader,
  sentenceOf,
} from './environment.ts'
import { Address } from './schema/address.ts'

/** Throws ConfigError unless the default chain can be asked and served. */
export function requireReachable(chains: readonly ChainEntry[], defaultChainId: number): void {
  const chain = chains.find(({ chainId }) => chainId === defaultChainId)
  if (chain === undefined) {
    throw new ConfigError(
      `DEFAULT_REST_CHAIN_ID names chain ${defaultChainId}, which the registry does not know: ` +
        `set CONTRACT_ADDRESS_${defaultChainId} and RPC_URL_${defaultChainId}, or name another chain.`,
    )
  }
  if (!isReachable(chain)) {
    throw new ConfigError(
      `RPC_URL_${defaultChainId} is not set: the default chain ${defaultChainId} (${chain.name}) needs ` +
        'at least one RPC URL. `npm start` runs a development chain of its own instead.',
    )
  }
  if (!chain.rest) {
    throw new ConfigError(
      `DEFAULT_REST_CHAIN_ID names chain ${defaultChainId}, which CHAINS_FILE keeps from REST.`,
    )
  }
}

/** Throws ConfigError where a chain’s index has no source. */
export function requireSubgraph({ chainId, index, subgraphUrl }: ChainEntry): void {
  if (index !== 'subgraph' || subgraphUrl !== undefined) return
  throw new ConfigError(
    `SUBGRAPH_URL_${chainId} is not set, but the index of chain ${chainId} is to be read from a subgraph.`,
  )
}

const CHAIN_VARIABLES =
  /^(RPC_URL|CONTRACT_ADDRESS|START_BLOCK|CHAIN_NAME|TOKENS|OP_STACK|FINALITY_DEPTH|INDEX|SUBGRAPH_URL)_(\d{1,16})$/

/** The registry: what is built in, then CHAINS_FILE's whole entries, then single variables over both. */
export function loadChains(environment: Environment): ChainEntry[] {
  const entries = new Map<number, ChainEntry>(BUILT_IN_CHAINS.map((entry) => [entry.chainId, entry]))
  for (const entry of chainsFile(environment)) entries.set(entry.chainId, entry)
  const named = Object.entries(environment).flatMap(([name, value]) => {
    const chainId = CHAIN_VARIABLES.exec(name)?.[2]
    return chainId === undefined || isUnset(value) ? [] : [Number(chainId)]
  })
  for (const chainId of new Set(named)) {
    entries.set(chainId, withVariables(chainId, entries.get(chainId), environment))
  }
  return [...entries.values()].map((entry) =>
    isReachable(entry) ? entry : { ...entry, rest: false, mcp: false },
  )
}

function withVariables(chainId: number, known: ChainEntry | undefined, environment: Environment): ChainEntry {
  const read = reader(environment)
  const contractAddress = read(`CONTRACT_ADDRESS_${chainId}`, Address, known?.contractAddress)
  if (contractAddress === undefined) {
    throw new ConfigError(
      `CONTRACT_ADDRESS_${chainId} is not set, but other variables name chain ${chainId}.`,
    )
  }
  const { shape } = ChainEntry
  const entry = {
    ...known,
    chainId,
    contractAddress,
    name: read(`CHAIN_NAME_${chainId}`, shape.name, known?.name ?? `Chain ${chainId}`),
    rpcUrls: read(`RPC_URL_${chainId}`, list(httpUrl), known?.rpcUrls ?? []),
    tokens: read(`TOKENS_${chainId}`, list(Address), known?.tokens ?? []),
    firstBlock: read(`START_BLOCK_${chainId}`, integer(0, Number.MAX_SAFE_INTEGER), known?.firstBlock ?? 0),
    opStack: read(`OP_STACK_${chainId}`, boolean, known?.opStack ?? false),
    finalityDepth: read(`FINALITY_DEPTH_${chainId}`, integer(0, 1_000_000), known?.finalityDepth),
    index: read(`INDEX_${chainId}`, shape.index.unwrap(), known?.index),
    subgraphUrl: read(`SUBGRAPH_URL_${chainId}`, httpUrl, known?.subgraphUrl),
  }
  const parsed = ChainEntry.safeParse(JSON.parse(JSON.stringify(entry)))
  if (!parsed.success) {
    throw new ConfigError(`The variables of chain ${chainId} do not fit: ${sentenceOf(parsed.error)}`)
  }
  return parsed.data
}

function chainsFile(environment: Environment): ChainEntry[] {
  const path = environment.CHAINS_FILE
  if (path === undefined || isUnset(path)) return []
  try {
    const parsed = z.array(ChainEntry).safeParse(JSON.parse(readFileSync(path, 'utf8')))
    if (parsed.success) return parsed.data
    throw new ConfigError(`CHAINS_FILE does not fit: ${sentenceOf(parsed.error)}`)
  } catch (error) {
    if (error instanceof ConfigError) throw error
    throw new ConfigError('CHAINS_FILE cannot be read as JSON.', { cause: error })
  }
}
