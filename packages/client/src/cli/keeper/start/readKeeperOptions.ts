/** Reads the options of `remit keeper`: first all but the prices; then those, once a node can say which tokens there are. */

import { readFileSync, statSync } from 'node:fs'
import { type Address, getAddress, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { parseUrl } from '../../../request/parseUrl.ts'
import type { Environment, Flags } from '../../Command.ts'
import { isAddress, readAddress } from '../../commands/words.ts'
import { UsageError } from '../../errors.ts'
import { type Decimal, type Prices, parseDecimal, toWei } from '../decide/weighRemit.ts'
import type { TokenReads } from '../node/TokenReads.ts'
import type { KeeperToken } from '../ports.ts'

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

/** All options but the prices. Throws UsageError. */
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

/** The prices of REMIT_PRICES, which are separated by commas, then those of --price, which override them. */
export function priceTexts(flags: readonly string[], environment: string | undefined): string[] {
  const fromEnvironment = (environment ?? '').split(',').filter((text) => text.trim() !== '')
  return [...fromEnvironment, ...flags].map((text) => text.trim())
}

/**
 * Reads `<token>=<ether for one token>`; a later one overrides an earlier one. A token is named by its address, or by its symbol
 * where one approved token alone has it. Throws UsageError.
 * @param tokens those that the protocol has approved, as the keeper's own node knows them
 */
export function readPrices(texts: readonly string[], tokens: readonly KeeperToken[]): Prices {
  const prices = new Map<string, Decimal>()
  for (const text of texts) {
    const [name = '', price = '', ...rest] = text.split('=').map((part) => part.trim())
    const decimal = rest.length === 0 ? parseDecimal(price) : undefined
    if (name === '' || decimal === undefined || decimal.digits < 0n) {
      throw new UsageError(`A price must be <token>=<ETH for one token>, such as USDC=0.0004, not "${text}".`)
    }
    const { address, decimals } = findToken(name, tokens)
    if (decimals === null) {
      throw new UsageError(
        `The token ${address} does not tell its decimals: a price for one of it means nothing.`,
      )
    }
    prices.set(address.toLowerCase(), decimal)
  }
  return prices
}

function findToken(name: string, tokens: readonly KeeperToken[]): KeeperToken {
  const wanted = name.toLowerCase()
  const found = tokens.filter(({ address, symbol }) =>
    isAddress(name) ? address.toLowerCase() === wanted : symbol?.toLowerCase() === wanted,
  )
  const [token, another] = found
  if (token === undefined) {
    const known = tokens.map(({ symbol, address }) => symbol ?? address).join(', ')
    throw new UsageError(
      `The protocol has not approved a token ${name}: it has ${known === '' ? 'none' : known}.`,
    )
  }
  if (another !== undefined) {
    throw new UsageError(`Several tokens call themselves ${name}: give the price by the token’s address.`)
  }
  return token
}

/** More tokens than the protocol has. The rest of a longer list is ignored. */
const MOST_TOKENS = 200

/**
 * The tokens that prices can name: of those named by address and of those that the service lists, what the contract has
 * approved, with the symbols and decimals that the tokens tell themselves.
 */
export async function readTokens(
  priceTexts: readonly string[],
  listed: readonly Address[],
  tokens: TokenReads,
): Promise<KeeperToken[]> {
  if (priceTexts.length === 0) return []
  const named = priceTexts.flatMap((text) => {
    const [name = ''] = text.split('=').map((part) => part.trim())
    return isAddress(name) ? [getAddress(name)] : []
  })
  const addresses = new Map(
    [...named, ...listed.slice(0, MOST_TOKENS)].map((each) => [each.toLowerCase(), each]),
  )
  const read = [...addresses.values()].map(async (address) => {
    const isApproved = (await tokens.entryDecimals(address)) !== null
    return isApproved ? [await tokens.token(address)] : []
  })
  return (await Promise.all(read)).flat()
}
