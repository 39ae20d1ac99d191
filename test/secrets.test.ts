import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, it } from 'vitest'
import * as z from 'zod'
import { useTestChain } from './support/chain/useTestChain.ts'
import { useCountingProxy } from './support/nodes/countingProxy.ts'
import { type Program, runBundled } from './support/programs/program.ts'
import { useBundle } from './support/programs/useBundle.ts'
import { postgresIsInstalled, usePostgres } from './support/stores/postgres.ts'
import { redisIsInstalled, useRedis } from './support/stores/useRedis.ts'

const chain = await useTestChain()
const node = await useCountingProxy(chain.url)
const postgres = usePostgres()
const redis = useRedis()

const folder = mkdtempSync(join(tmpdir(), 'remit-secrets-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const databaseFile = () => `file:${join(folder, randomUUID())}.db`

/** Each is recognised by its middle, so that a part of it is found as well. */
const RPC_PATH_KEY = 'a1rpc-path-key-of-the-operator9z'
const RPC_QUERY_KEY = 'a1rpc-query-key-of-the-operator9z'
const ADMIN_SECRET = 'a1admin-secret-of-the-operator9z'
const BASIC_PASSWORD = 'a1basic-password-of-the-operator9z'
const DATABASE_PASSWORD = 'a1database-password-of-the-operator9z'
const REDIS_PASSWORD = 'a1redis-password-of-the-operator9z'
const IDENTITY_KEY = 'a1identity-key-of-the-operator9z'
const WRONG_SECRET = 'a1wrong-secret-of-somebody9z'
const WRONG_KEY = `svc_${'wrongkeyofsomebody'.repeat(3).slice(0, 49)}`
const CLIENT = '203.0.113.77'
const OTHER_CLIENT = '203.0.113.78'
const CLIENT_V6 = '2001:db8:1234:5678:9abc:def0:1357:2468'

const Created = z.object({ id: z.string(), token: z.string() })

/** One run of the real program, and everything that anybody but the caller of a success was told. */
async function session() {
  const databaseUrl = postgresIsInstalled
    ? withPassword(await postgres.createDatabase(), 'remit', DATABASE_PASSWORD)
    : ''
  const program = runBundled(await useBundle('packages/service/src/main.ts'), [], {
    PORT: '0',
    METRICS_PORT: '0',
    HOST: '127.0.0.1',
    LOG_LEVEL: 'trace',
    LOG_IDENTITY_KEY: IDENTITY_KEY,
    DATABASE_URL: postgresIsInstalled ? databaseUrl : databaseFile(),
    ...(redisIsInstalled ? { REDIS_URL: withPassword(redis.url, 'default', REDIS_PASSWORD) } : {}),
    DEFAULT_REST_CHAIN_ID: '31337',
    RPC_URL_31337: `${node.url}/v2/${RPC_PATH_KEY}?apikey=${RPC_QUERY_KEY},http://127.0.0.1:9/${RPC_PATH_KEY}`,
    CONTRACT_ADDRESS_31337: chain.contract,
    RPC_TIMEOUT_MS: '600',
    API_REQUIRE_BASIC_AUTH: 'true',
    API_BASIC_AUTH_USER: 'operator',
    API_BASIC_AUTH_PASSWORD: BASIC_PASSWORD,
    DEVELOPER_KEYS_ADMIN_SECRET: ADMIN_SECRET,
    TRUSTED_PROXIES: '127.0.0.1',
    LIMIT_AUTH_FAILURES_RPM: '5',
    SHUTDOWN_TIMEOUT_MS: '500',
  })
  const [, url = ''] = await program.says(/Remit is ready: REST (\S+), MCP/)
  const [, metricsPort] = await program.says(/"port":(\d+),"msg":"Metrics are served"/)
  const told: string[] = []

  async function ask(
    path: string,
    init: RequestInit = {},
    from = CLIENT,
  ): Promise<{ status: number; text: string }> {
    const basic = `Basic ${Buffer.from(`operator:${BASIC_PASSWORD}`).toString('base64')}`
    const headers = { Authorization: basic, 'X-Forwarded-For': from, ...init.headers }
    const response = await fetch(`${url}${path}`, { ...init, headers })
    const text = await response.text()
    if (response.status >= 400)
      told.push(`${response.status} ${JSON.stringify([...response.headers])} ${text}`)
    return { status: response.status, text }
  }
  const post = (path: string, body: unknown, headers: Record<string, string> = {}, from = CLIENT) => {
    const init = {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify(body),
    }
    return ask(path, init, from)
  }
  const metrics = async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  while ((await ask('/ready')).status !== 200) await sleep(20)
  return { program, port: Number(new URL(url).port), ask, post, metrics, told }
}

type Session = Awaited<ReturnType<typeof session>>

/** Everything that callers do with keys and secrets, rightly and wrongly. Returns the keys that were made. */
async function callers({ ask, post, port, told }: Session): Promise<string[]> {
  const admin = { 'X-Service-Admin-Key': ADMIN_SECRET }
  const made = await post('/developer/keys', { subjectId: 'ada' }, admin)
  expect(made.status).toBe(201)
  const { id, token } = Created.parse(JSON.parse(made.text))
  const call = (key: string) => ({ 'X-API-Key': key })
  expect((await ask('/protocol/state', { headers: call(token) })).status).toBe(200)
  expect((await ask('/protocol/state', {}, CLIENT_V6)).status).toBe(200)
  expect((await ask(`/subscriptions/${'x'.repeat(10)}`, { headers: call(token) })).status).toBe(400)
  const tool = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'get_protocol_state', arguments: {} },
  }
  expect((await post('/mcp', tool, call(token))).status).toBe(200)

  expect((await post('/mcp', tool, call(WRONG_KEY))).status).toBe(401)
  expect((await ask('/protocol/state', { headers: call(`${token}x`) })).status).toBe(401)
  expect(
    (
      await ask('/protocol/state', {
        headers: { Authorization: `Basic ${btoa(`operator:${WRONG_SECRET}`)}` },
      })
    ).status,
  ).toBe(401)
  expect(
    (await post('/developer/keys', { subjectId: 'eve' }, { 'X-Service-Admin-Key': WRONG_SECRET })).status,
  ).toBe(401)
  expect((await ask(`/developer/keys/${id}`, { method: 'DELETE', headers: admin })).status).toBe(200)
  expect((await ask('/protocol/state', { headers: call(token) })).status).toBe(401)
  expect((await ask('/protocol/state', { headers: call(WRONG_KEY) })).status).toBe(429)
  // Bytes that are no request, with secrets in them.
  for (const bytes of [
    `${ADMIN_SECRET}\r\n\r\n`,
    `GET / HTTP/1.1\r\nX-Service-Admin-Key: ${ADMIN_SECRET}\r\n\r\n`,
    `GET / HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${token}\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`,
  ]) {
    told.push(await raw(port, bytes))
  }
  return [token]
}

