import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Redis } from 'ioredis'
import { afterAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { SERVICE } from '../../src/configuration/variables/service.ts'
import { VARIABLES } from '../../src/configuration/variables.ts'
import { useTestChain } from '../support/chain/useTestChain.ts'
import { freePort } from '../support/programs/freePort.ts'
import { environmentOf } from '../support/service/indexer.ts'
import { postgresIsInstalled, usePostgres } from '../support/stores/postgres.ts'
import { redisIsInstalled, useRedis } from '../support/stores/useRedis.ts'
import { buildImage, type Image } from './buildImage.ts'
import { readCompose } from './readCompose.ts'
import { idsOf } from './Stage.ts'
import { useStage } from './useStage.ts'

// The Dockerfile's own steps, run once for this file (see buildImage), and what comes of them run as a container
// would run it.

const MOST_BYTES = 25_000_000

const root = fileURLToPath(new URL('../..', import.meta.url))
const image = await built()
afterAll(() => image?.remove())
const chain = await useTestChain()
const postgres = usePostgres()
const redis = useRedis()

/** `undefined` where npm has no network; with CI set it throws. */
async function built(): Promise<Image | undefined> {
  try {
    return await buildImage(root)
  } catch (error) {
    const isOffline = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|ETIMEDOUT)\b/.test(String(error))
    if (!isOffline || process.env.CI) throw error
    return undefined
  }
}

describe.skipIf(image === undefined)('the container image', () => {
  if (image === undefined) return
  const { runtime } = image
  const stage = useStage(runtime, ['/data', '/tmp'])
  const { command = [], healthcheck } = runtime
  const asked = healthcheck?.command ?? []
  const app = join(runtime.root, 'app')

  it('holds what is needed at run time and nothing else, in less than 25 MB beside its base', () => {
    const files = stage.files()
    const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0)
    process.stdout.write(`the container image adds ${(bytes / 1e6).toFixed(1)} MB to its base\n`)
    expect(bytes).toBeLessThan(MOST_BYTES)
    const packages = readdirSync(join(app, 'node_modules')).sort()
    expect(packages).toEqual(['@libsql', '@neon-rs', 'libsql', 'swagger-ui-dist'])
    expect(readdirSync(join(app, 'node_modules/@libsql'))).toHaveLength(1)
    const names = files.map((file) => relative(app, file))
    expect(names.filter((name) => /anvil|(?<!\.d)\.tsx?$|^\.env|^\.git|\.npmrc/.test(name))).toEqual([])
  })

  it('runs as a numeric user who is not root, in the exec form, and is stopped by the signal that is heard', () => {
    expect(idsOf(runtime.user ?? '').every((id) => id > 0)).toBe(true)
    expect(command[0]).toBe('node')
    expect(asked[0]).toBe('node')
    expect(runtime.stopSignal).toBe('SIGTERM')
    expect(runtime.exposed).toEqual([SERVICE.port.fallback])
  })

  it('says of itself what is so', () => {
    const { version, license } = z
      .object({ version: z.string(), license: z.string() })
      .parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')))
    expect(runtime.labels).toMatchObject({
      'org.opencontainers.image.version': version,
      'org.opencontainers.image.licenses': license,
    })
    const declared = [...VARIABLES.map(({ name }) => name), 'NODE_ENV']
    expect(Object.keys(runtime.environment).filter((name) => !declared.includes(name))).toEqual([])
    expect(runtime.environment.NODE_ENV).toBe('production')
  })

  it('is asked for longer than it takes to give up asking', () => {
    const seconds = (flag: string) => Number.parseInt(healthcheck?.flags[flag] ?? '', 10)
    // The command's own patience is 2.5 s, beside its start.
    expect(seconds('timeout')).toBeGreaterThanOrEqual(4)
    expect(seconds('interval')).toBeGreaterThan(seconds('timeout'))
    expect(seconds('start-period')).toBeGreaterThan(0)
  })

  it('serves from a read-only tree, keeps its store in /data, tells its health, and ends with 0 on SIGTERM', async () => {
    const environment = {
      ...environmentOf(chain, runtime.environment.DATABASE_URL ?? ''),
      HOST: '127.0.0.1',
      PORT: String(await freePort()),
      SHUTDOWN_TIMEOUT_MS: '2000',
    }
    const before = stage.files()
    expect(await stage.start(asked, environment).ends()).toBe(1)

    const service = stage.start(command, environment)
    const [, url = ''] = await service.says(/Remit is ready: REST (\S+), MCP/)
    await untilReady(url)
    expect(await stage.start(asked, environment).ends()).toBe(0)

    const state = await fetch(`${url}/protocol/state`)
    expect(await state.json()).toMatchObject({ chainId: chain.chainId, contractAddress: chain.contract })
    const document = await fetch(`${url}/openapi.json`)
    expect(await document.json()).toMatchObject({ openapi: expect.stringMatching(/^3\.1/) })
    await expectPage(`${url}/docs`)
    for (const file of ['client.tgz', 'client.js']) {
      expect([file, (await fetch(`${url}/${file}`)).status]).toEqual([file, 200])
    }

    const key = await developerKey(environment)
    const asDeveloper = await fetch(`${url}/protocol/state`, { headers: { Authorization: `Bearer ${key}` } })
    expect(asDeveloper.headers.get('X-Service-Lane')).toBe('developer')

    service.process.kill('SIGTERM')
    expect(await service.ends()).toBe(0)
    expect(await stage.start(asked, environment).ends()).toBe(1)
    expect(readdirSync(join(runtime.root, 'data'))).toContain('remit.db')
    expect(stage.files()).toEqual(before)
  }, 60_000)

  it('indexes with the same programs', async () => {
    const indexer = stage.start(['node', '--enable-source-maps', 'indexer.js'], {
      ...environmentOf(chain, 'file:/data/indexed.db'),
    })
    await indexer.says(new RegExp(`Remit indexes: chains ${chain.chainId}`))
    indexer.process.kill('SIGTERM')
    expect(await indexer.ends()).toBe(0)
  })

  it('points to sources where something breaks', () => {
    const { sources } = z
      .object({ sources: z.array(z.string()) })
      .parse(JSON.parse(readFileSync(join(app, 'main.js.map'), 'utf8')))
    expect(sources.some((source) => source.endsWith('/src/main.ts'))).toBe(true)
    expect(command).toContain('--enable-source-maps')
  })

  it.skipIf(!postgresIsInstalled || !redisIsInstalled)(
    'starts as compose.yaml says, over Postgres and Redis, as an API that only reads and an indexer',
    async () => {
      const compose = readCompose(join(root, 'compose.yaml'), {
        POSTGRES_PASSWORD: 'a-password',
        REDIS_PASSWORD: 'another-one',
      })
      const onThisMachine = {
        postgres: new URL(await postgres.createDatabase()),
        redis: new URL(redis.url),
        ports: { PORT: String(await freePort()), METRICS_PORT: '0' },
      }
      const environment = (name: string) => ({
        // What .env has to say.
        ...environmentOf(chain, ''),
        ...moved(compose.service(name).environment, onThisMachine),
      })
      const api = stage.start(compose.service('api').command ?? command, environment('api'))
      const indexer = stage.start(compose.service('indexer').command ?? [], environment('indexer'))
      const [, url = ''] = await api.says(/Remit is ready: REST (\S+), MCP/)
      await indexer.says(/Remit indexes/)
      await untilReady(url)
      expect(await stage.start(asked, environment('api')).ends()).toBe(0)
      const { chains } = z
        .object({ chains: z.array(z.object({ index: z.object({ ok: z.boolean(), synced: z.boolean() }) })) })
        .parse(await synced(url))
      expect(chains).toMatchObject([{ index: { ok: true, synced: true } }])
      expect((await fetch(`${url}/protocol/state`)).status).toBe(200)
      const counters = new Redis(redis.url)
      expect(await counters.dbsize()).toBeGreaterThan(0)
      counters.disconnect()
      for (const program of [api, indexer]) {
        program.process.kill('SIGTERM')
        expect(await program.ends()).toBe(0)
      }
    },
    60_000,
  )

  async function developerKey(environment: Record<string, string>): Promise<string> {
    const created = stage.start(['node', 'keys.js', 'create', '--subject', 'ada'], environment)
    expect(await created.ends(), created.output()).toBe(0)
    return /svc_\S+/.exec(created.output())?.[0] ?? ''
  }
})

