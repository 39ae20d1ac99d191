/**
 * Replays recorded lives of the deployed protocol on the reference contract, and names every difference.
 *
 * A life (`testing/life.ts`) is a recording: who calls what at which time, step by step, with the logs or the revert of each call, and at
 * some steps a snapshot, the answers of all views. The same calls are made at the same times on a fresh chain, and compared. A call that
 * reverts is only probed, that is run without sending it: this tells its reason.
 *
 * `npx tsx packages/contracts/replay.ts <life.json ...>` exits with 1 where there is a difference.
 */
import { readFileSync, realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { ReplayToken } from './generated/ReplayToken.ts'
import { Subscriptions } from './generated/Subscriptions.ts'
import { Life, type Recorded, type Snapshot, type Step } from './testing/life.ts'
import { NamedChain } from './testing/NamedChain.ts'

/** One difference: the place, the recorded value and the contract's value. */
export interface Difference {
  where: string
  recorded: unknown
  replayed: unknown
}

export function readLife(path: string): Life {
  return Life.parse(JSON.parse(readFileSync(path, 'utf8')))
}

/** Replays one recorded life on a fresh chain to its end, and returns every difference; none where the contracts agree. */
export async function replayLife(life: Life): Promise<Difference[]> {
  // An hour before the contract, so that there is time for the tokens.
  const chain = await NamedChain.start(life.deployedAt - 3600)
  try {
    await deploy(chain, life)
    const differences: Difference[] = []
    for (const [index, step] of life.setup.entries()) {
      differences.push(...(await takeStep(chain, `setup ${index}`, step)))
    }
    for (const [index, step] of life.steps.entries()) {
      differences.push(...(await takeStep(chain, `step ${index}`, step)))
      const snapshot = life.snapshots[index]
      if (snapshot === undefined) continue
      differences.push(...compare(`snapshot ${index}`, snapshot, await takeSnapshot(chain, snapshot)))
    }
    return differences
  } finally {
    await chain.stop()
  }
}

/** Deploys the life's tokens, one a second, and then the contract at the recorded time. */
async function deploy(chain: NamedChain, life: Life): Promise<void> {
  for (const [name, address] of Object.entries(life.accounts)) chain.names.add(name, address)
  const firstToken = life.deployedAt - life.tokens.length
  for (const [index, { alias, decimals }] of life.tokens.entries()) {
    await chain.deploy(alias, ReplayToken, [decimals], firstToken + index)
  }
  const { callerFee, systemFee, maxRemits, cancelLimit, allowSystemFee } = life.constructor
  const numbers = [callerFee, systemFee, maxRemits, cancelLimit].map(BigInt)
  const roles = [chain.names.addressOf('admin'), chain.names.addressOf('janitor')]
  await chain.deploy('contract', Subscriptions, [...numbers, allowSystemFee, ...roles], life.deployedAt)
}

/** Makes one recorded call, and compares what comes of it. */
async function takeStep(chain: NamedChain, where: string, step: Step): Promise<Difference[]> {
  const place = `${where}: ${step.call} in ${step.in} by ${step.from}`
  if (step.status === 'revert') {
    const probed = await chain.probe(step, step.at)
    const replayed = 'revert' in probed ? `reverts ${probed.revert}` : 'succeeds'
    return compare(place, `reverts ${step.reason}`, replayed)
  }
  const { status, logs } = await chain.send(step, step.at)
  if (status === 'reverted') {
    // A receipt does not tell why, and the call would revert again.
    const probed = await chain.probe(step, step.at)
    return compare(place, 'succeeds', 'revert' in probed ? `reverts ${probed.revert}` : 'reverts')
  }
  // The recordings leave out the token's Approval logs.
  const told = logs.filter((log) => log.event !== 'Approval')
  return compare(`${place}, logs`, step.logs, told)
}

/** The same views that the recorded snapshot has. */
async function takeSnapshot(chain: NamedChain, like: Snapshot): Promise<Snapshot> {
  const view = (name: string, ...args: Recorded[]) => chain.view('contract', name, args)
  return {
    nextUncheckedDay: await view('nextUncheckedDay'),
    totalSubscribers: await view('getTotalSubscribers'),
    maxRemits: await view('maxRemits'),
    callerFee: await view('callerFee'),
    systemFee: await view('systemFee'),
    subscriptions: await forEachKey(like.subscriptions, async (id) => {
      const [record, subscribers, unsubscribedLength] = await Promise.all([
        view('idSubMap', id),
        view('getSubscribersById', id),
        view('getUnsubscribedLength', id),
      ])
      return { record, subscribers, unsubscribedLength }
    }),
    accounts: await forEachKey(like.accounts, async (name) => {
      const [subscribed, created] = await Promise.all([
        view('getAccountSubscriptions', true, name),
        view('getAccountSubscriptions', false, name),
      ])
      return { subscribed, created }
    }),
    balances: await forEachKey(like.balances, async (token, of) =>
      forEachKey(of, (name) => chain.view(token, 'balanceOf', [name])),
    ),
    // By frequency and due day: "1:15".
    due: await forEachKey(like.due, (key) => view('getIdByTime', ...key.split(':'))),
  }
}

/** A record with the same keys, and what `make` gives for each. */
async function forEachKey<In, Out>(
  like: Record<string, In>,
  make: (key: string, value: In) => Promise<Out>,
): Promise<Record<string, Out>> {
  const entries = Object.entries(like).map(async ([key, value]) => [key, await make(key, value)] as const)
  return Object.fromEntries(await Promise.all(entries))
}

/** The innermost places in which two values differ. Without it a reader would search a whole snapshot for one wei. */
function compare(where: string, recorded: unknown, replayed: unknown): Difference[] {
  if (isDeepStrictEqual(recorded, replayed)) return []
  if (!isBranch(recorded) || !isBranch(replayed)) return [{ where, recorded, replayed }]
  const keys = new Set([...Object.keys(recorded), ...Object.keys(replayed)])
  return [...keys].flatMap((key) => compare(`${where}.${key}`, recorded[key], replayed[key]))
}

function isBranch(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

async function main(paths: string[]): Promise<void> {
  if (paths.length === 0) {
    throw new Error('Name the files to replay: npx tsx packages/contracts/replay.ts <life.json ...>')
  }
  for (const path of paths) {
    const life = readLife(path)
    const started = Date.now()
    const differences = await replayLife(life)
    const seconds = ((Date.now() - started) / 1000).toFixed(1)
    process.stdout.write(
      `${path}: ${life.steps.length} steps, ${differences.length} differences, ${seconds} s\n`,
    )
    for (const { where, recorded, replayed } of differences) {
      process.stdout.write(`  ${where}\n`)
      process.stdout.write(`    recorded ${JSON.stringify(recorded)}\n`)
      process.stdout.write(`    replayed ${JSON.stringify(replayed)}\n`)
    }
    if (differences.length > 0) process.exitCode = 1
  }
}

const script = process.argv[1]
if (script !== undefined && realpathSync(script) === fileURLToPath(import.meta.url)) {
  await main(process.argv.slice(2))
}
