import type { Verdict } from '@remit/engine/ports/verdicts'
import { forking, mining, perform, running } from '@remit/testing/support/history/chainActs'
import { ProjectionDriver } from '@remit/testing/support/history/ProjectionDriver'
import { projectionRows } from '@remit/testing/support/history/projectionRows'
import { SyntheticChain } from '@remit/testing/support/history/SyntheticChain'
import { trials, trialsTimeoutMs } from '@remit/testing/support/runner/trials'
import { describeStores } from '@remit/testing/support/stores/describeStores'
import fc from 'fast-check'
import { getAddress } from 'viem'
import { expect, it } from 'vitest'
import type { Store } from '../../../store/openStore.ts'
import { approvalStore } from '../approvals.ts'
import { toHex } from '../columns.ts'
import { createProjection } from '../createProjection.ts'
import { verdictStore } from '../verdicts/verdictStore.ts'

const DEEPEST = 200
/** So that a fork may take back days, or a part of one. */
const SECONDS_PER_BLOCK = 2_000

const act = fc.oneof(
  { weight: 3, arbitrary: running(150) },
  { weight: 1, arbitrary: mining },
  { weight: 2, arbitrary: forking(DEEPEST, 0) },
  { weight: 3, arbitrary: forking(12, 0) },
)
const way = fc.array(
  fc.record({
    act,
    most: fc.integer({ min: 0, max: 120 }),
    finalityDepth: fc.constantFrom(3, 64, DEEPEST),
    tellsApprovals: fc.boolean(),
    sweeps: fc.boolean(),
    reads: fc.integer({ min: 0, max: 60 }),
  }),
  { minLength: 1, maxLength: 20, size: 'max' },
)

let chainIds = 700_000

describeStores('an index', (stores) => {
  const begin = (chain: SyntheticChain) => {
    chainIds += 1
    return new ProjectionDriver(createProjection(stores.store), chain, chainIds)
  }

  it(
    'has after forks of any depth the rows that one has that never saw them',
    async () => {
      await fc.assert(
        fc.asyncProperty(way, async (steps) => {
          const chain = new SyntheticChain(SECONDS_PER_BLOCK)
          const life = begin(chain)
          for (const { act, most, finalityDepth, tellsApprovals, sweeps, reads } of steps) {
            perform(chain, act)
            if (most === 0) continue
            await life.step(most, finalityDepth, tellsApprovals)
            if (reads > 0) await readApprovals(stores.store, life, reads)
            if (sweeps) await sweep(stores.store, life)
            await expectVerdicts(stores.store, life)
          }
          // Blocks without anything, so that what is final depends on the chain alone.
          for (let block = 0; block < DEEPEST; block += 1) chain.mine([])
          const fresh = begin(chain)
          for (const driver of [life, fresh]) {
            await driver.catchUp()
            await readApprovals(stores.store, driver)
            await expectVerdicts(stores.store, driver)
            await sweep(stores.store, driver)
          }
          expect(await rowsOf(stores.store, life)).toEqual(await rowsOf(stores.store, fresh))
        }),
        { numRuns: trials({ short: 25, nightly: 1_000 }) },
      )
    },
    trialsTimeoutMs(240_000),
  )
})

/** The rows that depend on the chain alone: those of blocks that are not final, and not how far approvals were read when. */
async function rowsOf(store: Store, { chainId }: ProjectionDriver) {
  const { db } = store
  const chain = db.selectFrom('index_chains').where('chain_id', '=', chainId)
  const state = await chain.select(['finalized_block', 'approvals_read_to']).executeTakeFirstOrThrow()
  return {
    ...(await projectionRows(store, chainId)),
    state,
    blocks: await db
      .selectFrom('index_blocks')
      .select(['number', 'hash', 'parent_hash', 'timestamp'])
      .where('chain_id', '=', chainId)
      .where('number', '>', state.finalized_block)
      .orderBy('number')
      .execute(),
    approvalTokens: await db
      .selectFrom('approval_tokens')
      .select('token')
      .where('chain_id', '=', chainId)
      .orderBy('token')
      .execute(),
  }
}

