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
import type { State } from './Finding.ts'

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

/** Uses only sentences of the service. Messages of drivers may quote a URL. */
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
