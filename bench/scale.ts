import { Chains } from '@remit/engine/chain/Chains'
import { ChainEntry } from '@remit/engine/chain/registry'
import { findRemit } from '@remit/engine/operations/prepare/remit/remitFindings'
import { remitWarnings, toRemitReadiness } from '@remit/engine/operations/prepare/remit/remitReadiness'
import type { ChainView } from '@remit/engine/ports/chains'
import { protocolOn } from '@remit/testing/support/chain/protocolOn'
import { takeDeployedChain } from '@remit/testing/support/chain/takeDeployedChain'
import { writeDue, writeSubscribers } from '@remit/testing/support/chain/writeState'
import { WALL_OF_TEST_CHAINS } from '@remit/testing/support/service/wallOfTestChains'
import { median, table } from './print.ts'
import { accountCosts, PAGES } from './scaleAccounts.ts'
import { type CallerCosts, keyCosts, memoryCosts } from './scaleCallers.ts'

// What large states cost over a node of 25 million gas: each size on a chain of its own, written as storage. An answer at
// a new block, the same at the same block again, what the node is asked for it, and what it holds. Behind them what a
// caller costs among so many, with a key and without.

const GAS = 25_000_000n
const MONDAY_NOON = Date.UTC(2026, 2, 2, 12) / 1000
const ROUNDS = 3
const WARM = 10
const quiet = { info() {}, warn() {}, error() {} }

type Ground = Awaited<ReturnType<typeof startGround>>
interface Case {
  readonly what: string
  readonly sizes: readonly number[]
  readonly write: (ground: Ground, size: number) => Promise<void>
  readonly read: (view: ChainView, ground: Ground) => Promise<object>
}

async function readiness(view: ChainView, { wallets }: Ground): Promise<object> {
  const findings = await findRemit(view, wallets.keeper)
  return { ...toRemitReadiness(view, findings), warnings: remitWarnings(view, findings) }
}

const CASES: readonly Case[] = [
  {
    what: 'readiness, by subscribers of one subscription',
    sizes: [1_000, 10_000, 50_000],
    write: async (ground, size) => {
      await writeSubscribers(ground, await ground.protocol.create(), size)
      await ground.advance(3)
    },
    read: readiness,
  },
  {
    what: 'readiness, by ids of one day',
    sizes: [1_000, 20_000],
    write: async (ground, size) => {
      await writeDue(ground, await ground.protocol.create(), { subscriber: ground.wallets.alice, size })
      await ground.advance(3)
    },
    read: readiness,
  },
  {
    what: 'readiness, by days of backlog',
    sizes: [30, 200, 400],
    write: async (ground, days) => {
      const { alice, bob } = ground.wallets
      for (let dueDay = 1; dueDay <= 7; dueDay += 1) {
        const plan = await ground.protocol.create({ dueDay })
        for (const account of [alice, bob]) await ground.protocol.join(plan, account, { balance: 10n ** 12n })
      }
      await ground.advance(days)
    },
    read: readiness,
  },
  {
    what: 'due ids of one day',
    sizes: [1_000, 8_000],
    write: async (ground, size) => {
      await writeDue(ground, await ground.protocol.create(), { subscriber: ground.wallets.alice, size })
    },
    read: (view) => view.read.due([{ frequency: 0, dueDay: 3 }]),
  },
]

async function startGround() {
  const chain = await takeDeployedChain({ timestamp: MONDAY_NOON, gasLimit: GAS, isNew: true })
  const { client, deployment, wallets, url } = chain
  const mine = (seconds: number) => client.increaseTime({ seconds }).then(() => client.mine({ blocks: 1 }))
  return {
    url,
    client,
    wallets,
    chainId: chain.chainId,
    stop: chain.stop,
    contract: deployment.contract,
    tokens: deployment.tokens,
    protocol: protocolOn({ client, wallets, ...deployment }),
    mine,
    advance: (days: number) => mine(days * 86_400),
  }
}

