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
  /** The genesis block's unix time in seconds; the wall clock's where it is left out. */
  readonly timestamp?: number
  /** Gas limit of a block. */
  readonly gasLimit?: bigint
  /** Whether no transaction may ask for more than 2^24 gas, as EIP-7825 has it. */
  readonly capsTransactions?: boolean
  /** How many of the mnemonic's accounts hold ETH. */
  readonly accounts?: number
}

export interface Anvil {
  readonly url: string
  readonly port: number
  readonly chainId: number
  /** The folder with the states that anvil moves out of memory; it goes when anvil goes. */
  readonly cachePath: string
  /** Resolves once anvil is gone: `undefined` after stop(), else an error with what anvil printed last. */
  readonly exited: Promise<Error | undefined>
  /** Ends anvil and removes its cache. Resolves when both are gone; calling it again does no harm. */
  stop(): Promise<void>
}

/** Anvil is ready in about 0.1 s; a machine that needs longer than this is not going to make it. */
const START_TIMEOUT_MS = 20_000

/** How much of anvil's output is kept to explain its end. */
const KEPT_OUTPUT = 1_000

/**
 * Runs "$@" (anvil) and removes the folder $CACHE after it. This shell, and not our process, is anvil's
 * parent: when our end of the pipe on its stdin closes, for whatever reason (SIGKILL too), `read` returns
 * and anvil is ended. `read` is a builtin, so nothing is left behind once the watcher is killed.
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
 * Rejects with what anvil printed where it does not come up, say because the port is taken.
 */
export async function startAnvil(options: AnvilOptions = {}): Promise<Anvil> {
  const { port = 0, chainId = DEV_CHAIN_ID, accounts = 12 } = options
  const binary = anvilBinary()
  const cachePath = mkdtempSync(join(tmpdir(), 'remit-anvil-'))
  const args = ['--port', `${port}`, '--chain-id', `${chainId}`, '--mnemonic', TEST_MNEMONIC]
  args.push('--accounts', `${accounts}`, '--cache-path', cachePath, '--no-request-size-limit')
  // Usable `safe` and `finalized` tags after a block or two instead of after 64.
  args.push('--slots-in-an-epoch', '1')
  // Transactions of one block in the order of their arrival, instead of by what they pay.
  args.push('--order', 'fifo')
  if (options.timestamp !== undefined) args.push('--timestamp', `${options.timestamp}`)
  if (options.gasLimit !== undefined) args.push('--gas-limit', `${options.gasLimit}`)

  if (options.capsTransactions) args.push('--hardfork', 'osaka', '--enable-tx-gas-limit')

  const guard = spawn('sh', ['-c', GUARD, 'anvil-guard', binary, ...args], {
    env: { ...process.env, CACHE: cachePath },
    stdio: ['pipe', 'pipe', 'ignore'],
    // A group of its own: Ctrl-C in a terminal reaches our process first, which then ends anvil in order.
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

/** The binary itself: the package's own launcher would be one more process between us and anvil. */
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

/** Reads all that anvil prints, so that a full pipe never halts it, and keeps the end of it. */
function keepOutput(guard: ChildProcess): () => string {
  let kept = ''
  guard.stdout?.setEncoding('utf8').on('data', (text: string) => {
    kept = (kept + text).slice(-KEPT_OUTPUT)
  })
  return () => kept.trim()
}

/** The port anvil says it listens on: with `--port 0` nobody knows it sooner. */
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
