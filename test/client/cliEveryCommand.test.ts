import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { COMMANDS } from '@remit/client/testing/cli/runCommandLine'
import { describe, expect, it } from 'vitest'
import { protocolOn } from '../support/chain/protocolOn.ts'
import { useTestChain } from '../support/chain/useTestChain.ts'
import { runBundled } from '../support/programs/program.ts'
import { useBundle } from '../support/programs/useBundle.ts'
import { useTestService } from '../support/service/testService.ts'
import { type Circumstances, runInProcess } from './cliRun.ts'

const chain = await useTestChain()
const { wallets } = chain
const protocol = protocolOn(chain)
const subscription = await protocol.create({ dueDay: 3 })
await protocol.join(subscription, wallets.alice)
await chain.advanceDays(3)
await chain.keep()
const service = await useTestService([chain])
await service.caughtUp()

const remit = (args: readonly string[], { environment = {}, ...more }: Circumstances = {}) =>
  runInProcess(args, { environment: { REMIT_URL: service.url, ...environment }, ...more })

describe('every command', () => {
  it.each([
    ['an unknown command', ['frobnicate']],
    ['an unknown option', ['state', '--frob']],
    ['a word too many', ['state', 'now']],
    ['a target that is neither id nor address', ['show', '0x12']],
    ['a day named twice', ['due', '--day', '1', '--date', '2026-01-01']],
    ['a number that is none', ['due', '--day', 'soon']],
    ['a chain that is none', ['state', '--chain', 'base']],
    ['a chain that is not served', ['state', '--chain', '8453']],
    ['a service that is no address', ['state', '--url', 'localhost']],
    ['an unknown prepare', ['prepare', 'everything']],
    ['JSON that is none', ['prepare', 'remit', '--input', '{']],
    ['a proof without a file', ['verify']],
    ['a proof that is no file', ['verify', 'none.json', '--node', 'http://127.0.0.1:1']],
    ['a keeper without a key', ['keeper', '--rpc', 'http://127.0.0.1:1']],
  ])('exits with 2 and a sentence on %s', async (_, args) => {
    const { code, out, err } = await remit(args)
    expect([code, out]).toEqual([2, ''])
    expect(err).toMatch(/^remit: .{10,}/)
    expect(err).not.toContain(' at ')
  })

  it('exits with 3 if no service answers', async () => {
    const { code, err } = await remit(['state', '--url', 'http://127.0.0.1:9'])
    expect(code).toBe(3)
    expect(err).toContain('Is the service running')
  }, 15_000)

  it('exits with 1 on a key that is not live, from the environment or from a file', async () => {
    const file = join(tmpdir(), `remit-key-${process.pid}`)
    writeFileSync(file, 'svc_file\n')
    try {
      const fromFile = await remit(['state', '--api-key-file', file])
      expect([fromFile.code, fromFile.err]).toEqual([1, expect.stringContaining('Check REMIT_API_KEY')])
    } finally {
      rmSync(file)
    }
    expect((await remit(['state'], { environment: { REMIT_API_KEY: 'svc_no' } })).code).toBe(1)
  })

  it.each(COMMANDS.map(({ name }) => name))('explains itself: %s --help', async (name) => {
    const { code, out } = await remit([name, '--help'])
    expect(code).toBe(0)
    expect(out).toContain(`remit ${name}`)
    expect(out).toContain('--json')
  })

  it('has a version and an overview', async () => {
    expect(await remit(['--version'])).toEqual({ code: 0, out: '1.2.3\n', err: '' })
    const { out } = await remit([])
    for (const { name } of COMMANDS) expect(out).toContain(`\n  ${name}`)
  })
})

describe('the program', async () => {
  const bundle = await useBundle('packages/client/src/cli/main.ts')

  it('ends quietly when its reader closes the pipe', async () => {
    const child = spawn(process.execPath, [bundle, 'search', '--all', '--json'], {
      env: { PATH: process.env.PATH, REMIT_URL: service.url },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child.stdout.destroy()
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
    expect([said, code]).toEqual(['', 0])
  })

  it('exits with 130 on SIGINT, whatever it waits for', async () => {
    const deaf = createServer(() => {})
    deaf.listen(0, '127.0.0.1')
    await once(deaf, 'listening')
    try {
      const address = deaf.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      const program = runBundled(bundle, ['state'], { REMIT_URL: `http://127.0.0.1:${port}` })
      await once(deaf, 'request')
      program.process.kill('SIGINT')
      expect(await program.ends()).toBe(130)
      expect(program.output()).toBe('')
    } finally {
      deaf.closeAllConnections()
      deaf.close()
    }
  })

  it('prints its help without asking the service', async () => {
    const program = runBundled(bundle, ['--help'], { REMIT_URL: 'http://127.0.0.1:9' })
    expect(await program.ends()).toBe(0)
    expect(program.output()).toContain('Exit codes:')
  })

  it('reads the input of a prepare from standard input', async () => {
    const child = spawn(process.execPath, [bundle, 'prepare', 'remit', '--json', '--input', '-'], {
      env: { PATH: process.env.PATH, REMIT_URL: service.url },
    })
    child.stdin.end(JSON.stringify({ from: wallets.bob }))
    const [out, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ operation: 'remit' })
  })
})
