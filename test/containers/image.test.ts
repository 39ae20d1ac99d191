import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { SERVICE } from '@remit/service/configuration/variables/service'
import { VARIABLES } from '@remit/service/testing/configuration/variables'
import { Redis } from 'ioredis'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { useTestChain } from '../support/chain/useTestChain.ts'
import { freePort } from '../support/service/freePort.ts'
import { environmentOf } from '../support/service/indexer.ts'
import { postgresIsInstalled, usePostgres } from '../support/stores/postgres.ts'
import { redisIsInstalled, useRedis } from '../support/stores/useRedis.ts'
import { canBuildImages, useBuildah } from './buildah.ts'
import { baseImagesOf, buildImage, type Image } from './buildImage.ts'
import { filesBelow, filesHolding, writablePaths } from './filesInside.ts'
import { makeBaseImage } from './makeBaseImage.ts'
import { readCompose } from './readCompose.ts'
import { type Container, startContainer } from './startContainer.ts'

const MOST_BYTES = 25_000_000
/** A password for a registry that nobody asks. */
const SECRET = 'a1npm-password-of-the-builder9z'

const Manifest = z.object({
  version: z.string(),
  license: z.string(),
  dependencies: z.record(z.string(), z.string()).default({}),
})

const root = fileURLToPath(new URL('../..', import.meta.url))
const buildah = useBuildah()
const image = await built()
const chain = await useTestChain()
const postgres = usePostgres()
const redis = useRedis()

/** `undefined` where the builder is missing or npm has no network; with CI set it throws. */
async function built(): Promise<Image | undefined> {
  if (!canBuildImages) return undefined
  try {
    const bases = baseImagesOf(readFileSync(join(root, 'Dockerfile'), 'utf8'))
    for (const base of bases) await makeBaseImage(buildah, base)
    const npmrc = `//npm.example/:_authToken=${SECRET}`
    return await buildImage(buildah, { context: root, npmrc, name: 'localhost/remit:tested' })
  } catch (error) {
    const isOffline = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|ETIMEDOUT)\b/.test(String(error))
    if (!isOffline || process.env.CI) throw error
    return undefined
  }
}

const container = image && (await startContainer(buildah, image.name))

