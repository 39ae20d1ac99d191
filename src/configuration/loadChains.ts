import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { BUILT_IN_CHAINS, ChainEntry, isReachable } from '../chain/registry.ts'
import { ConfigError } from './ConfigError.ts'
import { type Environment, isUnset, reader, sentenceOf } from './reader.ts'
import { CHAINS_FILE, chainOf, chainVariables } from './variables/chain.ts'

/** The registry: what is built in, then CHAINS_FILE's whole entries, then single variables over both. */
export function loadChains(environment: Environment): ChainEntry[] {
  const entries = new Map<number, ChainEntry>(BUILT_IN_CHAINS.map((entry) => [entry.chainId, entry]))
  for (const entry of chainsFile(environment)) entries.set(entry.chainId, entry)
  const named = Object.entries(environment).flatMap(([name, value]) => {
    const chainId = chainOf(name)
    return chainId === undefined || isUnset(value) ? [] : [chainId]
  })
  for (const chainId of new Set(named)) {
    entries.set(chainId, withVariables(chainId, entries.get(chainId), environment))
  }
  return [...entries.values()].map((entry) =>
    isReachable(entry) ? entry : { ...entry, rest: false, mcp: false },
  )
}

function withVariables(chainId: number, known: ChainEntry | undefined, environment: Environment): ChainEntry {
  const variables = chainVariables(chainId)
  const said = Object.entries(reader(environment).all(variables)).filter(([, value]) => value !== undefined)
  const entry: Record<string, unknown> = {
    name: `Chain ${chainId}`,
    ...known,
    ...Object.fromEntries(said),
    chainId,
  }
  if (entry.contractAddress === undefined) {
    throw new ConfigError(
      `${variables.contractAddress.name} is not set, but other variables name chain ${chainId}.`,
    )
  }
  const parsed = ChainEntry.safeParse(entry)
  if (!parsed.success) {
    throw new ConfigError(`The variables of chain ${chainId} do not fit: ${sentenceOf(parsed.error)}`)
  }
  return parsed.data
}

function chainsFile(environment: Environment): ChainEntry[] {
  const path = reader(environment).one(CHAINS_FILE)
  if (path === undefined) return []
  try {
    const parsed = z.array(ChainEntry).safeParse(JSON.parse(readFileSync(path, 'utf8')))
    if (parsed.success) return parsed.data
    throw new ConfigError(`${CHAINS_FILE.name} does not fit: ${sentenceOf(parsed.error)}`)
  } catch (error) {
    if (error instanceof ConfigError) throw error
    throw new ConfigError(`${CHAINS_FILE.name} cannot be read as JSON.`, { cause: error })
  }
}

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
