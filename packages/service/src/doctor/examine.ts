import type { ChainEntry } from '@remit/engine/chain/registry'
import { BlockHeader } from '@remit/engine/head/blockHeader'
import { SmallQuantity } from '@remit/engine/rpc/quantity'
import { numberToHex } from 'viem'
import { CountersAwayError } from '../access/limits/counters.ts'
import { RedisCounters } from '../access/limits/RedisCounters.ts'
import { ConfigError } from '../configuration/ConfigError.ts'
import { type Config, loadConfig } from '../configuration/loadConfig.ts'
import { misspellings } from '../configuration/misspellings.ts'
import type { Environment } from '../configuration/reader.ts'
import { SERVICE } from '../configuration/variables/service.ts'
import { createTxtResolver } from '../history/providers/TxtResolver.ts'
import { inspectSecrets, inspectStore } from '../store/inspectStore.ts'
import { StoreError } from '../store/StoreError.ts'
import { checkContract, checkNewHeads, FILLING, headFinding, READING, SIMULATING } from './checks.ts'
import { CHECKS } from './consequences.ts'
import { type Estimate, estimate } from './estimate.ts'
import { type ExaminedNode, type Finding, reasonOf, type State, unanswered } from './Finding.ts'
import { RawNode } from './RawNode.ts'

// The doctor (`doctorCommand.ts`) looks at a configuration before or while a service runs on it. Here are its two examinations: of one
// node (`examine`), and of what a service needs beside its nodes (`examineService`). The single checks of a node are in `checks.ts`.

/** Over how many blocks the time between two of them is measured. */
const MEASURED_BLOCKS = 100

/** What is known of one URL after all checks. */
export interface Examination {
  readonly chainId: number
  readonly chainName: string
  /** A name for the URL that holds no secret. */
  readonly url: string
  readonly findings: readonly Finding[]
  /** `null` if the node does not answer, or is asked for a start alone. */
  readonly estimate: Estimate | null
  /** `unusable` with any `bad` finding, else `poorer` with any poorer one, else `good`. */
  readonly verdict: 'good' | 'poorer' | 'unusable'
  /** HTTP requests that the examination took. */
  readonly requests: number
}

/**
 * Asks one node what it can do: first its chain and its newest block, without which the rest is not asked, then all checks one after the
 * other. It takes some forty requests and less than a minute, four for a start alone. Never throws: a failure is a finding.
 */
export async function examine(options: {
  url: string
  name: string
  entry: ChainEntry
  timeoutMs: number
  /** Asks only what a start needs: the chain, the newest block and the contract. */
  forStart?: boolean
  nowSeconds?: number
}): Promise<Examination> {
  const { url, name, entry, timeoutMs, forStart = false, nowSeconds = Date.now() / 1_000 } = options
  const { chainId } = entry
  const node = new RawNode({ url, chainId, timeoutMs })
  const examination = (findings: readonly Finding[], estimated: Estimate | null): Examination => ({
    chainId,
    chainName: entry.name,
    url: name,
    findings: findings.toSorted((a, b) => CHECKS.indexOf(a.check) - CHECKS.indexOf(b.check)),
    estimate: estimated,
    verdict: verdictOf(findings),
    requests: node.posts,
  })
  const findings: Finding[] = []
  try {
    const named = await node.request('eth_chainId', [], SmallQuantity)
    const fact =
      named === chainId ? `yes, ${chainId} (${entry.name})` : `it is on chain ${named}, not on ${chainId}`
    findings.push({ check: 'chain', state: named === chainId ? 'good' : 'bad', fact })
    if (named !== chainId) return examination(findings, null)
    const begun = performance.now()
    const head = await node.request('eth_getBlockByNumber', ['latest', false], BlockHeader)
    findings.push(headFinding({ head }, Math.round(performance.now() - begun), nowSeconds))
    const examined: ExaminedNode = { node, entry, head }
    for (const check of forStart ? [checkContract] : [...READING, ...SIMULATING, ...FILLING]) {
      findings.push(...[await check(examined)].flat().filter((finding) => finding !== undefined))
    }
    if (forStart) return examination(findings, null)
    for (const headUrl of entry.headUrls) findings.push(await checkNewHeads(headUrl))
    const secondsPerBlock = await measureBlocks(examined).catch((error: unknown) => {
      findings.push(unanswered('head', 'note', error))
      return undefined
    })
    if (secondsPerBlock === undefined) return examination(findings, null)
    const blocks = Math.max(0, head.number - entry.firstBlock + 1)
    const estimated = estimate({ findings, blocks, secondsPerBlock, hasIndex: entry.index !== 'off' })
    return examination(findings, estimated)
  } catch (error) {
    // The first finding is about the chain, the second about the head: one of these two questions failed. Each later check makes a
    // finding of its own failure.
    const check = findings.length === 0 ? 'chain' : 'head'
    return examination([...findings, { check, state: 'bad', fact: reasonOf(error) }], null)
  }
}

