import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type Anvil, startAnvil } from './anvil.ts'
import { createDevClient } from './client.ts'

const started: Anvil[] = []
async function start(options?: Parameters<typeof startAnvil>[0]): Promise<Anvil> {
  const anvil = await startAnvil(options)
  started.push(anvil)
  return anvil
}
afterEach(async () => {
  await Promise.all(started.splice(0).map((anvil) => anvil.stop()))
})

const answers = (url: string) =>
  createDevClient(url)
    .getChainId()
    .then(
      () => true,
      () => false,
    )

describe('anvil', () => {
  test('has the chain id and the genesis time that were asked for', async () => {
    const anvil = await start({ chainId: 4242, timestamp: 1_700_000_000, gasLimit: 77_000_000n })
    const client = createDevClient(anvil.url)
    expect(await client.getChainId()).toBe(4242)
    const genesis = await client.getBlock()
    expect(genesis.timestamp).toBe(1_700_000_000n)
    expect(genesis.gasLimit).toBe(77_000_000n)
    expect((await client.getBlock({ blockTag: 'finalized' })).number).toBe(0n)
  })

  test('runs beside another one, each on its own free port', async () => {
    const [one, two] = await Promise.all([start(), start()])
    expect(one.port).not.toBe(two.port)
    expect(one.cachePath).not.toBe(two.cachePath)
    expect([await answers(one.url), await answers(two.url)]).toEqual([true, true])
  })

  test('is found by nobody who is not told, where it is hidden', async () => {
    const anvil = await start({ isHidden: true })
    expect(await answers(anvil.url)).toBe(true)
    const headers = { Origin: 'http://localhost:3000', 'Access-Control-Request-Method': 'POST' }
    const preflight = await fetch(anvil.url, { method: 'OPTIONS', headers })
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull()
    if (process.platform !== 'linux') return
    expect(anvil.url).toMatch(/^http:\/\/127\.(?!0\.)/)
    expect(await answers(`http://127.0.0.1:${anvil.port}`)).toBe(false)
    const other = await start({ isHidden: true })
    expect(new URL(other.url).hostname).not.toBe(new URL(anvil.url).hostname)
  })

  test('refuses to start on a port that is taken, and quotes anvil', async () => {
    const { port } = await start()
    await expect(startAnvil({ port })).rejects.toThrow(/address already in use/i)
  })

  test('has ended and removed its cache after stop, which may be called twice', async () => {
    const { url, cachePath, exited, stop } = await start()
    expect(existsSync(cachePath)).toBe(true)
    await Promise.all([stop(), stop()])
    await stop()
    expect(await exited).toBeUndefined()
    expect(await answers(url)).toBe(false)
    expect(existsSync(cachePath)).toBe(false)
  })
})

/** Starts an anvil in a process of its own, which then waits for its end. */
async function startElsewhere(): Promise<{ process: ChildProcess; url: string; cachePath: string }> {
  const script = `
    import { startAnvil } from ${JSON.stringify(new URL('./anvil.ts', import.meta.url).href)}
    const { url, cachePath } = await startAnvil()
    console.log(JSON.stringify({ url, cachePath }))
    process.stdin.once('data', () => process.exit(0))
  `
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const [line] = await once(createInterface(child.stdout), 'line')
  const { url, cachePath } = JSON.parse(String(line))
  return { process: child, url: String(url), cachePath: String(cachePath) }
}

test.each(['SIGKILL', 'SIGTERM', 'SIGINT', 'exit'] as const)(
  'the end of the process that started anvil by %s ends anvil and removes its cache',
  async (how) => {
    const { process: child, url, cachePath } = await startElsewhere()
    expect(await answers(url)).toBe(true)
    if (how === 'exit') child.stdin?.write('\n')
    else child.kill(how)
    await once(child, 'exit')
    await vi.waitFor(async () => {
      expect(existsSync(cachePath)).toBe(false)
      expect(await answers(url)).toBe(false)
    }, 10_000)
  },
)