/** Everything that goes wrong behind the service. */
async function failures({ ask, post, program }: Session): Promise<void> {
  const asked = async (path: string) => {
    await chain.advanceDays(1)
    const { number } = await chain.client.getBlock()
    return (await ask(`${path}?minBlock=${number}`, {}, OTHER_CLIENT)).status
  }
  const quoting = {
    error: { code: -32000, message: `project ${RPC_PATH_KEY} (${RPC_QUERY_KEY}) is disabled` },
  }
  node.fail({ answer: ({ method }) => (method === 'eth_getBlockByNumber' ? undefined : quoting) })
  expect(await asked('/protocol/state')).toBe(502)
  const from = chain.wallets.alice
  // What fails is late on a busy machine.
  expect(
    (await post('/prepare/revoke_allowance', { from, token: chain.tokens.usdc }, {}, OTHER_CLIENT)).status,
  ).toBeOneOf([502, 504])
  for (const fault of [
    { status: 403 },
    { drop: true },
    { hang: true },
    { body: `<html>${RPC_PATH_KEY}</html>` },
  ]) {
    node.fail(fault)
    expect(await asked('/protocol/state')).toBeGreaterThanOrEqual(502)
  }
  node.fail({})
  if (redisIsInstalled) await redis.kill()
  if (postgresIsInstalled) await postgres.kill()
  await ask('/protocol/state', {}, OTHER_CLIENT)
  const { status } = await post(
    '/developer/keys',
    { subjectId: 'ada' },
    { 'X-Service-Admin-Key': ADMIN_SECRET },
    // The first client has spent what it may get wrong in a minute, and is refused whatever it sends.
    OTHER_CLIENT,
  )
  expect(status).toBe(postgresIsInstalled ? 503 : 201)
  await ask('/protocol/state', { headers: { 'X-API-Key': `svc_${'k'.repeat(49)}` } }, OTHER_CLIENT)
  expect(program.process.exitCode).toBeNull()
}

