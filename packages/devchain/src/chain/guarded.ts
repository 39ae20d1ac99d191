import { type ChildProcess, spawn } from 'node:child_process'

/** A node's program that never outlives this process. */
export interface Guarded {
  /** Resolves once it is gone: `undefined` after stop(), else an error with what it printed last. */
  readonly exited: Promise<Error | undefined>
  /** Resolves with the match once the output has it. Rejects if the program ends before, or is too slow. */
  says(pattern: RegExp): Promise<RegExpExecArray>
  /** Ends the program and deletes its folder. Resolves when both are gone; calling it again does no harm. */
  stop(): Promise<void>
}

/** A node is usually ready in a second. After this time something is wrong. */
const START_TIMEOUT_MS = 20_000

/** How much of the output is kept, to be searched and for the error message when it ends. */
const KEPT_OUTPUT = 4_000

/**
 * Runs "$@" and deletes $FOLDER afterwards. This shell is the program's parent, not our process. When our end of the
 * pipe to its stdin closes, even by SIGKILL, `read` returns and the shell ends the program. `read` is a builtin, so no
 * process is left behind when the watcher is killed.
 */
const GUARD = `
exec 3<&0 2>/dev/null
"$@" 3<&- </dev/null 2>&1 &
program=$!
{ read -r _ <&3; kill -KILL "$program"; } >/dev/null 2>&1 &
watcher=$!
wait "$program"
code=$?
kill "$watcher" 2>/dev/null
rm -rf "$FOLDER"
exit "$code"
`

/**
 * Starts a program with a folder of its own.
 * @param name stands in errors
 */
export function startGuarded(name: string, command: readonly string[], folder: string): Guarded {
  const guard = spawn('sh', ['-c', GUARD, `${name}-guard`, ...command], {
    env: { ...process.env, FOLDER: folder },
    stdio: ['pipe', 'pipe', 'ignore'],
    // A process group of its own: Ctrl-C in a terminal reaches only our process, which then ends the node in order.
    detached: true,
  })
  const output = keepOutput(guard)

  let stopping = false
  const exited = new Promise<Error | undefined>((resolve) => {
    guard.once('error', (error) => resolve(new Error(`${name} could not be started: ${error.message}`)))
    guard.once('close', (code) => {
      resolve(stopping ? undefined : new Error(`${name} ended with code ${code}; it printed:\n${output()}`))
    })
  })

  return {
    exited,
    async stop() {
      stopping = true
      guard.stdin.destroy()
      await exited
    },
    async says(pattern) {
      let timer: NodeJS.Timeout | undefined
      try {
        return await Promise.race([
          new Promise<RegExpExecArray>((resolve) => {
            const look = () => {
              const match = pattern.exec(`${output()}\n`)
              if (match !== null) resolve(match)
            }
            guard.stdout.on('data', look)
            look()
          }),
          exited.then((error) => Promise.reject(error)),
          new Promise<never>((_, reject) => {
            const late = () =>
              reject(new Error(`${name} did not come up in ${START_TIMEOUT_MS} ms: ${output()}`))
            timer = setTimeout(late, START_TIMEOUT_MS)
          }),
        ])
      } finally {
        clearTimeout(timer)
      }
    },
  }
}

/** Reads all of the output, so that a full pipe never blocks the program, and keeps the last part. */
function keepOutput(guard: ChildProcess): () => string {
  let kept = ''
  guard.stdout?.setEncoding('utf8').on('data', (text: string) => {
    kept = (kept + text).slice(-KEPT_OUTPUT)
  })
  return () => kept.trim()
}
