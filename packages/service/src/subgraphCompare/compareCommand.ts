import { parseArgs } from 'node:util'
import { parseUrl } from '@remit/engine/schema/parseUrl'
import { commandLine } from '../commandLine.ts'
import { CannotCompareError, ComparedService } from './ComparedService.ts'
import { compareServices, type ServiceDifference } from './compareServices.ts'

const HELP = `Do two services give the same history? One may read a subgraph, and the other the chain's logs.

  ${commandLine('subgraph-compare', '<URL> <URL>', 'subgraph-compare -w @remit/service')}

Asks both for everything that lists, accounts and events lead to, pages through every list, and stops at the first
difference. Forecasts are left out. Progress comes on standard error.

  --chain <id>   the chain, if it is not 8453
  --help         this text

REMIT_API_KEY is sent to both as a bearer. Without a key the free lane's limits are waited for, which may take hours.

Exit codes: 0 equal, 1 they differ, 2 they could not be compared.
`

/** Progress is told after so many answers. */
const TOLD_EACH = 100

class UsageError extends Error {
  override readonly name = 'UsageError'
}

const tell = (sentence: string) => void process.stderr.write(`${sentence}\n`)

function readArguments(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { chain: { type: 'string', default: '8453' }, help: { type: 'boolean', short: 'h' } },
    })
  } catch (cause) {
    throw new UsageError('The options are --chain and --help.', { cause })
  }
}

function serviceAt(place: string, url: string | undefined, apiKey: string | undefined): ComparedService {
  const parsed = url === undefined ? undefined : parseUrl(url)
  if (url === undefined || parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    throw new UsageError('Name two services by http or https URLs.')
  }
  if (parsed.username !== '' || parsed.search !== '' || parsed.hash !== '') {
    throw new UsageError('A URL of a service has no user, no query and no fragment.')
  }
  return new ComparedService({ place, url, apiKey, onWait: tell })
}

function textOf({ question, path, one, other }: ServiceDifference): string {
  const value = (of: unknown) => (of === undefined ? 'nothing' : JSON.stringify(of))
  return `They differ: GET ${question}, at ${path}:\n  the first:  ${value(one)}\n  the second: ${value(other)}\n`
}

async function run(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  const { values, positionals } = readArguments(args)
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  if (!/^\d{1,15}$/.test(values.chain)) throw new UsageError('--chain must be a whole number.')
  const [first, second, ...others] = positionals
  if (others.length > 0) throw new UsageError('Name two services, and no more.')
  const apiKey = environment.REMIT_API_KEY || undefined
  const { answers, difference } = await compareServices({
    services: [serviceAt('first', first, apiKey), serviceAt('second', second, apiKey)],
    chainId: Number(values.chain),
    withKey: apiKey !== undefined,
    onProgress(done, left) {
      if (done % TOLD_EACH === 0) tell(`${done} answers are equal, ${left} or more are left.`)
    },
  })
  process.stdout.write(difference === undefined ? `All ${answers} answers are equal.\n` : textOf(difference))
  return difference === undefined ? 0 : 1
}

/** `npm run subgraph-compare -w @remit/service` */
export async function main(args: readonly string[]): Promise<void> {
  try {
    process.exitCode = await run(args, process.env)
  } catch (error) {
    const isOurs = error instanceof UsageError || error instanceof CannotCompareError
    tell(isOurs ? error.message : String(error instanceof Error ? error.stack : error))
    process.exitCode = 2
  }
}