/** The page with all that it loads comes from the service itself. */
async function expectPage(url: string): Promise<void> {
  const page = await fetch(url, { headers: { Accept: 'text/html' } })
  const html = await page.text()
  expect(page.headers.get('Content-Type')).toMatch(/^text\/html/)
  const links = [...html.matchAll(/(?:src|href)="([^"]+\.(?:js|css|png))"/g)].map(([, link = '']) => link)
  expect(links.length).toBeGreaterThanOrEqual(4)
  for (const link of links) {
    const asset = await fetch(new URL(link, url))
    expect([link, asset.status]).toEqual([link, 200])
    await asset.arrayBuffer()
  }
}

interface Servers {
  readonly postgres: URL
  readonly redis: URL
  readonly ports: Readonly<Record<string, string>>
}

/** An environment of compose, with the stores and the ports of this machine and nothing else changed. */
function moved(environment: Readonly<Record<string, string>>, servers: Servers): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => {
      const url = URL.canParse(value) ? new URL(value) : undefined
      const server = { postgres: servers.postgres, redis: servers.redis }[url?.hostname ?? '']
      if (url === undefined || server === undefined) return [name, servers.ports[name] ?? value]
      url.host = server.host
      url.pathname = server.pathname
      return [name, url.href]
    }),
  )
}

async function untilReady(url: string): Promise<void> {
  const deadline = performance.now() + 10_000
  while ((await fetch(`${url}/ready`)).status !== 200) {
    if (performance.now() > deadline) throw new Error('the service was never ready')
    await sleep(50)
  }
}

/** The status, once the index of every chain is at its head. */
async function synced(url: string): Promise<unknown> {
  const deadline = performance.now() + 10_000
  for (;;) {
    const status: unknown = await (await fetch(`${url}/status`)).json()
    if (!JSON.stringify(status).includes('"synced":false') || performance.now() > deadline) return status
    await sleep(50)
  }
}
