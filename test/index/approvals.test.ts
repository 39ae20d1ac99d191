import { createProjection } from '@remit/service/testing/history/projection/createProjection'
import type { Store } from '@remit/service/testing/store/openStore'
import type { Address } from 'viem'
import { describe, expect, it } from 'vitest'
import { reorganise } from '../support/chain/reorganise.ts'
import { useReadingGround } from '../support/chain/useReadingGround.ts'
import { fillFromLogs, type LogFilling } from '../support/history/fillFromLogs.ts'
import { pastApprovalsOf } from '../support/history/pastApprovals.ts'
import { projectionRows } from '../support/history/projectionRows.ts'
import { sweepOver } from '../support/history/sweepOver.ts'
import { useFaultyNode } from '../support/nodes/faultyNode.ts'
import { describeStores } from '../support/stores/describeStores.ts'

const ground = await useReadingGround({ reorganises: true })
const { protocol, chainId, client, wallets, tokens, url } = ground
const { alice, bob, carol, stranger } = wallets
const node = await useFaultyNode(url)
const weekly = await protocol.create()
for (const account of [alice, bob, carol]) await protocol.join(weekly, account)
await ground.keep()

const { signal } = new AbortController()
const approve = (account: Address, allowance: bigint, token: Address = weekly.token) =>
  protocol.fund(token, account, { allowance })

/** What an index of its own, filled from the first block on, knows. */
async function rowsFromScratch() {
  const filling = await fillFromLogs(ground, [url])
  await filling.fill()
  return filling.rows()
}

const fromScratch = async () => (await rowsFromScratch()).approvals

/** Reads what no step has read, and counts how often verdicts were due then. */
function pastOf({ nodes, store }: LogFilling, firstBlock = ground.firstBlock) {
  let written = 0
  const onWritten = () => {
    written += 1
  }
  return { past: pastApprovalsOf({ nodes, store, firstBlock, onWritten }), written: () => written }
}

const readTo = async (store: Store) => (await createProjection(store).indexState(chainId))?.approvalsReadTo

/** An index as a release that knew nothing of approvals has left it. */
const forget = (store: Store) =>
  store.transaction(async (db) => {
    const rows = await db.selectFrom('approvals').select('owner').execute()
    for (const { owner } of rows) {
      await db
        .updateTable('account_counts')
        .set((row) => ({ as_subscriber: row('as_subscriber', '-', 1) }))
        .where('account', '=', owner)
        .execute()
    }
    for (const table of ['approvals', 'approval_tokens'] as const) await db.deleteFrom(table).execute()
    return rows.length
  })

