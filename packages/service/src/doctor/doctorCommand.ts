import { parseArgs } from 'node:util'
import { BUILT_IN_CHAINS, ChainEntry, isReachable } from '@remit/engine/chain/registry'
import { SmallQuantity } from '@remit/engine/rpc/quantity'
import { parseUrl } from '@remit/engine/schema/text'
import { getAddress, isAddress } from 'viem'
import { commandLine } from '../commandLine.ts'
import { ConfigError } from '../configuration/ConfigError.ts'
import { loadChains } from '../configuration/loadChains.ts'
import { type Examination, examine, examineService, type PartFinding } from './examine.ts'
import { reasonOf } from './Finding.ts'
import { RawNode } from './RawNode.ts'
import { reportText, serviceText } from './report.ts'

const TIMEOUT_MS = 15_000

/** The column in which the help says what a command does. */
const WORDS_AT = 45
const line = (words: string, meaning: string) =>
  `  ${commandLine('doctor', words)}`.padEnd(WORDS_AT) + meaning

const HELP = `Is all well that a service needs? What can its nodes do, what is limited with them, and what do they cost?

${line('', 'the configuration, the store, Redis and every node of the environment')}
${line('--start', 'the same, but of the nodes only what a start needs: it takes seconds')}
${line('<URL>', 'one node, whether it is configured or not')}
  ${commandLine('doctor', '<URL> --contract <address> --first-block <number>')}
${' '.repeat(WORDS_AT)}the same, on a chain that is not built in
${'  --json'.padEnd(WORDS_AT)}the same for programs

Exit codes: 0 everything works, 1 something is limited, 2 not usable. Nothing is started or changed, and no path, query
or password of a URL is printed.
A URL on the command line stands in the shell's history: take it from a variable, "$RPC_URL_8453".
`

/** A URL's host, without all that may hold a key. */
function nameOf(url: string): string {
  const { protocol, host } = new URL(url)
  return `${protocol}//${host}`
}

function readArguments(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        contract: { type: 'string' },
        'first-block': { type: 'string' },
        json: { type: 'boolean' },
        start: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (cause) {
    throw new ConfigError('The options are --start, --contract, --first-block, --json and --help.', { cause })
  }
}

type Values = ReturnType<typeof readArguments>['values']

/** The registry's entry for a URL on the command line: of the chain that its node names, with the command's own options. */
async function entryOf(url: string, values: Values): Promise<ChainEntry> {
  // The chain's number is not known before the node says it.
  const node = new RawNode({ url, chainId: 0, timeoutMs: TIMEOUT_MS })
  const chainId = await node.request('eth_chainId', [], SmallQuantity).catch((error: unknown) => {
    throw new ConfigError(`The node at ${nameOf(url)} ${reasonOf(error)}.`, { cause: error })
  })
  const known = [...chainsOfEnvironment(), ...BUILT_IN_CHAINS].find((entry) => entry.chainId === chainId)
  const { contract = known?.contractAddress, 'first-block': firstBlock } = values
  if (contract === undefined || !isAddress(contract, { strict: false })) {
    throw new ConfigError(
      `Chain ${chainId} is not built in: name the protocol's contract with --contract <address>.`,
    )
  }
  if (firstBlock !== undefined && !/^\d{1,15}$/.test(firstBlock)) {
    throw new ConfigError('--first-block must be a whole number.')
  }
  const entry = { name: `Chain ${chainId}`, ...known, chainId, contractAddress: getAddress(contract) }
  return ChainEntry.parse({
    ...entry,
    ...(firstBlock === undefined ? {} : { firstBlock: Number(firstBlock) }),
  })
}

/** The configured chains. None where the configuration is wrong: `examineService` says what is. */
function chainsOfEnvironment(): readonly ChainEntry[] {
  try {
    return loadChains(process.env)
  } catch {
    return []
  }
}

async function* examinations(urls: readonly string[], values: Values): AsyncGenerator<Examination> {
  const options = { timeoutMs: TIMEOUT_MS, forStart: values.start ?? false }
  for (const url of urls) {
    if (!/^https?:/.test(url) || parseUrl(url) === undefined)
      throw new ConfigError('The URL must be an http or https URL.')
    const entry = await entryOf(url, values)
    yield await examine({ url, name: nameOf(url), entry: { ...entry, headUrls: [] }, ...options })
  }
  if (urls.length > 0) return
  for (const entry of chainsOfEnvironment().filter(isReachable)) {
    for (const [index, url] of entry.rpcUrls.entries()) {
      const name = `URL ${index + 1} of RPC_URL_${entry.chainId} (${nameOf(url)})`
      const headUrls = index === 0 ? entry.headUrls : []
      yield await examine({ url, name, entry: { ...entry, headUrls }, ...options })
    }
  }
}

/**
 * 0, 1 or 2, as HELP says. A chain is usable if one of its nodes is. Before a start each node has to be: nobody would notice a broken
 * second one until the first fails.
 */
function exitCodeOf(
  service: readonly PartFinding[],
  all: readonly Examination[],
  { start: forStart = false }: Pick<Values, 'start'>,
): number {
  const isUnusable = all.some(
    ({ chainId, verdict }) =>
      verdict === 'unusable' &&
      (forStart || !all.some((other) => other.chainId === chainId && other.verdict !== 'unusable')),
  )
  if (isUnusable || service.some(({ state }) => state === 'bad')) return 2
  return all.every(({ verdict }) => verdict === 'good') ? 0 : 1
}

/** `npm run doctor` */
export async function main(args: readonly string[]): Promise<void> {
  try {
    const { values, positionals } = readArguments(args)
    if (values.help) process.stdout.write(HELP)
    else {
      const service = positionals.length > 0 ? [] : await examineService(process.env)
      if (!values.json && service.length > 0) process.stdout.write(`${serviceText(service)}\n`)
      const all: Examination[] = []
      for await (const examination of examinations(positionals, values)) {
        all.push(examination)
        if (!values.json) process.stdout.write(`${reportText(examination)}\n`)
      }
      const exitCode = exitCodeOf(service, all, values)
      if (values.json) process.stdout.write(`${JSON.stringify({ service, nodes: all, exitCode }, null, 2)}\n`)
      process.exitCode = exitCode
    }
  } catch (error) {
    const sentence =
      error instanceof ConfigError ? error.message : String(error instanceof Error ? error.stack : error)
    process.stderr.write(`${sentence}\n`)
    process.exitCode = 2
  }
}
