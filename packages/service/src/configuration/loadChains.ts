import { readFileSync } from 'node:fs'
import { BUILT_IN_CHAINS, ChainEntry, isReachable } from '@remit/engine/chain/registry'
import { isAddressEqual } from 'viem'
import * as z from 'zod'
import { ConfigError, Problems } from './ConfigError.ts'
import { type Environment, isUnset, reader, sentenceOf } from './reader.ts'
import { CHAINS_FILE, chainOf, chainVariables } from './variables/chain.ts'
import { SERVICE } from './variables/service.ts'

/**
 * The registry of chains: those that are built in, then CHAINS_FILE's whole entries, then single variables over both.
 *
 * Throws ConfigError with all that is wrong, and where the default chain cannot be asked and served.
 */
export function loadChains(environment: Environment): ChainEntry[] {
  const problems = new Problems()
  const entries = new Map<number, ChainEntry>(BUILT_IN_CHAINS.map((entry) => [entry.chainId, entry]))
  const fromFile = problems.of(() => chainsFile(environment))
  for (const entry of fromFile ?? []) entries.set(entry.chainId, entry)
  /** Chains whose variables are wrong. Nothing more is said of them. */
  const wrong = new Set<number>()
  for (const chainId of chainsNamedIn(environment)) {
    const entry = problems.of(() => withVariables(chainId, entries.get(chainId), environment))
    if (entry === undefined) wrong.add(chainId)
    else entries.set(chainId, entry)
  }
  const chains = [...entries.values()].filter(({ chainId }) => !wrong.has(chainId))
  for (const chain of chains) problems.of(() => requireSubgraph(chain))
  problems.of(() => {
    const defaultChainId = reader(environment).one(SERVICE.defaultChainId)
    // Where CHAINS_FILE cannot be read, the chain may stand there.
    if (fromFile !== undefined && !wrong.has(defaultChainId)) requireReachable(chains, defaultChainId)
  })
  problems.throwIfAny()
  return chains.map((entry) => (isReachable(entry) ? entry : { ...entry, rest: false, mcp: false }))
}

function chainsNamedIn(environment: Environment): Set<number> {
  const named = Object.entries(environment).flatMap(([name, value]) => {
    const chainId = chainOf(name)
    return chainId === undefined || isUnset(value) ? [] : [chainId]
  })
  return new Set(named)
}

function withVariables(chainId: number, known: ChainEntry | undefined, environment: Environment): ChainEntry {
  const variables = chainVariables(chainId)
  const values = reader(environment).all(variables)
  const said = Object.entries(values).filter(([, value]) => value !== undefined)
  const entry: Record<string, unknown> = {
    name: `Chain ${chainId}`,
    ...known,
    ...Object.fromEntries(said),
    ...(values.rpcUrls === undefined ? {} : byProtocol(variables.rpcUrls.name, values.rpcUrls)),
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
  if (known !== undefined && values.firstBlock === undefined) requireFirstBlock(known, parsed.data)
  return parsed.data
}

/** The URLs to ask, and those that announce blocks. Throws ConfigError if there are only the latter. */
function byProtocol(name: string, urls: readonly string[]): Pick<ChainEntry, 'rpcUrls' | 'headUrls'> {
  const isWebSocket = (url: string) => /^wss?:/i.test(url)
  const rpcUrls = urls.filter((url) => !isWebSocket(url))
  if (rpcUrls.length === 0 && urls.length > 0) {
    throw new ConfigError(`${name} has WebSocket URLs only: add an http or https URL of the same chain.`)
  }
  return { rpcUrls, headUrls: urls.filter(isWebSocket) }
}

/**
 * The known contract's first block says nothing of another contract: if that is older, the index would leave out
 * its first events, and nobody would notice.
 */
function requireFirstBlock(known: ChainEntry, entry: ChainEntry): void {
  if (isAddressEqual(known.contractAddress, entry.contractAddress)) return
  if (known.firstBlock === 0 || entry.index === 'off') return
  const { contractAddress, firstBlock } = chainVariables(entry.chainId)
  throw new ConfigError(
    `${contractAddress.name} replaces the contract of ${known.name}, but ${firstBlock.name} is not set: set it to ` +
      `the block in which your contract was deployed, or to 0 to have the whole chain read. The first block of ` +
      `the contract that it replaces, ${known.firstBlock}, may be too late.`,
  )
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
function requireReachable(chains: readonly ChainEntry[], defaultChainId: number): void {
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
function requireSubgraph({ chainId, index, subgraphUrl }: ChainEntry): void {
  if (index !== 'subgraph' || subgraphUrl !== undefined) return
  throw new ConfigError(
    `SUBGRAPH_URL_${chainId} is not set, but the index of chain ${chainId} is to be read from a subgraph.`,
  )
}
