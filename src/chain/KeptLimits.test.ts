import { expect, it } from 'vitest'
import { silentLog } from '../../test/support/chain/useReadingGround.ts'
import { describeStores } from '../../test/support/stores/describeStores.ts'
import { createNodeLimitStore, KeptLimits } from './KeptLimits.ts'
import { NodeLimits } from './rpc/limits/NodeLimits.ts'

const KEY = 'secret-key'
const URLS = [`https://one.example/${KEY}`, 'https://two.example']
const HOUR = 3_600_000

describeStores('what was learnt of nodes', (stores) => {
  const clock = { now: 1_800_000_000_000 }
  /** A process with two nodes. */
  function start(chainId: number) {
    const nodes = [0, 1].map(
      (node) => new NodeLimits({ now: () => clock.now, onChange: () => kept.learnt(node) }),
    )
    const limits = (node: number) => nodes[node] ?? new NodeLimits()
    const store = createNodeLimitStore(stores.store)
    const kept = new KeptLimits({ store, rpc: { chainId, limits }, urls: URLS, log: silentLog })
    return { kept, limits }
  }

  it('is known to the next process, by URL and chain', async () => {
    const first = start(1)
    first.limits(0).refused('batch', 40, 3)
    first.limits(0).found('simulateV1', false)
    first.limits(1).refused('simulationGas', 134_217_728)
    await first.kept.settled()

    const next = start(1)
    await next.kept.recall()
    expect(next.limits(0).known()).toEqual(first.limits(0).known())
    expect(next.limits(1).most('simulationGas')).toBe(50_000_000)
    const other = start(2)
    await other.kept.recall()
    expect(other.limits(0).known().limits).toEqual({})
  })

  it('is replaced by what is newer, and a limit that was lifted stays lifted', async () => {
    const first = start(3)
    await first.kept.recall()
    first.limits(0).refused('batch', 40, 10)
    await first.kept.settled()
    const second = start(3)
    await second.kept.recall()
    clock.now += HOUR
    second.limits(0).answered('batch', 40)
    await second.kept.settled()
    const third = start(3)
    await third.kept.recall()
    expect(third.limits(0).most('batch')).toBeUndefined()
  })

  it('holds no URL', async () => {
    const { kept, limits } = start(4)
    limits(0).refused('batch', 40)
    await kept.settled()
    const rows = await stores.store.db.selectFrom('node_limits').selectAll().execute()
    expect(rows.length).toBeGreaterThan(0)
    expect(JSON.stringify(rows)).not.toMatch(/secret-key|example/)
  })
})

it('is done without where the store fails, and that is told', async () => {
  const warnings: string[] = []
  const log = { ...silentLog, warn: (message: string) => void warnings.push(message) }
  const fails = () => Promise.reject(new Error('no store'))
  const nodes = [new NodeLimits(), new NodeLimits()]
  const limits = (node: number) => nodes[node] ?? new NodeLimits()
  const kept = new KeptLimits({
    store: { read: fails, write: fails },
    rpc: { chainId: 1, limits },
    urls: URLS,
    log,
  })
  await kept.recall()
  kept.learnt(0)
  await kept.settled()
  expect(warnings).toEqual([
    'What was learnt of a node could not be read',
    'What was learnt of a node could not be read',
    'What was learnt of a node could not be kept',
  ])
})
