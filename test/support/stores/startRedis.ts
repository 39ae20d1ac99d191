import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../service/freePort.ts'

export interface RedisServer {
  readonly url: string
  /** Ends it at once, with all that it had not written to its log. */
  kill(): Promise<void>
  /** Starts it again on the same port. */
  restart(): Promise<void>
  /** Leaves it running and deaf. */
  pause(): void
  resume(): void
  /** Ends it and removes what it wrote. */
  remove(): Promise<void>
}

/**
 * Starts a Redis server on a free port of loopback. Resolves once it accepts connections.
 * @param program the path of redis-server, or what runs it with the arguments that it is given
 * @param options.before arguments before all others
 * @param options.environment what the program reads beside its arguments
 * @param options.flags beside its own
 * @param options.appendOnly whether what it holds outlives its end; every write is then on disk when answered
 */
export async function startRedis(
  program: string,
  options: {
    appendOnly?: boolean
    before?: readonly string[]
    flags?: readonly string[]
    environment?: Readonly<Record<string, string>>
  } = {},
): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'remit-redis-'))
  const port = await freePort()
  const durable = options.appendOnly ? ['--appendonly', 'yes', '--appendfsync', 'always'] : []
  const flags = [
    ...(options.before ?? []),
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--dir',
    folder,
    '--save',
    '',
    ...durable,
    ...(options.flags ?? []),
  ]
  let child: ChildProcess | undefined

  async function start(): Promise<void> {
    child = spawn(program, flags, { stdio: 'ignore', env: { ...process.env, ...options.environment } })
    await accepts(port)
  }

  async function kill(): Promise<void> {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }

  await start()
  return {
    url: `redis://127.0.0.1:${port}`,
    kill,
    restart: start,
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    async remove() {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
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
