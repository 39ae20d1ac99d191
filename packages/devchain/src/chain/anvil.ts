import { randomInt } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { startGuarded } from './guarded.ts'

/** The chain id of every dev chain: a signature made for it is worthless on a real one. */
export const DEV_CHAIN_ID = 31337

/** The well-known test mnemonic. Its keys are public: nothing of value may ever be sent to them. */
export const TEST_MNEMONIC = 'test test test test test test test test test test test junk'

export interface AnvilOptions {
  /** 0 (the default) lets the system pick a free one. */
  readonly port?: number
  readonly chainId?: number
  /**
   * Whether it is hidden from everybody who was not told its URL: no page may read its answers, and on Linux, where all of
   * 127.0.0.0/8 is this machine, it listens at a random address.
   */
  readonly isHidden?: boolean
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

/**
 * Starts an anvil of our own and resolves when it answers.
 *
 * Rejects with anvil's output if it does not start, for example because the port is taken.
 */
export async function startAnvil(options: AnvilOptions = {}): Promise<Anvil> {
  const { port = 0, chainId = DEV_CHAIN_ID, accounts = 12 } = options
  const binary = anvilBinary()
  const cachePath = mkdtempSync(join(tmpdir(), 'remit-anvil-'))
  const host = options.isHidden && process.platform === 'linux' ? randomLoopback() : '127.0.0.1'
  const args = ['--host', host, '--port', `${port}`, '--chain-id', `${chainId}`, '--mnemonic', TEST_MNEMONIC]
  args.push('--accounts', `${accounts}`, '--cache-path', cachePath, '--no-request-size-limit')
  // The tags `safe` and `finalized` then work after a block or two instead of after 64.
  args.push('--slots-in-an-epoch', '1')
  // Orders the transactions of a block by arrival, not by fee.
  args.push('--order', 'fifo')
  if (options.timestamp !== undefined) args.push('--timestamp', `${options.timestamp}`)
  if (options.gasLimit !== undefined) args.push('--gas-limit', `${options.gasLimit}`)
  if (options.isHidden) args.push('--no-cors')
  if (options.capsTransactions) args.push('--hardfork', 'osaka', '--enable-tx-gas-limit')

  const guarded = startGuarded('anvil', [binary, ...args], cachePath)
  const { exited, stop } = guarded
  try {
    // With `--port 0` the port is not known before.
    const listening = Number((await guarded.says(/Listening on \S+:(\d+)\s/))[1])
    return { url: `http://${host}:${listening}`, port: listening, chainId, cachePath, exited, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** An address outside of 127.0.x.y, where people look first. */
function randomLoopback(): string {
  return `127.${randomInt(1, 255)}.${randomInt(0, 256)}.${randomInt(1, 255)}`
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
      `There is no anvil for ${process.platform}-${process.arch} here: ${name} is not installed. npm ci installs it, and npm ci --omit=dev does not`,
      { cause },
    )
  }
}
