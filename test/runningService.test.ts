import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { environmentOver } from '@remit/devchain/testing/main'
import { expect, it } from 'vitest'
import { cacheHome, type Program, runBundled } from './support/programs/program.ts'
import { useBundle } from './support/programs/useBundle.ts'

const READY = /Remit is ready: REST (\S+), MCP (\S+), chain 31337 at (\S+)/
const ADA = '0x90F8bf6A479f320ead074411a4B0e7944Ea8c9C1'
/** The commands as bundles: `test/readme` starts them by npm, at night as they are written. */
const fund = await useBundle('packages/devchain/src/commands/fund.ts')
const advance = await useBundle('packages/devchain/src/commands/advance.ts')
const demonstrate = await useBundle('packages/devchain/src/demo/main.ts')
const subscribe = await useBundle('examples/node/subscribe.ts')
const folder = join(cacheHome(), 'remit', 'npm-start')

async function start(environment: Record<string, string> = {}) {
  const program = runBundled(await useBundle('packages/devchain/src/main.ts'), [], {
    PORT: '0',
    DEVNET_PORT: '0',
    ...environment,
  })
  const [, rest = '', , rpc = ''] = await program.says(READY, 60_000)
  return { program, rest, rpc }
}

async function said(program: Program): Promise<string> {
  expect(await program.ends(30_000), program.output()).toBe(0)
  return program.output()
}

async function block(rpc: string): Promise<number> {
  const request = { jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] }
  const headers = { 'Content-Type': 'application/json' }
  const response = await fetch(rpc, { method: 'POST', headers, body: JSON.stringify(request) })
  return Number(JSON.parse(await response.text()).result)
}

const written = () => readdirSync(folder).filter((name) => name.endsWith('.json'))

it('is written down while it runs, for its user alone, and keeps requests off the terminal', async () => {
  const { program, rest, rpc } = await start()
  const [, secret = ''] = await program.says(/admin secret (\S+)/)
  const [name = '', ...others] = written()
  expect(others).toEqual([])
  const path = join(folder, name)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(readFileSync(path, 'utf8')).not.toContain(secret)
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
    url: rest,
    mcpUrl: `${rest}/mcp`,
    rpcUrl: rpc,
    chainId: 31337,
    folder: process.cwd(),
    pid: expect.any(Number),
    startedAt: expect.any(Number),
  })

  const [, log = ''] = await program.says(/Requests are logged to (\S+)/)
  await fetch(`${rest}/protocol/state`)
  await fetch(`${rest}/none-such`)
  const requests = () => readFileSync(log, 'utf8').match(/"msg":"request"/g)?.length
  await expect.poll(requests).toBe(2)
  expect(statSync(log).mode & 0o777).toBe(0o600)
  expect(program.output()).not.toContain('"request"')
  expect(program.output().trim().split('\n').at(-1)).toMatch(READY)

  // Pages of this machine may call it and its chain, and no others.
  const allowed = async (url: string, origin: string) => {
    const headers = { Origin: origin, 'Access-Control-Request-Method': 'POST' }
    return (await fetch(url, { method: 'OPTIONS', headers })).headers.get('access-control-allow-origin')
  }
  expect(await allowed(`${rest}/prepare/remit`, 'http://localhost:5173')).toBe('http://localhost:5173')
  expect(await allowed(`${rest}/mcp`, 'http://localhost:5173')).toBe('http://localhost:5173')
  expect(await allowed(`${rest}/prepare/remit`, 'https://evil.example')).toBeNull()
  expect(await allowed(rpc, 'http://localhost:5173')).toBe('http://localhost:5173')
  expect(await allowed(rpc, 'https://evil.example')).toBeNull()

  program.process.kill('SIGTERM')
  expect(await program.ends()).toBe(0)
  expect(written()).toEqual([])
}, 90_000)

it('is open to the pages that the environment says where it says any', () => {
  const devnet = {
    chainId: 31337,
    url: 'http://127.0.0.1:8545',
    contractAddress: ADA,
    firstBlock: 1,
    tokens: { usdc: ADA, dai: ADA },
    cachePath: '/tmp',
  } as const
  const origins = (set: Record<string, string>) => environmentOver(devnet, set).API_CORS_ALLOWED_ORIGINS
  expect([origins({}), origins({ API_CORS_ALLOWED_ORIGINS: 'https://app.example' })]).toEqual([
    'loopback',
    'https://app.example',
  ])
})

it('is found by commands and examples whatever its ports, the newest of several', async () => {
  const older = await start()
  const [newer, killed] = await Promise.all([start(), start()])
  killed.program.process.kill('SIGKILL')
  await killed.program.ends()
  // Somebody else's process has the number of one that was killed.
  const stale = { url: killed.rest, mcpUrl: killed.rest, rpcUrl: killed.rpc, chainId: 31337 }
  const entry = { ...stale, pid: process.pid, startedAt: Date.now() + 60_000 }
  writeFileSync(join(folder, `${process.pid}.json`), JSON.stringify(entry))

  const blocks = async () => [await block(older.rpc), await block(newer.rpc)] as const
  const [first, second] = await blocks()
  expect(await said(runBundled(fund, [ADA]))).toContain(`${ADA} was given 10 ETH, 1000 `)
  expect(await said(runBundled(advance, ['--days', '1']))).toContain(
    `The service at ${newer.rest} has seen it.`,
  )
  expect(await said(runBundled(subscribe))).toContain('Next due')
  expect(await blocks()).toEqual([first, expect.any(Number)])
  expect((await blocks())[1]).toBeGreaterThanOrEqual(second + 6)

  await said(runBundled(fund, [ADA, '--eth', '1', '--url', older.rest]))
  expect((await blocks())[0]).toBe(first + 1)
  // A month in which nobody has called remit is in nobody's way.
  await said(runBundled(advance, ['--days', '30', '--rpc', older.rpc]))
  const demo = runBundled(demonstrate, [], { REMIT_URL: older.rest })
  expect(await demo.ends(120_000), demo.output()).toBe(0)
  expect((await blocks())[0]).toBeGreaterThan(first + 6)
}, 240_000)

it('runs where it can write nothing down, and says on the terminal what it would have logged', async () => {
  const { program, rest } = await start({ XDG_CACHE_HOME: '/dev/null' })
  await fetch(`${rest}/none-such`)
  await program.says(/"msg":"request"/)
}, 90_000)