async function measure({ what, write, read }: Case, size: number): Promise<string[]> {
  const ground = await startGround()
  let questions = 0
  const observer = {
    upstreamAsked() {
      questions += 1
    },
    blockCacheAsked() {},
  }
  const { chainId } = ground
  const entry = ChainEntry.parse({
    chainId,
    name: 'bench',
    contractAddress: ground.contract,
    rpcUrls: [ground.url],
    tokens: Object.values(ground.tokens),
    pollMs: 60_000,
  })
  try {
    await write(ground, size)
    const cold: number[] = []
    const warm: number[] = []
    const asked: number[] = []
    let bytes = 0
    let seen = 'whole'
    globalThis.gc?.()
    const before = process.memoryUsage().heapUsed
    const wallNow = WALL_OF_TEST_CHAINS
    const chains = new Chains({ entries: [entry], defaultChainId: chainId, log: quiet, observer, wallNow })
    for (let round = 0; round < ROUNDS; round += 1) {
      await ground.mine(1)
      const minBlock = Number(await ground.client.getBlockNumber())
      await chains.withView(chainId, { minBlock }, async (view) => {
        questions = 0
        for (let call = 0; call <= WARM; call += 1) {
          const begun = performance.now()
          const answer = JSON.stringify(await read(view, ground), (_, value: unknown) =>
            typeof value === 'bigint' ? `${value}` : value,
          )
          const times = call === 0 ? cold : warm
          times.push(performance.now() - begun)
          if (call === 0) asked.push(questions)
          bytes = answer.length
          seen = /"(FORECAST_CUT)"/.exec(answer)?.[1] ?? 'whole'
        }
      })
    }
    globalThis.gc?.()
    const held = (process.memoryUsage().heapUsed - before) / ROUNDS / 2 ** 20
    chains.stop()
    const ms = (times: readonly number[]) => median(times).toFixed(times === warm ? 2 : 0)
    return [
      what,
      size.toLocaleString('en'),
      ms(cold),
      ms(warm),
      `${median(asked)}`,
      bytes.toLocaleString('en'),
      held.toFixed(1),
      seen,
    ]
  } catch (error) {
    const why = error instanceof Error ? error.name : 'failed'
    return [what, size.toLocaleString('en'), '', '', '', '', '', why]
  } finally {
    await ground.stop()
  }
}

const wanted = process.argv[2] ?? ''
const heads = ['what', 'size', 'ms cold', 'ms warm', 'questions', 'bytes', 'MB held', 'answer']
for (const one of CASES.filter(({ what }) => what.includes(wanted))) {
  const rows: string[][] = []
  for (const size of one.sizes) rows.push(await measure(one, size))
  process.stdout.write(`${table(heads, rows)}\n\n`)
}

for (const [page, path] of Object.entries(PAGES)) {
  const what = `${page}, by how many it has`
  if (!what.includes(wanted)) continue
  const rows: string[][] = []
  for (const size of [200, 2_000]) {
    const { cold, warm, questions, bytes } = await accountCosts(size, path, GAS, MONDAY_NOON)
    const counts = [questions, bytes].map((count) => count.toLocaleString('en'))
    rows.push([what, size.toLocaleString('en'), cold.toFixed(0), warm.toFixed(2), ...counts, '–', 'whole'])
  }
  process.stdout.write(`${table(heads, rows)}\n\n`)
}

const CALLERS: readonly {
  what: string
  sizes: readonly number[]
  cost: (size: number) => Promise<CallerCosts>
}[] = [
  { what: 'a caller with a key, by keys', sizes: [1_000, 10_000], cost: keyCosts },
  { what: 'a caller without a key, by callers', sizes: [20_000, 200_000], cost: memoryCosts },
]
for (const { what, sizes, cost } of CALLERS.filter((one) => one.what.includes(wanted))) {
  const rows: string[][] = []
  for (const size of sizes) {
    const { cold, warm, megabytes } = await cost(size)
    const ms = (time: number) => time.toFixed(4)
    rows.push([what, size.toLocaleString('en'), ms(cold), ms(warm), '0', '0', megabytes.toFixed(1), 'whole'])
  }
  process.stdout.write(`${table(heads, rows)}\n\n`)
}
