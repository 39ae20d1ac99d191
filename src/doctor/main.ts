import { parseArgs } from 'node:util'
import { getAddress, isAddress } from 'viem'
import { BUILT_IN_CHAINS, ChainEntry, isReachable } from '../chain/registry.ts'
import { SmallQuantity } from '../chain/rpc/quantity.ts'
import { ConfigError } from '../configuration/ConfigError.ts'
import { loadChains } from '../configuration/loadChains.ts'
import { parseUrl } from '../schema/parseUrl.ts'
import { type Examination, examine } from './examine.ts'
import { reasonOf } from './Finding.ts'
import { RawNode } from './RawNode.ts'
import { reportText } from './report.ts'

const TIMEOUT_MS = 15_000

const HELP = `What can this node do for the service? What is limited with it, and what does it cost?

  npm run doctor                             every node of the configuration (RPC_URL_<id> and so on)
  npm run doctor -- <URL>                    one node, whether it is configured or not
  npm run doctor -- <URL> --contract <address> --first-block <number>
                                             the same, on a chain that is not built in
  --json                                     the same for programs

Exit codes: 0 everything works, 1 something is limited, 2 not usable. No path, query or password of a URL is printed.
A URL on the command line stands in the shell's history: take it from a variable, "$RPC_URL_8453".
`

/** A URL's host, without all that may hold a key. */
function nameOf(url: string): string {
  const { protocol, host } = new URL(url)
  return `${protocol}//${host}`
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        contract: { type: 'string' },
        'first-block': { type: 'string' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (cause) {
    throw new ConfigError('The options are --contract, --first-block, --json and --help.', { cause })
  }
}

type Values = ReturnType<typeof readArguments>['values']

/** The entry for a URL: of the chain that the node names. */
async function entryOf(url: string, values: Values): Promise<ChainEntry> {
  const asked = new RawNode({ url, chainId: 0, timeoutMs: TIMEOUT_MS })
  const chainId = await asked.request('eth_chainId', [], SmallQuantity).catch((error: unknown) => {
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

/** None if the environment is no configuration, as where only a URL is to be examined. */
function chainsOfEnvironment(): readonly ChainEntry[] {
  try {
    return loadChains(process.env)
  } catch {
    return []
  }
}

async function* examinations(urls: readonly string[], values: Values): AsyncGenerator<Examination> {
  for (const url of urls) {
    if (!/^https?:/.test(url) || parseUrl(url) === undefined)
      throw new ConfigError('The URL must be an http or https URL.')
    const entry = await entryOf(url, values)
    yield await examine({ url, name: nameOf(url), entry: { ...entry, headUrls: [] }, timeoutMs: TIMEOUT_MS })
  }
  if (urls.length > 0) return
  for (const entry of loadChains(process.env).filter(isReachable)) {
    for (const [index, url] of entry.rpcUrls.entries()) {
      const name = `URL ${index + 1} of RPC_URL_${entry.chainId} (${nameOf(url)})`
      const headUrls = index === 0 ? entry.headUrls : []
      yield await examine({ url, name, entry: { ...entry, headUrls }, timeoutMs: TIMEOUT_MS })
    }
  }
}

/** 0, 1 or 2. A chain is usable if one of its nodes is. */
function exitCodeOf(all: readonly Examination[]): number {
  const isUnusable = all.some(
    ({ chainId }) => !all.some((other) => other.chainId === chainId && other.verdict !== 'unusable'),
  )
  if (isUnusable) return 2
  return all.every(({ verdict }) => verdict === 'good') ? 0 : 1
}

try {
  const { values, positionals } = readArguments()
  if (values.help) process.stdout.write(HELP)
  else {
    const all: Examination[] = []
    for await (const examination of examinations(positionals, values)) {
      all.push(examination)
      if (!values.json) process.stdout.write(`${reportText(examination)}\n`)
    }
    if (values.json)
      process.stdout.write(`${JSON.stringify({ nodes: all, exitCode: exitCodeOf(all) }, null, 2)}\n`)
    process.exitCode = exitCodeOf(all)
  }
} catch (error) {
  const sentence =
    error instanceof ConfigError ? error.message : String(error instanceof Error ? error.stack : error)
  process.stderr.write(`${sentence}\n`)
  process.exitCode = 2
}