describeStores('approvals', ({ open }) => {
  it('lowered make a payment at risk with the next sweep, and raised safe again, without an event of the contract', async () => {
    const store = await open()
    const swept = await sweepOver(ground, store)
    await swept.all()
    const told = async () => {
      const query = { after: 0, first: 500, filters: {}, finality: 'seen' } as const
      const page = await createProjection(store).readLog(chainId, query)
      return page?.events.map(({ type, subject }) => [type, subject.account])
    }
    const before = (await told())?.length ?? 0
    await approve(bob, 1n)
    await swept.filling.fill()
    await swept.all()
    expect((await told())?.slice(before)).toContainEqual(['payment.at_risk', bob])
    await approve(bob, 10n ** 12n)
    await swept.filling.fill()
    await swept.all()
    expect((await told())?.slice(before)).toContainEqual(['payment.safe_again', bob])
  })

  it('of blocks that were reorganised away are gone, and are counted no more', async () => {
    const store = await open()
    const filling = await fillFromLogs(ground, [url], { store })
    await filling.fill()
    const { accountCounts } = await filling.rows()
    await approve(stranger, 7n)
    await filling.fill()
    expect((await filling.rows()).approvals.at(-1)).toMatchObject({
      owner: stranger.toLowerCase(),
      amount: '7',
    })
    await reorganise(client, 1, [])
    await filling.fill()
    const rows = await filling.rows()
    expect(rows.approvals).toEqual(await fromScratch())
    expect(rows.accountCounts).toEqual(accountCounts)
  })

  it('of a token that comes later are read from the first block on', async () => {
    const store = await open()
    const filling = await fillFromLogs(ground, [url], { store })
    await filling.fill()
    await approve(alice, 5n, tokens.dai)
    await filling.fill()
    expect((await filling.rows()).approvals.map(({ token }) => token)).not.toContain(tokens.dai.toLowerCase())
    await protocol.create({ token: tokens.dai })
    await filling.fill()
    expect(await readTo(store)).toBe(ground.firstBlock - 1)
    const { past } = pastOf(filling)
    while ((await past.readRange(await filling.lease(), signal)) === 'read') {}
    expect(await readTo(store)).toBeNull()
    const { approvals } = await filling.rows()
    expect(approvals.map(({ token }) => token)).toContain(tokens.dai.toLowerCase())
    expect(approvals).toEqual(await fromScratch())
  })

  it('are read behind an index that was filled without them, range by range, and steps go on meanwhile', async () => {
    const store = await open()
    const filling = await fillFromLogs(ground, [url], { store })
    await filling.fill()
    expect(await forget(store)).toBeGreaterThan(2)
    node.fail({ refuse: fourBlocks })
    const slow = await fillFromLogs(ground, [node.url], { store })
    const lease = await filling.lease()
    await client.mine({ blocks: 1 })
    await filling.fill()
    let ranges = 0
    // Each range by a process of its own: none needs what another has in memory.
    while ((await pastOf({ ...slow, store }).past.readRange(lease, signal)) === 'read') {
      ranges += 1
      if (ranges !== 2) continue
      await approve(stranger, 9n)
      await filling.fill()
      const { approvals } = await projectionRows(store, chainId)
      expect(approvals.at(-1)).toMatchObject({ owner: stranger.toLowerCase() })
    }
    expect(ranges).toBeGreaterThanOrEqual(3)
    expect(await readTo(store)).toBeNull()
    const [{ approvals, accountCounts }, scratch] = [await filling.rows(), await rowsFromScratch()]
    expect({ approvals, accountCounts }).toEqual({
      approvals: scratch.approvals,
      accountCounts: scratch.accountCounts,
    })
  })
})

describe('approvals', () => {
  it('that a step does not tell are read behind it, and have the verdicts before them read again', async () => {
    const filling = await fillFromLogs(ground, [url])
    await filling.fill()
    const { store } = filling
    await store.transaction((db) =>
      db.updateTable('verdicts').set({ sweep_at: 9, block_number: 1, charges: '' }).execute(),
    )
    await approve(carol, 3n)
    await filling.seeHead()
    const from = await filling.tip()
    const next = await filling.source.next(from, signal)
    if (next.kind !== 'step') throw new Error('there is nothing to read')
    // As a subgraph's: without approvals.
    const { approvals: _, ...step } = next.step
    const facts = { terms: new Map(), payments: [] }
    await createProjection(store).apply(await filling.lease(), from.block, step, facts, 60_000)
    expect(await readTo(store)).toBe(from.block.number)
    const { past, written } = pastOf(filling)
    while ((await past.readRange(await filling.lease(), signal)) === 'read') {}
    expect([await readTo(store), written()]).toEqual([null, 1])
    expect((await filling.rows()).approvals).toEqual(await fromScratch())
    const due = await store.db.selectFrom('verdicts').select('subscriber').where('sweep_at', '=', 0).execute()
    expect(due.map(({ subscriber }) => subscriber)).toEqual([carol.toLowerCase()])
  })

  it('that a node hides are missed by the block’s bloom, and another node is asked', async () => {
    const filling = await fillFromLogs(ground, [node.url, url])
    await filling.fill()
    node.fail({
      alter: ({ method, params }, result) =>
        method === 'eth_getLogs' && JSON.stringify(params).includes('8c5be1e5') ? [] : result,
    })
    await approve(stranger, 11n)
    await filling.fill()
    expect((await filling.rows()).approvals.at(-1)).toMatchObject({
      owner: stranger.toLowerCase(),
      amount: '11',
    })
  })
})

function fourBlocks({ method, params }: { method: string; params: readonly unknown[] }) {
  if (method !== 'eth_getLogs') return undefined
  const [{ fromBlock, toBlock }] = params as [{ fromBlock: string; toBlock: string }]
  if (Number(toBlock) - Number(fromBlock) < 4) return undefined
  return { error: { code: -32_602, message: 'block range too large: at most 4 blocks' } }
}
