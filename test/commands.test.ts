import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { useTestChain } from './support/chain/useTestChain.ts'
import { useDnsServer } from './support/dns/useDnsServer.ts'
import { type Program, run, runBundled } from './support/programs/program.ts'
import { useBundle } from './support/programs/useBundle.ts'

const chain = await useTestChain()
/** What npm starts, as a bundle. The first test of each command starts it as npm does; at night test/readme does too. */
const devnet = await useBundle('packages/devchain/src/main.ts')
const main = await useBundle('packages/service/src/main.ts')
const anywhere = { PORT: '0', DEVNET_PORT: '0' }
const READY = /Remit is ready: REST (\S+), MCP (\S+), chain 31337 at (\S+)/

async function started(program: Program): Promise<{ rest: string; rpc: string }> {
  const [, rest = '', , rpc = ''] = await program.says(READY)
  return { rest, rpc }
}

async function answers(url: string): Promise<boolean> {
  return fetch(url, { method: 'POST', body: '{}' }).then(
    () => true,
    () => false,
  )
}

async function goneFrom(url: string): Promise<boolean> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    if (!(await answers(url))) return true
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return false
}

const State = z.object({
  asOf: z.object({ blockNumber: z.number() }),
  currentDay: z.object({ dayNumber: z.number() }),
})

async function stateOf(rest: string, query = '') {
  const response = await fetch(`${rest}/protocol/state${query}`)
  return State.parse(await response.json())
}

