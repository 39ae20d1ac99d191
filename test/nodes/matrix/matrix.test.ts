import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, expect, it } from 'vitest'
import { randomOf } from '../../differential/random.ts'
import { beginLife, type Life } from '../../parity/life.ts'
import { beginBusyLife } from '../../support/chain/busyLife.ts'
import { type TestChain, useTestChain } from '../../support/chain/useTestChain.ts'
import { describeGeth } from '../../support/geth/describeGeth.ts'
import { trialsTimeoutMs } from '../../support/runner/trials.ts'
import { indexed } from '../../support/service/indexed.ts'
import { useTestService } from '../../support/service/testService.ts'
import { chosenProfiles, PROFILES } from '../profiles/profiles.ts'
import { askOperation, NODE_OPERATIONS } from './askOperations.ts'
import { runGeth } from './runGeth.ts'
import { type ProfileRun, runProfile } from './runProfile.ts'
import { GUIDE, markOf, readTable, renderTable, replaceTable } from './table.ts'

/** `npm run matrix -w @remit/testing` writes the table of docs/nodes.md anew. */
const WRITES = process.env.NODES_MATRIX === 'write'
const profiles = chosenProfiles()

/** Some weeks of a busy protocol, and then what every operation has an answer to. */
async function beginWeeks(chain: TestChain): Promise<Life> {
  const busy = await beginBusyLife(chain, randomOf(3))
  for (let block = 0; block < 20; block += 1) {
    await busy.mine(3)
    if (block % 5 === 0) await busy.nextDay()
  }
  return beginLife(chain)
}

const life = await beginWeeks(await useTestChain())
const plain = await useTestService([life.chain])
await indexed(plain, life.chain)
const runs: ProfileRun[] = []

function expectAsInGuide({ profile, cells }: ProfileRun): void {
  const wrong = [...cells].flatMap(([operation, cell]) =>
    cell.kind === 'wrong' ? [`${operation}: ${cell.what}`] : [],
  )
  expect(wrong).toEqual([])
  if (WRITES || profile.isUnsteady) return
  const marks = new Map([...cells].map(([operation, cell]) => [operation, markOf(cell)]))
  expect(marks, 'as in docs/nodes.md').toEqual(readTable(readFileSync(GUIDE, 'utf8')).get(profile.name))
}

it('a node that lacks nothing gives every answer', async () => {
  for (const operation of NODE_OPERATIONS) {
    const { status } = await askOperation(plain, life, operation)
    expect([operation.name, status]).toEqual([operation.name, 200])
  }
})

describeGeth('over a real geth', (chain) => {
  it('every operation gives the same answer', async () => {
    const run = await runGeth(life, plain, await beginWeeks(chain))
    runs.unshift(run)
    expectAsInGuide(run)
  }, 60_000)
})

it.each(profiles.map((profile) => [profile.name, profile] as const))(
  'over every kind of node, every operation gives the same answer, or says what it lacks: %s',
  async (_, profile) => {
    const run = await runProfile(life, plain, profile)
    runs.push(run)
    expectAsInGuide(run)
  },
  trialsTimeoutMs(60_000),
)

afterAll(() => {
  if (!WRITES) return
  if (runs.length <= PROFILES.length) throw new Error('The table is written whole, or not at all')
  writeFileSync(GUIDE, replaceTable(readFileSync(GUIDE, 'utf8'), renderTable(runs)))
})
