import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** The chain id of every dev chain: a signature made for it is worthless on a real one. */
export const DEV_CHAIN_ID = 31337

/** The well-known test mnemonic. Its keys are public: nothing of value may ever be sent to them. */
export const TEST_MNEMONIC = 'test test test test test test test test test test test junk'

export interface AnvilOptions {
  /** 0 (the default) lets the system pick a free one. */
  readonly port?: number
  readonly chainId?: number
  /** The genesis block's unix time in seconds; by default the wall clock's. */
  readonly timestamp?: number
  /** Gas limit of a block. */
  readonly gasLimit?: bigint
  /** Whether a transaction may have at most 2^24 gas, by EIP-7825. */
  readonly capsTransactions?: boolean
  /** How many of the mnemonic's accounts hold ETH. */
  readonly accounts?: number
}

export interface Anvil {
  readonly url: string
  readonly port: number
  readonly chainId: number
  /** The folder with the states that anvil keeps on disk. It is deleted when anvil ends. */
  readonly cachePath: string
  /** Resolves once anvil is gone: `undefined` after stop(), else an error with what anvil printed last. */
  readonly exited: Promise<Error | undefined>
  /** Ends anvil and removes its cache. Resolves when both are gone; calling it again does no harm. */
  stop(): Promise<void>
}

/** Anvil is usually ready in about 0.1 s. After this time something is wrong. */
const START_TIMEOUT_MS = 20_000

/** How much of anvil's output is kept for the error message when it ends. */
const KEPT_OUTPUT = 1_000

/**
 * Runs "$@" (anvil) and deletes the folder $CACHE afterwards. This shell is anvil's parent, not our process. When
 * our end of the pipe to its stdin closes, even by SIGKILL, `read` returns and the shell ends anvil. `read` is a
 * builtin, so no process is left behind when the watcher is killed.
 */
const GUARD = `
exec 3<&0 2>/dev/null
"$@" 3<&- </dev/null 2>&1 &
anvil=$!
{ read -r _ <&3; kill -KILL "$anvil"; } >/dev/null 2>&1 &
watcher=$!
wait "$anvil"
code=$?
kill "$watcher" 2>/dev/null
rm -rf "$CACHE"
exit "$code"
`

/**
 * Starts an anvil of our own and resolves when it answers.
 *
 * Rejects with anvil's output if it does not start, for example because the port is taken.
 */
export async function startAnvil(options: AnvilOptions = {}): Promise<Anvil> {
  const { port = 0, chainId = DEV_CHAIN_ID, accounts = 12 } = options
  const binary = anvilBinary()
  const cachePath = mkdtempSync(join(tmpdir(), 'remit-anvil-'))
  const args = ['--port', `${port}`, '--chain-id', `${chainId}`, '--mnemonic', TEST_MNEMONIC]
  args.push('--accounts', `${accounts}`, '--cache-path', cachePath, '--no-request-size-limit')
  // The tags `safe` and `finalized` then work after a block or two instead of after 64.
  args.push('--slots-in-an-epoch', '1')
  // Orders the transactions of a block by arrival, not by fee.
  args.push('--order', 'fifo')
  if (options.timestamp !== undefined) args.push('--timestamp', `${options.timestamp}`)
  if (options.gasLimit !== undefined) args.push('--gas-limit', `${options.gasLimit}`)

  if (options.capsTransactions) args.push('--hardfork', 'osaka', '--enable-tx-gas-limit')

  const guard = spawn('sh', ['-c', GUARD, 'anvil-guard', binary, ...args], {
    env: { ...process.env, CACHE: cachePath },
    stdio: ['pipe', 'pipe', 'ignore'],
    // A process group of its own: Ctrl-C in a terminal reaches only our process, which then ends anvil in order.
    detached: true,
  })
  const output = keepOutput(guard)

  let stopping = false
  const exited = new Promise<Error | undefined>((resolve) => {
    guard.once('error', (error) => resolve(new Error(`anvil could not be started: ${error.message}`)))
    guard.once('close', (code) => {
      resolve(stopping ? undefined : new Error(`anvil ended with code ${code}; it printed:\n${output()}`))
    })
  })
  const stop = async () => {
    stopping = true
    guard.stdin.destroy()
    await exited
  }

  try {
    const listening = await portOf(guard, exited, output)
    return { url: `http://127.0.0.1:${listening}`, port: listening, chainId, cachePath, exited, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The path of the binary. The package's launcher would be one more process between us and anvil. */
function anvilBinary(): string {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch
  const name = `@foundry-rs/anvil-${process.platform}-${arch}`
  const executable = process.platform === 'win32' ? 'anvil.exe' : 'anvil'
  try {
    const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`)
    return join(dirname(manifest), 'bin', executable)
  } catch (cause) {
    throw new Error(
      `There is no anvil for ${process.platform}-${process.arch} here: the optional package ${name} is not installed`,
      { cause },
    )
  }
}

/** Reads all of anvil's output, so that a full pipe never blocks it, and keeps the last part. */
function keepOutput(guard: ChildProcess): () => string {
  let kept = ''
  guard.stdout?.setEncoding('utf8').on('data', (text: string) => {
    kept = (kept + text).slice(-KEPT_OUTPUT)
  })
  return () => kept.trim()
}

/** The port that anvil prints. With `--port 0` it is not known before. */
async function portOf(
  guard: ChildProcess,
  exited: Promise<Error | undefined>,
  output: () => string,
): Promise<number> {
  let timer: NodeJS.Timeout | undefined
  try {
    return await Promise.race([
      new Promise<number>((resolve) => {
        guard.stdout?.on('data', () => {
          const port = /Listening on \S+:(\d+)\s/.exec(`${output()}\n`)?.[1]
          if (port !== undefined) resolve(Number(port))
        })
      }),
      exited.then((error) => Promise.reject(error)),
      new Promise<never>((_, reject) => {
        const late = () => reject(new Error(`anvil did not come up in ${START_TIMEOUT_MS} ms: ${output()}`))
        timer = setTimeout(late, START_TIMEOUT_MS)
      }),
    ])
  } finally {
    clearTimeout(timer)
  }
}