/** Reads the approvals of the past up to so many blocks behind the first gap; all of them by default. */
async function readApprovals(store: Store, driver: ProjectionDriver, blocks?: number): Promise<void> {
  const approvals = approvalStore(store)
  const lease = await driver.lease()
  const tip = await driver.tip()
  for (let gap = await approvals.findGap(lease); gap !== undefined; gap = await approvals.findGap(lease)) {
    const to = driver.chain.block(Math.min(tip.number, gap.readTo + (blocks ?? tip.number)))
    if (to === undefined) throw new Error('the gap ends above the chain')
    const rows = driver.chain.approvals(gap.readTo, to.number, gap.tokens)
    expect(await approvals.closeGap(lease, gap, to, rows)).toBe(true)
    if (blocks !== undefined) return
  }
}

/** Has all verdicts read at the tip, and all tokens checked. What is read tells its block. */
async function sweep(store: Store, driver: ProjectionDriver): Promise<void> {
  const { chainId } = driver
  const block = await driver.tip()
  const members = await store.db
    .selectFrom('verdicts')
    .select(['subscription_id', 'subscriber', 'token'])
    .where('chain_id', '=', chainId)
    .execute()
  const verdicts = verdictStore(store)
  const lease = await driver.lease()
  const read = members.map(({ subscription_id, subscriber }) => ({
    subscriptionId: toHex(subscription_id),
    subscriber: getAddress(subscriber),
    verdict: verdictAt(block.hash),
    sweepAt: block.timestamp,
  }))
  expect(await verdicts.writeVerdicts(lease, block, read)).toBe(true)
  const tokens = [...new Set(members.map(({ token }) => getAddress(token)))]
  const checks = tokens.map((address) => ({ token: address, differs: differsAt(block.hash) }))
  await verdicts.writeTokenChecks(lease, block, checks)
}

/** Who is charged has a verdict, and what the sweep has read is of blocks that are on the chain. */
async function expectVerdicts({ db }: Store, { chain, chainId }: ProjectionDriver): Promise<void> {
  const charged = await db
    .selectFrom('memberships')
    .innerJoin('subscriptions', (join) =>
      join
        .onRef('subscriptions.chain_id', '=', 'memberships.chain_id')
        .onRef('subscriptions.id', '=', 'memberships.subscription_id'),
    )
    .select(['memberships.subscriber', 'memberships.subscription_id'])
    .where('memberships.chain_id', '=', chainId)
    .where('memberships.status', '=', 0)
    .where('subscriptions.cancelled', '=', 0)
    .orderBy('memberships.subscriber')
    .orderBy('memberships.subscription_id')
    .execute()
  const known = await db
    .selectFrom('verdicts')
    .select(['subscriber', 'subscription_id'])
    .where('chain_id', '=', chainId)
    .orderBy('subscriber')
    .orderBy('subscription_id')
    .execute()
  expect(known).toEqual(charged)
  const verdicts = await db
    .selectFrom('verdicts')
    .select(['block_number', 'charges'])
    .where('chain_id', '=', chainId)
    .where('block_number', 'is not', null)
    .execute()
  const checks = await db
    .selectFrom('token_checks')
    .select(['block_number', 'differs'])
    .where('chain_id', '=', chainId)
    .execute()
  const hashOf = (number: number | null) => chain.block(number ?? 0)?.hash ?? 'no block'
  expect(verdicts.map(({ block_number }) => verdictAt(hashOf(block_number)).charges)).toEqual(
    verdicts.map(({ charges }) => charges),
  )
  expect(checks.map(({ block_number }) => Number(differsAt(hashOf(block_number))))).toEqual(
    checks.map(({ differs }) => differs),
  )
}

function verdictAt(hash: string): Verdict {
  const charges = Array.from(hash.slice(2, 10), (digit) => 'PFS'[Number.parseInt(digit, 16) % 3]).join('')
  return { firstDay: 20_900, charges, trouble: null }
}

function differsAt(hash: string): boolean {
  return Number.parseInt(hash.slice(-1), 16) % 2 === 1
}