it('tells no secret and no address of a caller: not in its log, nor in errors, nor in its metrics', async () => {
  const running = await session()
  const keys = await callers(running)
  await failures(running)
  const metrics = await running.metrics()
  running.program.process.kill('SIGTERM')
  expect(await running.program.ends()).toBe(0)
  const log = running.program.output()

  const places = { log, metrics, errors: running.told.join('\n') }
  for (const [place, text] of Object.entries(places)) {
    for (const secret of [
      ...[RPC_PATH_KEY, RPC_QUERY_KEY, ADMIN_SECRET, BASIC_PASSWORD, DATABASE_PASSWORD, REDIS_PASSWORD],
      ...[IDENTITY_KEY, WRONG_SECRET, WRONG_KEY, ...keys],
    ]) {
      expect(text, place).not.toContain(secret.slice(8, -8))
      expect(text, place).not.toContain(Buffer.from(`operator:${secret}`).toString('base64').slice(0, -4))
    }
    for (const address of [CLIENT, CLIENT_V6, '2001:db8:1234:5678', OTHER_CLIENT]) {
      expect(text, place).not.toContain(address)
    }
  }
  // The places were not empty: what went wrong was told, and what nodes quoted was left out.
  expect(log.match(/"msg":"request"/g)?.length).toBeGreaterThan(15)
  expect(log).toContain('project … (…) is disabled')
  expect(log).toMatch(/"operation":"create_key",.*"status":201/)
  // Whoever tries credentials can be told apart from others.
  expect(log).toMatch(/"caller":"[0-9a-f]{16}",.*"status":401,"code":"UNAUTHORIZED"/)
  expect(running.told.length).toBeGreaterThan(12)
  expect(metrics).toMatch(
    /remit_upstream_failures_total\{chain="31337",endpoint="2",kind="unreachable"\} [1-9]/,
  )
}, 60_000)

it('names no password where a database or Redis cannot be reached at the start', async () => {
  const outputs = await Promise.all(
    [
      { DATABASE_URL: `postgres://remit:${DATABASE_PASSWORD}@127.0.0.1:9/remit` },
      { DATABASE_URL: databaseFile(), REDIS_URL: `redis://default:${REDIS_PASSWORD}@127.0.0.1:9` },
      { DATABASE_URL: `mysql://remit:${DATABASE_PASSWORD}@127.0.0.1/remit` },
    ].map(outputOf),
  )
  for (const output of outputs) {
    expect(output).not.toBe('')
    expect(output).not.toContain(DATABASE_PASSWORD.slice(8, -8))
    expect(output).not.toContain(REDIS_PASSWORD.slice(8, -8))
  }
}, 60_000)

/** What a start says that may fail. */
async function outputOf(environment: Record<string, string>): Promise<string> {
  const program: Program = runBundled(await useBundle('packages/service/src/main.ts'), [], {
    PORT: '0',
    HOST: '127.0.0.1',
    DEFAULT_REST_CHAIN_ID: '31337',
    RPC_URL_31337: node.url,
    CONTRACT_ADDRESS_31337: chain.contract,
    ...environment,
  })
  await Promise.race([program.ends(30_000), program.says(/Remit is ready/, 30_000)]).catch(() => {})
  await sleep(200)
  program.process.kill('SIGTERM')
  await program.ends()
  return program.output()
}

function withPassword(url: string, user: string, password: string): string {
  const parsed = new URL(url)
  parsed.username = user
  parsed.password = password
  return parsed.href
}

function raw(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      if (text.includes('"requestId"')) socket.destroy()
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(text))
  })
}
