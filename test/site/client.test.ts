import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { PACKED } from '@remit/client/pack/packClient'
import { afterAll, describe, expect, it } from 'vitest'
import { browserIsInstalled, useBrowser } from '../support/browser/useBrowser.ts'
import { useTestChain } from '../support/chain/useTestChain.ts'
import { runBundled } from '../support/programs/program.ts'
import { bundleInto } from '../support/programs/useBundle.ts'
import { packedClient } from '../support/programs/useClientPackage.ts'
import { freePort } from '../support/service/freePort.ts'
import { useTestService } from '../support/service/testService.ts'

const runFile = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))

// As npm makes them when it installs the repository.
await cp(await packedClient(), PACKED, { recursive: true })
const chain = await useTestChain()
const pagePort = await freePort()
const pageOrigin = `http://127.0.0.1:${pagePort}`
const service = await useTestService([chain], { API_CORS_ALLOWED_ORIGINS: pageOrigin })
const closed = await useTestService([chain], { API_ENABLED: 'false' })

const folder = mkdtempSync(join(tmpdir(), 'remit-project-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the client that the service serves', () => {
  it.each([
    ['/client.tgz', 'application/gzip'],
    ['/api/client.tgz', 'application/gzip'],
    ['/react.tgz', 'application/gzip'],
    ['/client.js', 'text/javascript; charset=utf-8'],
    ['/engine.js', 'text/javascript; charset=utf-8'],
  ])('%s may be loaded by pages of every origin, and is kept by its ETag', async (path, type) => {
    const response = await fetch(service.url + path, { headers: { Origin: 'https://anywhere.example' } })
    expect(response.status).toBe(200)
    const { headers } = response
    expect(headers.get('content-type')).toBe(type)
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin')
    expect(headers.get('cache-control')).toBe('private, no-cache')
    expect(headers.get('ratelimit-policy')).not.toContain('globalRpm')
    const etag = headers.get('etag') ?? ''
    const again = await fetch(service.url + path, { headers: { 'If-None-Match': etag } })
    expect([again.status, again.headers.get('access-control-allow-origin')]).toEqual([304, '*'])
    const head = await fetch(service.url + path, { method: 'HEAD' })
    expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([200, etag, ''])
  })

  it('does not compress a second time what is compressed', async () => {
    const encoding = async (path: string) =>
      (await fetch(service.url + path, { headers: { 'Accept-Encoding': 'gzip' } })).headers.get(
        'content-encoding',
      )
    expect([await encoding('/client.tgz'), await encoding('/client.js')]).toEqual([null, 'gzip'])
  })

  it('is off with the API that it is for', async () => {
    const response = await fetch(`${closed.url}/client.js`)
    expect([response.status, await response.json()]).toMatchObject([503, { code: 'API_DISABLED' }])
  })

  it('is told to be missing, by name, where nobody has packed it', async () => {
    // A bundle elsewhere, with all that the service needs but this.
    mkdirSync(join(folder, 'bare'))
    for (const name of ['node_modules', 'docs']) symlinkSync(join(root, name), join(folder, 'bare', name))
    const bundle = await bundleInto(join(folder, 'bare'), 'packages/service/src/main.ts')
    const program = runBundled(bundle, [], {
      PORT: '0',
      HOST: '127.0.0.1',
      DEFAULT_REST_CHAIN_ID: String(chain.chainId),
      [`RPC_URL_${chain.chainId}`]: chain.url,
      [`CONTRACT_ADDRESS_${chain.chainId}`]: chain.contract,
      DATABASE_URL: `file:${join(folder, 'remit.db')}`,
    })
    const [, url = ''] = await program.says(/Remit is ready: REST (\S+), MCP/)
    const response = await fetch(`${url}/client.tgz`)
    expect([response.status, await response.json()]).toMatchObject([
      404,
      { code: 'NOT_FOUND', error: expect.stringContaining('npm run pack -w @remit/client') },
    ])
  })
})

it('is installed by npm into an empty project from the running service, with its types, and calls it', async () => {
  const project = join(folder, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  const { PATH, HOME } = process.env
  const env = { PATH, HOME, npm_config_cache: join(folder, 'cache'), npm_config_update_notifier: 'false' }
  // What it takes of the registry is linked below: npm would ask there for viem, the peer.
  const quietly = ['--legacy-peer-deps', '--no-audit', '--no-fund']
  await runFile('npm', ['install', ...quietly, `${service.url}/client.tgz`], { cwd: project, env })
  symlinkSync(join(root, 'node_modules', 'viem'), join(project, 'node_modules', 'viem'))
  writeFileSync(
    join(project, 'first.ts'),
    `import { createClient } from '@remit/client'
const client = createClient({ url: '${service.url}' })
const { chainId, daysBehind } = await client.getProtocolState()
const days: number = daysBehind
console.log(chainId, typeof days)
`,
  )
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2022',
    lib: ['es2022', 'dom'],
    types: [],
    strict: true,
    // test/client/package.test.ts checks the package's own declarations, and viem's with them.
    skipLibCheck: true,
  }
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['first.ts'] }))
  await runFile(join(root, 'node_modules', '.bin', 'tsc'), [], { cwd: project, env })
  const { stdout } = await runFile(process.execPath, ['first.js'], { cwd: project, env })
  expect(stdout).toBe(`${chain.chainId} number\n`)
  const command = join(project, 'node_modules', '.bin', 'remit')
  const { stdout: said } = await runFile(command, ['state', '--url', service.url], { cwd: project, env })
  expect(said).toContain(chain.contract)
}, 120_000)

describe.skipIf(!browserIsInstalled)('in a browser', () => {
  const browser = useBrowser()

  it('is imported by a page of another origin, which then calls the service', async () => {
    const page = `<!doctype html><title>Page</title><link rel="icon" href="data:,"><pre></pre><script type="module">
import { createClient, createWalletClient, custom, NotFoundError } from '${service.url}/client.js'
const client = createClient({ url: '${service.url}' })
const { contractAddress } = await client.getProtocolState()
const missing = await client.getSubscription({ id: '0x${'0'.repeat(64)}' }).catch((error) => error)
const wallet = createWalletClient({ transport: custom({ request: async () => '0x7a69' }) })
const said = [contractAddress, missing instanceof NotFoundError, await wallet.getChainId()]
document.querySelector('pre').textContent = said.join(' ')
</script>`
    const server = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end(page))
    await new Promise<void>((resolve) => server.listen(pagePort, '127.0.0.1', resolve))
    try {
      const watched = await browser.open()
      await watched.page.goto(pageOrigin)
      const said = watched.page.locator('pre')
      await expect.poll(() => said.textContent(), { timeout: 10_000 }).toBe(`${chain.contract} true 31337`)
      // The one problem is the answer that was asked for.
      expect(watched.problems.filter((problem) => !problem.includes('404'))).toEqual([])
    } finally {
      server.closeAllConnections()
      server.close()
    }
  })
})
