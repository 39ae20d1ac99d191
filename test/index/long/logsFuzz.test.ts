import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { type Random, randomOf } from '../../differential/random.ts'
import { beginBusyLife } from '../../support/chain/busyLife.ts'
import { mineAgain, reorganise } from '../../support/chain/reorganise.ts'
import { useTestChain } from '../../support/chain/useTestChain.ts'
import { fillFromLogs } from '../../support/history/fillFromLogs.ts'
import { type FaultyNode, type NodeFault, useFaultyNode } from '../../support/nodes/faultyNode.ts'
import { LIES, lyingLogs, RANGE_WORDS, refusingRanges } from '../../support/nodes/nodeFaults.ts'

const SEED = Number(process.env.LOGS_SEED ?? Math.floor(Math.random() * 2 ** 31))
const FUZZ_MS = Number(process.env.LOGS_FUZZ_MS ?? 7_000)

/** With more of them, anvil forgets the state that a reorganisation goes back to. */
const MOST_BLOCKS = 250n

process.stderr.write(`test/index/logsFuzz.test.ts: LOGS_SEED=${SEED}\n`)

const random = randomOf(SEED)
const chain = await useTestChain({ goesOn: true })
const { client } = chain
const nodes = [await useFaultyNode(chain.url), await useFaultyNode(chain.url)]
const life = await beginBusyLife(chain, random)
for (let block = 0; block < 30; block += 1) await life.mine(4)

/** A node whose chain ends some blocks earlier. */
function lagging(head: number): NodeFault {
  return {
    alter: ({ method, params }, result) => {
      if (method !== 'eth_getBlockByNumber') return result
      return Number(params[0]) > head ? null : result
    },
  }
}

async function someFault(lies: boolean): Promise<NodeFault> {
  const kinds = { lie: 4, refuse: 3, status: 1, line: 1, leaveOut: 1, lag: 2, limit: 1, hide: lies ? 4 : 0 }
  switch (random.weighted(kinds)) {
    case 'lie':
      return lyingLogs(random.pick(Object.values(LIES)))
    case 'hide': {
      const every = 1 + random.below(5)
      // Of whole blocks: of some logs beside others of their kind nothing near the head can tell.
      return lyingLogs((logs) => logs.filter(({ blockNumber }) => Number(blockNumber) % every > 0))
    }
    case 'refuse': {
      const { most, refusal } = random.pick(RANGE_WORDS)
      return refusingRanges(most, refusal)
    }
    case 'status':
      return { status: random.pick([429, 500, 502, 503]) }
    case 'line':
      return { line: random.pick(['drops', 'hangs', 'hangs in the body'] as const) }
    case 'leaveOut':
      return { leaveOut: random.below(3) }
    case 'lag':
      return lagging(Number(await client.getBlockNumber()) - random.below(4))
    case 'limit':
      return { refuse: () => ({ error: { code: -32005, message: 'too many requests per second' } }) }
  }
}

async function change(random: Random): Promise<void> {
  switch (random.weighted({ mine: 6, nextDay: 1, reorg: 3, empty: 1 })) {
    case 'mine':
      return life.mine(4)
    case 'nextDay':
      return life.nextDay()
    case 'empty':
      return client.mine({ blocks: 1 + random.below((await client.getBlockNumber()) < MOST_BLOCKS ? 45 : 2) })
    case 'reorg': {
      const depth = 1 + random.below(random.oneIn(4) ? 30 : 4)
      return reorganise(client, depth, random.oneIn(2) ? await mineAgain(client, depth) : [])
    }
  }
}

/** Lets everything go wrong for a while, and then nothing. */
async function fuzz(used: readonly FaultyNode[], liars: readonly FaultyNode[]) {
  const filling = await fillFromLogs(
    chain,
    used.map(({ url }) => url),
    { timeoutMs: 250 },
  )
  const end = performance.now() + FUZZ_MS
  const filled = (async () => {
    while (performance.now() < end) {
      await filling.step().catch((error: unknown) => {
        const isExpected = error instanceof Error && /Source|Upstream|BlockGone/.test(error.name)
        if (!isExpected) throw error
      })
      await sleep(5)
    }
  })()
  while (performance.now() < end) {
    for (const node of used) {
      // Beside a liar the other one is honest: two that fail at once can hide anything.
      const isClean = random.oneIn(2) || (liars.length > 0 && !liars.includes(node))
      node.fail(isClean ? undefined : await someFault(liars.includes(node)))
    }
    await change(random)
    await sleep(random.below(80))
  }
  for (const node of used) node.fail(undefined)
  await filled
  await filling.fill()
  return filling
}

async function rowsFromScratch() {
  const filling = await fillFromLogs(chain, [chain.url])
  await filling.fill()
  return filling.rows()
}

it.each([
  ['over one node', nodes.slice(0, 1), []],
  ['over two, one of which hides logs as well', nodes, nodes.slice(1)],
])(
  'whatever fails in whatever order, the store ends like one that was built without faults: %s',
  { timeout: FUZZ_MS + 20_000 },
  async (_, used, liars) => {
    const filling = await fuzz(used, liars)
    expect(filling.steps.length).toBeGreaterThan(5)
    expect(await filling.rows()).toEqual(await rowsFromScratch())
  },
)
