/**
 * Gives a wallet of the dev chain what it needs to try things: `npm run devnet:fund -- <address>`.
 *
 * Everything is sent in transactions, so that the service sees a new block.
 */
import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ConfigError } from '@remit/service/configuration/ConfigError'
import {
  type Address,
  BaseError,
  createWalletClient,
  formatEther,
  formatUnits,
  getAddress,
  http,
  isAddress,
  isAddressEqual,
  parseAbi,
  parseEther,
  parseUnits,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import * as z from 'zod'
import { DEV_CHAIN_ID } from '../chain/anvil.ts'
import { createDevClient } from '../chain/client.ts'
import { type NamedDevnet, type RunningDevnet, runningDevnet } from './runningDevnet.ts'

/** The command is invalid. The message says what to do instead. */
export class FundError extends Error {
  override readonly name = 'FundError'
}

export interface Gift {
  readonly address: Address
  /** In ETH; `undefined` for none. */
  readonly eth: string | undefined
  /** Each approved token, one of them (by symbol or address), or none. */
  readonly tokens: 'all' | 'none' | { readonly named: string }
  /** In whole tokens. */
  readonly amount: string
}

const USAGE =
  'Usage: npm run devnet:fund -- <address> [--eth 10] [--token USDC] [--amount 1000] [--url <service>] [--rpc <url>]\n' +
  'Gives 10 ETH and 1000 of each token; --amount gives another amount of them. With --token, --eth or both, only these.'
const DEFAULT_ETH = '10'
const DEFAULT_AMOUNT = '1000'
/** The ether that the faucet wallet gets for its own gas. */
const GAS_WEI = parseEther('1')

const mintAbi = parseAbi(['function mint(address to, uint256 amount)'])

const ApprovedTokens = z.object({
  chainId: z.number(),
  tokens: z.array(
    z.object({
      address: z.custom<Address>((value) => typeof value === 'string' && isAddress(value)),
      symbol: z.string().nullable(),
      decimals: z.number(),
    }),
  ),
})
type Token = z.output<typeof ApprovedTokens>['tokens'][number]

/** Sends the gifts, and returns sentences that say what was sent. Refuses any chain but a dev chain. */
export async function fund({ url, rpcUrl }: RunningDevnet, gift: Gift): Promise<string[]> {
  const chain = createDevClient(rpcUrl)
  const chainId = await chain.getChainId().catch((cause: unknown) => {
    throw new FundError(
      `No chain answers at ${rpcUrl}: run \`npm start\` first, or name another with --rpc.`,
      { cause },
    )
  })
  if (chainId !== DEV_CHAIN_ID) {
    throw new FundError(
      `${rpcUrl} is chain ${chainId}, not the dev chain ${DEV_CHAIN_ID}: nothing was given.`,
    )
  }
  // Looked up before anything is sent, so that an unknown token does not leave half of the gifts.
  const tokens = gift.tokens === 'none' ? [] : await tokensOf(url, gift.tokens)
  const amounts = tokens.map((token) => ({ ...token, raw: rawAmount(gift.amount, token) }))
  const wei = gift.eth === undefined ? 0n : parseEther(gift.eth)

  // A wallet that nothing else uses, so that no nonce is taken twice.
  const account = privateKeyToAccount(generatePrivateKey())
  await chain.setBalance({ address: account.address, value: wei + GAS_WEI })
  const faucet = createWalletClient({ account, transport: http(rpcUrl, { retryCount: 0 }) })
  if (wei > 0n) {
    const hash = await sent('ETH', faucet.sendTransaction({ to: gift.address, value: wei, chain: null }))
    await chain.waitForTransactionReceipt({ hash })
  }
  for (const { address, raw, symbol } of amounts) {
    const call = {
      address,
      abi: mintAbi,
      functionName: 'mint',
      args: [gift.address, raw],
      chain: null,
    } as const
    const hash = await sent(symbol ?? address, faucet.writeContract(call))
    const { status } = await chain.waitForTransactionReceipt({ hash })
    if (status !== 'success') throw new FundError(`${symbol ?? address} cannot be minted here.`)
  }
  return [
    ...(wei > 0n ? [`${formatEther(wei)} ETH`] : []),
    ...amounts.map(
      ({ raw, decimals, symbol, address }) => `${formatUnits(raw, decimals)} ${symbol ?? address}`,
    ),
  ]
}

async function sent<T>(what: string, sending: Promise<T>): Promise<T> {
  return sending.catch((cause: unknown) => {
    const why = cause instanceof BaseError ? cause.shortMessage : String(cause)
    throw new FundError(`${what} could not be given: ${why}`, { cause })
  })
}

async function tokensOf(url: string, wanted: 'all' | { readonly named: string }): Promise<readonly Token[]> {
  const { chainId, tokens } = await approvedTokens(url)
  if (chainId !== DEV_CHAIN_ID)
    throw new FundError(`The service at ${url} serves chain ${chainId}: nothing was given.`)
  if (wanted === 'all') return tokens
  const { named } = wanted
  const token = tokens.find(({ address, symbol }) =>
    isAddress(named) ? isAddressEqual(address, named) : symbol?.toLowerCase() === named.toLowerCase(),
  )
  if (token !== undefined) return [token]
  const known = tokens.map(({ symbol, address }) => symbol ?? address).join(', ')
  throw new FundError(`There is no approved token ${named}; there are ${known}.`)
}

async function approvedTokens(url: string): Promise<z.output<typeof ApprovedTokens>> {
  try {
    const response = await fetch(`${url}/approved-tokens`, { signal: AbortSignal.timeout(10_000) })
    return ApprovedTokens.parse(await response.json())
  } catch (cause) {
    throw new FundError(
      `The service at ${url} did not tell its tokens: run \`npm start\`, or name it with --url.`,
      { cause },
    )
  }
}

function rawAmount(amount: string, { decimals, symbol, address }: Token): bigint {
  const [, fraction = ''] = amount.split('.')
  if (fraction.length > decimals) {
    throw new FundError(`${symbol ?? address} has ${decimals} decimals, and ${amount} has more.`)
  }
  return parseUnits(amount, decimals)
}

/** Reads the command line. Where `--eth` or `--token` is given, only what is named is sent, else all; `--amount` without `--token` means all tokens. */
export function parseFund(args: readonly string[]): Gift & { readonly named: NamedDevnet } {
  const { values, positionals } = readOptions(args)
  const [address, surplus] = positionals
  if (address === undefined || surplus !== undefined) throw new FundError(`Whom? ${USAGE}`)
  if (!isAddress(address))
    throw new FundError(`${address} is not an address, or its checksum is wrong.\n${USAGE}`)
  const { eth, token, amount, url, rpc } = values
  for (const [name, text] of Object.entries({ eth, amount })) {
    if (text !== undefined && !/^\d{1,12}(\.\d{1,18})?$/.test(text))
      throw new FundError(`--${name} is a decimal number such as 12.5, not ${text}.\n${USAGE}`)
  }
  const unnamed = eth === undefined || amount !== undefined ? 'all' : 'none'
  return {
    address: getAddress(address),
    eth: eth ?? (token === undefined ? DEFAULT_ETH : undefined),
    tokens: token === undefined ? unnamed : { named: token },
    amount: amount ?? DEFAULT_AMOUNT,
    named: { url, rpcUrl: rpc },
  }
}

function readOptions(args: readonly string[]) {
  const text = { type: 'string' } as const
  const options = { eth: text, token: text, amount: text, url: text, rpc: text }
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (cause) {
    throw new FundError(`${cause instanceof Error ? cause.message : cause}\n${USAGE}`, { cause })
  }
}

async function main(): Promise<void> {
  const args = process.argv.slice(2)
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(`${USAGE}\n`)
    return
  }
  const { named, ...gift } = parseFund(args)
  const running = await runningDevnet(named, process.env)
  const given = await fund(running, gift)
  process.stdout.write(`${gift.address} was given ${given.join(', ')} on the chain at ${running.rpcUrl}\n`)
}

const script = process.argv[1]
if (script !== undefined && realpathSync(script) === fileURLToPath(import.meta.url)) {
  await main().catch((error: unknown) => {
    if (!(error instanceof FundError || error instanceof ConfigError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  })
}
