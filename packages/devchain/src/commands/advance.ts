/**
 * Moves the dev chain's clock forward, by one block: `npm run devnet:advance -- --days 30`.
 *
 * This charges nobody: subscriptions that come due are charged when somebody calls remit.
 */
import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ConfigError } from '@remit/service/configuration/ConfigError'
import { formatTime } from '../chain/calendar.ts'
import { AdvanceError, advanceChain } from './advanceChain.ts'
import { runningDevnet } from './runningDevnet.ts'

const USAGE = `Usage: npm run devnet:advance -- --days 30 [--hours 1] [--seconds 1] [--rpc <url>]`

/** Reads the command line. The three time spans are added up. Without `--rpc` the running dev chain is used. */
export function parseAdvance(args: readonly string[]): { seconds: number; rpcUrl: string | undefined } {
  const { days = '0', hours = '0', seconds = '0', rpc } = readOptions(args)
  const spans = [days, hours, seconds]
  if (!spans.every((span) => /^\d{1,10}$/.test(span))) {
    throw new AdvanceError(`Days, hours and seconds are whole numbers, and time goes forward only.\n${USAGE}`)
  }
  const [inDays = 0, inHours = 0, inSeconds = 0] = spans.map(Number)
  const total = inDays * 86_400 + inHours * 3_600 + inSeconds
  if (total === 0) throw new AdvanceError(`How far? ${USAGE}`)
  return { rpcUrl: rpc, seconds: total }
}

function readOptions(args: readonly string[]) {
  const options = {
    days: { type: 'string' },
    hours: { type: 'string' },
    seconds: { type: 'string' },
    rpc: { type: 'string' },
  } as const
  try {
    return parseArgs({ args: [...args], options }).values
  } catch (cause) {
    throw new AdvanceError(`${cause instanceof Error ? cause.message : cause}\n${USAGE}`, { cause })
  }
}

async function main(): Promise<void> {
  const args = process.argv.slice(2)
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(`${USAGE}\n`)
    return
  }
  const { seconds, ...named } = parseAdvance(args)
  const { url, rpcUrl } = await runningDevnet(named, process.env)
  const { from, to } = await advanceChain({ rpcUrl, seconds })
  process.stdout.write(`from ${formatTime(from.timestamp)}, block ${from.blockNumber}\n`)
  process.stdout.write(`  to ${formatTime(to.timestamp)}, block ${to.blockNumber}\n`)
  // So that a command which calls the service next is answered at the new time. With `--rpc`, the service may be of another chain.
  if (named.rpcUrl === undefined && (await hasSeen(url, to.blockNumber)))
    process.stdout.write(`The service at ${url} has seen it.\n`)
}

/** Whether the service has seen the block. The service itself waits for it, two seconds at most (`minBlock`). `false` where no service answers. */
async function hasSeen(url: string, blockNumber: number): Promise<boolean> {
  try {
    return (await fetch(`${url}/protocol/state?minBlock=${blockNumber}`)).ok
  } catch {
    return false
  }
}

const script = process.argv[1]
if (script !== undefined && realpathSync(script) === fileURLToPath(import.meta.url)) {
  await main().catch((error: unknown) => {
    if (!(error instanceof AdvanceError || error instanceof ConfigError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  })
}