/** Seconds between two blocks, as the mean of the last hundred; at least 0.1, and 1 for a chain with one block. */
async function measureBlocks({ node, head }: ExaminedNode): Promise<number> {
  const number = Math.max(0, head.number - MEASURED_BLOCKS)
  if (number === head.number) return 1
  const older = await node.request('eth_getBlockByNumber', [numberToHex(number), false], BlockHeader)
  return Math.max(0.1, (head.timestamp - older.timestamp) / (head.number - number))
}

function verdictOf(findings: readonly Finding[]): Examination['verdict'] {
  if (findings.some(({ state }) => state === 'bad')) return 'unusable'
  return findings.some(({ state }) => state === 'poorer') ? 'poorer' : 'good'
}

/** What was found of one part of a service that is no node. */
export interface PartFinding {
  /** Such as `store`. */
  readonly part: string
  readonly state: Extract<State, 'good' | 'note' | 'bad'>
  readonly fact: string
}

/**
 * Checks what a service in this environment needs beside its nodes: its variables, the store with what is sealed in it, and
 * Redis. Starts nothing and changes nothing. No fact holds a URL.
 */
export async function examineService(environment: Environment): Promise<readonly PartFinding[]> {
  const part = 'configuration'
  const warnings = misspellings(environment).map((fact): PartFinding => ({ part, state: 'note', fact }))
  const config = readConfig(environment)
  if (config instanceof ConfigError) {
    return [...warnings, ...config.sentences.map((fact): PartFinding => ({ part, state: 'bad', fact }))]
  }
  const { databaseUrl, redisUrl, secretsKeys } = config
  const parts = [find('store', () => inspectStore(databaseUrl))]
  if (secretsKeys !== undefined) {
    parts.push(find('SECRETS_KEY', () => inspectSecrets(databaseUrl, secretsKeys, Date.now())))
  }
  if (redisUrl !== undefined) parts.push(find('Redis', () => inspectRedis(redisUrl)))
  if (config.secondDnsResolver !== undefined) {
    parts.push(inspectResolver(SERVICE.dnsResolver.name, config.dnsResolver))
    parts.push(inspectResolver(SERVICE.secondDnsResolver.name, config.secondDnsResolver))
  }
  return [...warnings, { part, state: 'good', fact: 'is valid' }, ...(await Promise.all(parts))]
}

function readConfig(environment: Environment): Config | ConfigError {
  try {
    return loadConfig(environment)
  } catch (error) {
    if (error instanceof ConfigError) return error
    throw error
  }
}

/** Makes the finding of an inspection. Only the service's own errors are told: messages of drivers may quote a URL, so these are thrown. */
async function find(part: string, inspect: () => Promise<string>): Promise<PartFinding> {
  try {
    return { part, state: 'good', fact: await inspect() }
  } catch (error) {
    if (!(error instanceof StoreError || error instanceof CountersAwayError)) throw error
    return { part, state: 'bad', fact: error.message }
  }
}

/** Asks for a name that is reserved for examples. Whatever is there, a resolver that works answers. */
async function inspectResolver(part: string, server: string): Promise<PartFinding> {
  try {
    await createTxtResolver(server)('example.com', new AbortController().signal)
    return { part, state: 'good', fact: 'answers' }
  } catch {
    return { part, state: 'bad', fact: 'does not answer: domains of providers cannot be looked up' }
  }
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
