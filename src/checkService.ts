import { CountersAwayError } from './access/limits/counters.ts'
import { RedisCounters } from './access/limits/RedisCounters.ts'
import { BlockHeader } from './chain/head/blockHeader.ts'
import { inspectContract } from './chain/inspectContract.ts'
import { type ChainEntry, isReachable } from './chain/registry.ts'
import { EndpointFailedError } from './chain/rpc/endpoint.ts'
import { refusalIn } from './chain/rpc/refusal.ts'
import { createRpc } from './chain/rpc/rpc.ts'
import { ConfigError } from './configuration/ConfigError.ts'
import { type Config, loadConfig } from './configuration/loadConfig.ts'
import { misspellings } from './configuration/misspellings.ts'
import type { Environment } from './configuration/reader.ts'
import { RemitError } from './errors/base.ts'
import { inspectSecrets, inspectStore } from './store/inspectStore.ts'
import { StoreError } from './store/StoreError.ts'

/** The result of checking one part of a service. */
export interface Finding {
  readonly ok: boolean
  readonly line: string
}

/** Answers a sentence about a part that works. Throws what is wrong with it. */
type Check = () => Promise<string>

/**
 * Checks all that a service in this environment needs: its variables, every node of every chain with its contract, the
 * store with what is sealed in it, and Redis. Starts nothing and changes nothing. No line holds a URL.
 */
export async function checkService(environment: Environment): Promise<readonly Finding[]> {
  const warnings = misspellings(environment).map((line) => ({ ok: true, line: `warning  ${line}` }))
  const config = readConfig(environment)
  if (!('chains' in config)) return [...warnings, ...config]
  const checks: [string, Check][] = [
    ['configuration', async () => 'is valid'],
    ...config.chains.filter(isReachable).flatMap((entry) => nodeChecks(entry, config)),
    ['store', () => inspectStore(config.databaseUrl)],
  ]
  const { redisUrl, secretsKeys } = config
  if (secretsKeys !== undefined) {
    checks.push(['SECRETS_KEY', () => inspectSecrets(config.databaseUrl, secretsKeys, Date.now())])
  }
  if (redisUrl !== undefined) checks.push(['Redis', () => inspectRedis(redisUrl)])
  return [...warnings, ...(await Promise.all(checks.map(([part, check]) => find(part, check))))]
}

function readConfig(environment: Environment): Config | Finding[] {
  try {
    return loadConfig(environment)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.sentences.map((sentence) => ({ ok: false, line: `FAILED   configuration: ${sentence}` }))
  }
}

async function find(part: string, check: Check): Promise<Finding> {
  try {
    return { ok: true, line: `ok       ${part} ${await check()}` }
  } catch (error) {
    return { ok: false, line: `FAILED   ${part}: ${sentenceOf(error)}` }
  }
}

/** Checks each node alone. With failover, nobody would notice a broken second node until the first fails. */
function nodeChecks(
  { chainId, name, rpcUrls, headUrls, contractAddress }: ChainEntry,
  config: Config,
): [string, Check][] {
  const log = { info() {}, warn() {}, error() {} }
  const rpc = createRpc({ chainId, urls: rpcUrls, timeoutMs: config.rpcTimeoutMs, log })
  const asked = rpcUrls.map((_, node): [string, Check] => [
    `chain ${chainId} (${name}), URL ${node + 1} of RPC_URL_${chainId}`,
    async () => {
      const head = await rpc.withNode(
        (one) => one.request('eth_getBlockByNumber', ['latest', false], BlockHeader),
        {
          node,
        },
      )
      const problem = await rpc.withNode((one) => inspectContract(one, contractAddress), { node })
      if (problem !== undefined)
        throw new ConfigError(`CONTRACT_ADDRESS_${chainId}: ${contractAddress} ${problem}.`)
      return `is at block ${head.number} and has the protocol at ${contractAddress}`
    },
  ])
  if (headUrls.length === 0) return asked
  const announcing = `chain ${chainId} (${name}), ws and wss URLs of RPC_URL_${chainId}`
  return [...asked, [announcing, async () => 'are not asked here: the doctor asks them']]
}

async function inspectRedis(url: string): Promise<string> {
  const counters = new RedisCounters(url)
  try {
    await counters.connect()
    const { usedBytes, maxBytes } = await counters.memory()
    const of = maxBytes === 0 ? '' : ` of ${toMegabytes(maxBytes)}`
    return `answers, and has taken ${toMegabytes(usedBytes)}${of} MB`
  } finally {
    counters.close()
  }
}

function toMegabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1)
}

/** Uses only sentences of the service. Messages of drivers and nodes may quote a URL. */
function sentenceOf(error: unknown): string {
  if (error instanceof ConfigError || error instanceof StoreError || error instanceof CountersAwayError) {
    return error.message
  }
  const refusal = refusalIn(error)
  if (refusal !== undefined) return `the node refuses (code ${refusal.error.code})`
  const cause = error instanceof RemitError ? error.cause : undefined
  return cause instanceof EndpointFailedError ? cause.message : 'did not answer in time'
}
