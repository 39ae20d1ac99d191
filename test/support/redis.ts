import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { freePort } from './freePort.ts'
import { findProgram } from './installed.ts'

const program = findProgram('redis-server')

/** For `describe.skipIf(!redisIsInstalled)`. */
export const redisIsInstalled = program !== undefined

export interface RedisServer {
  readonly url: string
  /** Ends it at once, with all that it had not written to its log. */
  kill(): Promise<void>
  /** Starts it again on the same port. */
  restart(): Promise<void>
  /** Leaves it running and deaf. */
  pause(): void
  resume(): void
}

/**
 * A Redis server of this test file's own, from the installed package, gone when the file ends.
 * @param options.appendOnly whether what it holds outlives its end; every write is then on disk when answered
 */
export function useRedis(options: { appendOnly?: boolean } = {}): RedisServer {
  const folder = mkdtempSync(join(tmpdir(), 'remit-redis-'))
  let port: number | undefined
  let child: ChildProcess | undefined

  async function start(): Promise<void> {
    if (program === undefined) return
    port ??= await freePort()
    const durable = options.appendOnly ? ['--appendonly', 'yes', '--appendfsync', 'always'] : []
    const flags = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', ...durable]
    child = spawn(program, flags, { stdio: 'ignore' })
    await accepts(port)
  }

  async function kill(): Promise<void> {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }

  beforeAll(start)
  afterAll(async () => {
    await kill()
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    get url() {
      if (port === undefined) throw new Error('Redis runs only while tests do')
      return `redis://127.0.0.1:${port}`
    },
    kill,
    restart: start,
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
  }
}

async function accepts(port: number): Promise<void> {
  const deadline = Date.now() + 10_000
  for (;;) {
    const socket = connect({ port, host: '127.0.0.1' })
    try {
      await once(socket, 'connect')
      return
    } catch (error) {
      if (Date.now() > deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, 20))
    } finally {
      socket.destroy()
    }
  }
}
