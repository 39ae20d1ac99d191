import { readFileSync, statSync } from 'node:fs'
import type { Address, Hex } from 'viem'
import { getAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { parseUrl } from '../../../request/parseUrl.ts'
import { readAddress } from '../../commands/words.ts'
import { UsageError } from '../../invocation/CliError.ts'
import type { Environment, Flags } from '../../invocation/Flags.ts'
import { parseDecimal, toWei } from '../decide/decimal.ts'

type KeeperAccount = ReturnType<typeof privateKeyToAccount>

interface KeeperOptions {
  readonly address: Address
  /** `undefined` only in a dry run for an address. */
  readonly account: KeeperAccount | undefined
  readonly rpcUrl: string
  readonly minProfitWei: bigint
  readonly maxFeeWei: bigint
  readonly trustForecast: boolean
  readonly carries: boolean
  readonly intervalMs: number
  /** `--bump-after`: the fees of a remit are raised after so long without a block. */
  readonly raiseAfterMs: number
  /** `--drain`: how long a keeper that is asked to end waits for the receipt of a remit that it has sent. */
  readonly drainMs: number
  readonly isDryRun: boolean
  readonly once: boolean
  /** The protocol's contract, as the owner names it. */
  readonly contract: Address | undefined
}

/** Reads everything of a keeper but its prices. Throws UsageError. */
export function readKeeperOptions(flags: Flags, environment: Environment): KeeperOptions {
  const isDryRun = flags.isSet('dry-run')
  const from = flags.text('from')
  if (from !== undefined && !isDryRun)
    throw new UsageError('--from is for --dry-run only: the key says who sends.')
  const account = from === undefined ? readAccount(flags, environment) : undefined
  const address = account?.address ?? getAddress(readAddress('from', from ?? ''))
  const contract = flags.text('contract')
  return {
    address,
    account,
    rpcUrl: readRpcUrl(flags.text('rpc') ?? environment.REMIT_RPC_URL ?? ''),
    minProfitWei: readEther('min-profit', flags.text('min-profit') ?? environment.REMIT_MIN_PROFIT ?? '0'),
    maxFeeWei: readMaxFee(flags.text('max-fee') ?? environment.REMIT_MAX_FEE ?? '0.01'),
    trustForecast: flags.isSet('trust-forecast'),
    carries: flags.isSet('carry'),
    intervalMs: (flags.whole('interval', { min: 1, max: 86_400 }) ?? 300) * 1000,
    raiseAfterMs: (flags.whole('bump-after', { min: 1, max: 86_400 }) ?? 120) * 1000,
    drainMs: (flags.whole('drain', { min: 0, max: 3600 }) ?? 60) * 1000,
    isDryRun,
    once: flags.isSet('once'),
    contract: contract === undefined ? undefined : getAddress(readAddress('contract', contract)),
  }
}

function readAccount(flags: Flags, { REMIT_KEEPER_KEY }: Environment): KeeperAccount {
  const file = flags.text('key-file')
  const key = (file === undefined ? REMIT_KEEPER_KEY : readSecretFile(file))?.trim()
  if (!key)
    throw new UsageError('The keeper needs a key to sign with: REMIT_KEEPER_KEY, or a file by --key-file.')
  const hex = key.startsWith('0x') ? key : `0x${key}`
  if (!isKey(hex)) throw new UsageError('The keeper’s key must be 32 bytes in hex.')
  try {
    return privateKeyToAccount(hex)
  } catch {
    // Without the cause, which may repeat the key.
    throw new UsageError('The keeper’s key is not one of the curve.')
  }
}

function isKey(text: string): text is Hex {
  return /^0x[0-9a-fA-F]{64}$/.test(text)
}

/** Refuses a file that other users can read: its content is no secret. */
function readSecretFile(file: string): string {
  try {
    const { mode } = statSync(file)
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      throw new UsageError(`Others may read ${file}: chmod 600 it first, and think about a new key.`)
    }
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`The file of --key-file cannot be read: ${file}.`, { cause: error })
  }
}

function readRpcUrl(text: string): string {
  if (text.trim() === '') throw new UsageError('The keeper needs an RPC of its own: --rpc or REMIT_RPC_URL.')
  if (/^https?:\/\//.test(text.trim()) && parseUrl(text.trim()) !== undefined) return text.trim()
  // The URL is not repeated: it may hold a key.
  throw new UsageError('The RPC’s address must be an http(s) URL.')
}

function readEther(name: string, text: string): bigint {
  const decimal = parseDecimal(text.trim())
  const wei = decimal === undefined ? undefined : toWei(decimal)
  if (wei !== undefined) return wei
  throw new UsageError(`--${name} must be ether as a decimal number such as 0.0001, not "${text}".`)
}

function readMaxFee(text: string): bigint {
  const wei = readEther('max-fee', text)
  if (wei > 0n) return wei
  throw new UsageError('--max-fee must be more than 0: nothing could be sent.')
}