describe.skipIf(image === undefined)('the container image', () => {
  it('is what buildah makes of the Dockerfile', () => expect(image?.config.Cmd).toContain('main.js'))

  if (image === undefined || container === undefined) return
  const { config } = image
  const command = config.Cmd
  const [form, ...asked] = config.Healthcheck.Test
  const environment = Object.fromEntries(config.Env.map((each) => each.split(/=(.*)/s, 2)))

  it('holds what is needed at run time and nothing else, in less than 25 MB beside its base', async () => {
    const files = await filesBelow(container, '/app')
    const bytes = files.reduce((sum, { size }) => sum + size, 0)
    process.stdout.write(`the container image adds ${(bytes / 1e6).toFixed(1)} MB to its base\n`)
    expect(bytes).toBeLessThan(MOST_BYTES)
    const packages = files.flatMap(
      ({ path }) => /^\/app\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [],
    )
    const { dependencies } = readManifest('node_modules/libsql/package.json')
    expect(packages).toContain('libsql')
    const wanted = ['libsql', 'swagger-ui-dist', ...Object.keys(dependencies)]
    const others = new Set(packages.filter((name) => !wanted.includes(name)))
    // The native part of this platform.
    expect([...others]).toEqual([expect.stringMatching(/^@libsql\/linux-/)])
    const unwanted = /anvil|(?<!\.d)\.tsx?$|\/\.env|\/\.git|\.npmrc/
    expect(files.filter(({ path }) => unwanted.test(path))).toEqual([])
  })

  it('has no trace of the settings that npm was given to build it', async () => {
    expect(image.metadata).not.toContain(SECRET)
    expect(image.metadata).not.toContain('npm.example')
    expect(await filesHolding(container, SECRET)).toEqual([])
    // The search does find what is there.
    expect(await filesHolding(container, 'swagger-ui-dist')).toContain(
      '/app/node_modules/swagger-ui-dist/package.json',
    )
  })

  it('runs as a numeric user who is not root, in the exec form, and is stopped by the signal that is heard', async () => {
    const [, uid, gid] = /^(\d+):(\d+)$/.exec(config.User) ?? []
    const ids = JSON.parse(
      await container.evaluate('console.log(JSON.stringify([process.getuid(), process.getgid()]))'),
    )
    expect(ids).toEqual([Number(uid), Number(gid)])
    expect(ids).not.toContain(0)
    expect([command[0], form, asked[0]]).toEqual(['node', 'CMD', 'node'])
    expect(config.StopSignal).toBe('SIGTERM')
    expect(Object.keys(config.ExposedPorts)).toEqual([`${SERVICE.port.fallback}/tcp`])
  })

  it('says of itself what is so', async () => {
    const { version, license } = readManifest('package.json')
    expect(config.Labels).toMatchObject({
      'org.opencontainers.image.version': version,
      'org.opencontainers.image.licenses': license,
    })
    const ofBase = ['PATH', 'NODE_VERSION']
    const declared = [...VARIABLES.map(({ name }) => name), 'NODE_ENV', ...ofBase]
    expect(Object.keys(environment).filter((name) => !declared.includes(name))).toEqual([])
    expect(environment.NODE_ENV).toBe('production')
    expect(await container.evaluate('console.log(process.versions.node)')).toBe(environment.NODE_VERSION)
  })

  it('is asked for longer than it takes to give up asking', () => {
    const { Interval, Timeout, StartPeriod } = config.Healthcheck
    // The command's own patience is 2.5 s, beside its start.
    expect(Timeout / 1e9).toBeGreaterThanOrEqual(4)
    expect(Interval).toBeGreaterThan(Timeout)
    expect(StartPeriod).toBeGreaterThan(0)
  })

  it('lets its user write to /data and to /tmp and nowhere else', async () => {
    expect((await writablePaths(container)).sort()).toEqual(['/data', '/tmp'])
  })

  it('serves, keeps its store in /data, tells its health, and ends with 0 on SIGTERM', async () => {
    const environment = {
      ...environmentOf(chain, 'file:/data/remit.db'),
      HOST: '127.0.0.1',
      PORT: String(await freePort()),
      SHUTDOWN_TIMEOUT_MS: '2000',
    }
    const before = await filesBelow(container, '/app')
    expect(await container.start(asked, environment).ends()).toBe(1)

    const service = container.start(command, environment)
    const [, url = ''] = await service.says(/Remit is ready: REST (\S+), MCP/)
    await untilReady(url)
    expect(await container.start(asked, environment).ends()).toBe(0)

    const state = await fetch(`${url}/protocol/state`)
    expect(await state.json()).toMatchObject({ chainId: chain.chainId, contractAddress: chain.contract })
    const document = await fetch(`${url}/openapi.json`)
    expect(await document.json()).toMatchObject({ openapi: expect.stringMatching(/^3\.1/) })
    await expectPage(`${url}/docs`)
    for (const file of ['client.tgz', 'react.tgz', 'client.js', 'engine.js']) {
      expect([file, (await fetch(`${url}/${file}`)).status]).toEqual([file, 200])
    }

    const key = await developerKey(container, environment)
    const asDeveloper = await fetch(`${url}/protocol/state`, { headers: { Authorization: `Bearer ${key}` } })
    expect(asDeveloper.headers.get('X-Service-Lane')).toBe('developer')

    await service.signal('SIGTERM')
    expect(await service.ends()).toBe(0)
    expect(await container.start(asked, environment).ends()).toBe(1)
    expect((await filesBelow(container, '/data')).map(({ path }) => path)).toContain('/data/remit.db')
    expect(await filesBelow(container, '/app')).toEqual(before)
  }, 60_000)

  it('indexes with the same programs', async () => {
    const indexer = container.start(['node', '--enable-source-maps', 'main.js', 'index'], {
      ...environmentOf(chain, 'file:/data/indexed.db'),
    })
    await indexer.says(new RegExp(`Remit indexes: chains ${chain.chainId}`))
    await indexer.signal('SIGTERM')
    expect(await indexer.ends()).toBe(0)
  })

  it('points to sources where something breaks', async () => {
    const map = await container.evaluate(
      'console.log(require("node:fs").readFileSync("main.js.map", "utf8"))',
    )
    const { sources } = z.object({ sources: z.array(z.string()) }).parse(JSON.parse(map))
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
      const environmentFor = (name: string) => ({
        // What .env has to say.
        ...environmentOf(chain, ''),
        ...moved(compose.service(name).environment, onThisMachine),
      })
      const api = container.start(compose.service('api').command ?? command, environmentFor('api'))
      const indexer = container.start(compose.service('indexer').command ?? [], environmentFor('indexer'))
      const [, url = ''] = await api.says(/Remit is ready: REST (\S+), MCP/)
      await indexer.says(/Remit indexes/)
      await untilReady(url)
      expect(await container.start(asked, environmentFor('api')).ends()).toBe(0)
      const { chains } = z
        .object({ chains: z.array(z.object({ index: z.object({ ok: z.boolean(), synced: z.boolean() }) })) })
        .parse(await synced(url))
      expect(chains).toMatchObject([{ index: { ok: true, synced: true } }])
      expect((await fetch(`${url}/protocol/state`)).status).toBe(200)
      const counters = new Redis(redis.url)
      expect(await counters.dbsize()).toBeGreaterThan(0)
      counters.disconnect()
      for (const program of [api, indexer]) {
        await program.signal('SIGTERM')
        expect(await program.ends()).toBe(0)
      }
    },
    60_000,
  )
})

function readManifest(file: string): z.output<typeof Manifest> {
  return Manifest.parse(JSON.parse(readFileSync(join(root, file), 'utf8')))
}

async function developerKey(inside: Container, environment: Record<string, string>): Promise<string> {
  const created = inside.start(['node', 'main.js', 'keys', 'create', '--subject', 'ada'], environment)
  expect(await created.ends(), created.output()).toBe(0)
  return /svc_\S+/.exec(created.output())?.[0] ?? ''
}

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