describe('npm start', () => {
  it('listens, says in its last line that it is ready, takes a subscription through its life, and follows the clock', async () => {
    const service = run('packages/devchain/src/main.ts', [], anywhere)
    const { rest, rpc } = await started(service)
    const lines = service.output().trim().split('\n')
    const named = expect.stringMatching(/^Requests are logged to \S+$/)
    expect(lines).toEqual([`listening on ${rest}`, named, expect.stringMatching(READY)])
    const [, secret = ''] = await service.says(/admin secret (\S+)/)
    const keys = await fetch(`${rest}/developer/keys`, { headers: { Authorization: `Bearer ${secret}` } })
    expect(keys.status).toBe(200)

    const demo = runBundled(await useBundle('packages/devchain/src/demo/main.ts'), [
      '--url',
      rest,
      '--rpc',
      rpc,
    ])
    expect(await demo.ends(60_000), demo.output()).toBe(0)
    expect(demo.output()).toContain('The whole life of a subscription, as expected.')

    const before = await stateOf(rest)
    const advance = runBundled(await useBundle('packages/devchain/src/commands/advance.ts'), [
      '--days',
      '30',
      '--rpc',
      rpc,
    ])
    expect(await advance.ends()).toBe(0)
    const after = await stateOf(rest, `?minBlock=${before.asOf.blockNumber + 1}`)
    expect(after.currentDay.dayNumber - before.currentDay.dayNumber).toBe(30)
  }, 90_000)

  it('runs twice side by side, and each ends all of its own in order on SIGINT and on SIGTERM', async () => {
    const services = [runBundled(devnet, [], anywhere), runBundled(devnet, [], anywhere)]
    const urls = await Promise.all(services.map(started))
    expect(new Set(urls.flatMap(({ rest, rpc }) => [rest, rpc])).size).toBe(4)
    for (const [index, signal] of (['SIGINT', 'SIGTERM'] as const).entries()) {
      services[index]?.process.kill(signal)
      expect(await services[index]?.ends()).toBe(0)
      expect(await answers(urls[index]?.rest ?? '')).toBe(false)
      expect(await goneFrom(urls[index]?.rpc ?? '')).toBe(true)
      const other = urls[index + 1]
      if (other !== undefined)
        expect([await answers(other.rest), await answers(other.rpc)]).toEqual([true, true])
    }
  })

  it('leaves no chain behind when it is killed', async () => {
    const service = runBundled(devnet, [], anywhere)
    const { rpc } = await started(service)
    service.process.kill('SIGKILL')
    expect(await service.ends()).toBe('SIGKILL')
    expect(await goneFrom(rpc)).toBe(true)
  })

  it('says which variable to change where a port is taken', async () => {
    const { rest, rpc } = await started(runBundled(devnet, [], anywhere))
    const refused = async (environment: Record<string, string>) => {
      const second = runBundled(devnet, [], { ...anywhere, ...environment })
      expect(await second.ends()).toBe(1)
      return second.output().trim()
    }
    expect(await refused({ PORT: new URL(rest).port })).toMatch(/^The service's port is taken.* set PORT/)
    expect(await refused({ DEVNET_PORT: new URL(rpc).port })).toMatch(/^Port \d+ is taken: set DEVNET_PORT/)
    expect(await refused({ DEVNET_PORT: 'any' })).toMatch(/^DEVNET_PORT must be/)
  })
})

describe('npm run serve', () => {
  const folder = mkdtempSync(join(tmpdir(), 'remit-serve-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('serves the chains of the environment', async () => {
    const program = run('packages/service/src/main.ts', [], {
      PORT: '0',
      HOST: '127.0.0.1',
      DEFAULT_REST_CHAIN_ID: '31337',
      RPC_URL_31337: chain.url,
      CONTRACT_ADDRESS_31337: chain.contract,
      DATABASE_URL: `file:${join(folder, 'remit.db')}`,
    })
    const [, rest = ''] = await program.says(/Remit is ready: REST (\S+), MCP/)
    // The chain's head is months old, so the clock on the wall tells the day.
    expect((await stateOf(rest)).currentDay.dayNumber).toBe(Math.floor(Date.now() / 86_400_000))
    program.process.kill('SIGTERM')
    expect(await program.ends()).toBe(0)
  })

  it('stops with a sentence that names the variable where the default chain has no RPC URL', async () => {
    const program = runBundled(main)
    expect(await program.ends()).toBe(1)
    expect(program.output().trim()).toMatch(/^RPC_URL_8453 is not set: .*npm start/)
  })
})

const dns = await useDnsServer()

describe('npm run doctor -- --start', () => {
  const folder = mkdtempSync(join(tmpdir(), 'remit-check-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const well = {
    DEFAULT_REST_CHAIN_ID: '31337',
    RPC_URL_31337: chain.url,
    CONTRACT_ADDRESS_31337: chain.contract,
    DATABASE_URL: `file:${join(folder, 'new', 'remit.db')}`,
  }
  const check = async (environment: Record<string, string>) => {
    const program = runBundled(main, ['doctor', '--start'], environment)
    const code = await program.ends()
    const rows = program.output().split('\n')
    return { code, rows: rows.filter((row) => /^ {2}(ok|note|BAD) /.test(row)) }
  }

  it('says how each part is, and starts and makes nothing', async () => {
    const { rows } = await check({ ...well, RPC_URL_31337: `${chain.url},ws://127.0.0.1:9`, REDIS_ULR: 'x' })
    expect(rows).toEqual([
      expect.stringMatching(/^ {2}note +configuration {2}REDIS_ULR is no variable of this service/),
      '  ok      configuration  is valid',
      '  ok      store          is empty: the first start makes its schema',
      expect.stringMatching(/^ {2}ok +is on the right chain +yes, 31337/),
      expect.stringContaining(`has the protocol’s contract  ${chain.contract}`),
    ])
    expect(existsSync(join(folder, 'new'))).toBe(false)
  })

  it('names everything that is wrong at once, without a URL, and exits with 2', async () => {
    const { code, rows } = await check({
      ...well,
      RPC_URL_31337: `${chain.url},http://127.0.0.1:9/a-key-of-somebody`,
      CONTRACT_ADDRESS_31337: chain.tokens.usdc,
      RPC_TIMEOUT_MS: '2000',
      REDIS_URL: 'redis://:a-password@127.0.0.1:9',
      DNS_RESOLVER: dns.address,
      SECOND_DNS_RESOLVER: 'https://127.0.0.1:9/a-key-of-somebody',
      DATABASE_URL: `file:${folder}`,
    })
    expect(code).toBe(2)
    expect(rows).toEqual([
      expect.stringMatching(/^ {2}ok +configuration +is valid$/),
      expect.stringMatching(/^ {2}BAD +store +The store at DATABASE_URL cannot be opened/),
      expect.stringMatching(/^ {2}BAD +Redis +The shared counters are away: ECONNREFUSED$/),
      expect.stringMatching(/^ {2}ok +DNS_RESOLVER +answers$/),
      expect.stringMatching(/^ {2}BAD +SECOND_DNS_RESOLVER +does not answer/),
      expect.stringMatching(/^ {2}ok +is on the right chain/),
      expect.stringMatching(/^ {2}BAD +has the protocol’s contract +0x\w+ is not the protocol/),
      expect.stringMatching(/^ {2}BAD +is on the right chain +cannot be asked/),
    ])
    expect(rows.join()).not.toMatch(/a-key-of-somebody|a-password/)
  })

  it('names every variable that is wrong', async () => {
    const { code, rows } = await check({ PORT: 'http', LOG_LEVEL: 'loud' })
    expect(code).toBe(2)
    expect(rows.every((row) => row.startsWith('  BAD     configuration  '))).toBe(true)
    expect(rows).toHaveLength(3)
  })

  it('is what the service names to whoever gives it options', async () => {
    const program = runBundled(main, ['--check'], well)
    expect(await program.ends()).toBe(1)
    expect(program.output()).toContain('`node main.js doctor --start` checks what it needs')
  })
})

it.each(['keys', 'doctor', 'subgraph-compare'])(
  'the help of %s names commands that can be typed: with npm from the sources, and of the program in the bundle',
  async (command) => {
    const bundled = runBundled(main, [command, '--help'])
    const fromSources = run('packages/service/src/main.ts', [command, '--help'])
    expect([await bundled.ends(), await fromSources.ends()]).toEqual([0, 0])
    expect(bundled.output()).toContain(`  node main.js ${command} `)
    expect(bundled.output()).not.toContain('npm run')
    expect(fromSources.output()).toContain(`  npm run ${command}`)
    expect(fromSources.output()).not.toContain('node main.js')
  },
)

it('npm run demo says what to start where nothing runs', async () => {
  const demo = runBundled(await useBundle('packages/devchain/src/demo/main.ts'), [
    '--url',
    'http://127.0.0.1:9',
    '--rpc',
    'http://127.0.0.1:9',
  ])
  expect(await demo.ends()).toBe(1)
  expect(demo.output()).toContain('npm start')
})
