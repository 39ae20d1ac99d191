import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** A program of this package, run as a user runs it. */
export interface Program {
  readonly process: ChildProcess
  /** Standard output and error so far. */
  output(): string
  /** Resolves with the match once the output has it. Throws when the program ends before, or takes too long. */
  says(pattern: RegExp, timeoutMs?: number): Promise<RegExpMatchArray>
  /** Resolves with the exit code, or the signal's name, once it has ended. */
  ends(timeoutMs?: number): Promise<number | string>
}

const running = new Set<ChildProcess>()

/** Starts a script of this package. What a test leaves running is killed after it. */
export function run(
  script: string,
  args: readonly string[] = [],
  environment: Record<string, string> = {},
): Program {
  return runNode(script, ['--import', 'tsx', script, ...args], environment)
}

let madeCacheHome: string | undefined

/** What runs write down for each other stays among those of one test file, whatever else runs on this machine. */
export function cacheHome(): string {
  madeCacheHome ??= mkdtempSync(join(tmpdir(), 'remit-cache-'))
  return madeCacheHome
}

/** Starts a script that needs no translation, as `run` does. */
export function runBundled(
  bundle: string,
  args: readonly string[] = [],
  environment: Record<string, string> = {},
): Program {
  return runNode(bundle, [bundle, ...args], environment)
}

function runNode(script: string, args: readonly string[], environment: Record<string, string>): Program {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, XDG_CACHE_HOME: cacheHome(), ...environment }
  return runCommand(script, [process.execPath, ...args], { cwd: root, env })
}

/** Starts any command, as `run` does. */
export function runCommand(
  name: string,
  [command = '', ...args]: readonly string[],
  options: Pick<SpawnOptions, 'cwd' | 'env' | 'uid' | 'gid'>,
): Program {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  running.add(child)
  let output = ''
  const ended = once(child, 'close').then(([code, signal]) => {
    running.delete(child)
    return code ?? signal
  })
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8')
    stream.on('data', (chunk: string) => {
      output += chunk
    })
  }
  return {
    process: child,
    output: () => output,
    async says(pattern, timeoutMs = 20_000) {
      const deadline = Date.now() + timeoutMs
      for (;;) {
        const match = output.match(pattern)
        if (match !== null) return match
        if (child.exitCode !== null || child.signalCode !== null || Date.now() > deadline) {
          throw new Error(`${name} never said ${pattern}; it said:\n${output}`)
        }
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    },
    async ends(timeoutMs = 20_000) {
      const timeout = new Promise<never>((_, reject) => {
        setTimeout(() => reject(new Error(`${name} did not end; it said:\n${output}`)), timeoutMs).unref()
      })
      return Promise.race([ended, timeout])
    },
  }
}

/** Kills what a test has left running. */
export function killPrograms(): void {
  for (const child of running) child.kill('SIGKILL')
  running.clear()
}

/** Removes what the programs of a test file have written down. */
export function removeCacheHome(): void {
  if (madeCacheHome !== undefined) rmSync(madeCacheHome, { recursive: true, force: true })
  madeCacheHome = undefined
}
