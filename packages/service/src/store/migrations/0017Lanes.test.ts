import { describeStores } from '@remit/testing/support/stores/describeStores'
import { InventedLog, subscriptionId } from '@remit/testing/support/webhooks/InventedLog'
import { knownOf, Receiver } from '@remit/testing/support/webhooks/Receiver'
import { anyChallenge, listeningTo, startDelivering } from '@remit/testing/support/webhooks/startDelivering'
import { type RawBuilder, sql } from 'kysely'
import { expect, it } from 'vitest'
import type { Store } from '../openStore.ts'
import { createWebhooks } from './0008Webhooks.ts'
import { createLanes } from './0017Lanes.ts'

const [A, B] = [subscriptionId(1), subscriptionId(2)]
const SOON = { timeout: 20_000 }
const CHAIN = 31_337

/** Gives a store the webhooks of version 16 of the schema, with the endpoints that it has. */
async function asBefore(store: Store): Promise<void> {
  const endpoints = await store.db.selectFrom('webhook_endpoints').selectAll().execute()
  const [service] = await store.db.selectFrom('webhook_service').selectAll().execute()
  await store.transaction(async (db) => {
    for (const table of ['endpoints', 'deliveries', 'lanes', 'routes', 'deliverers', 'service']) {
      await db.schema.dropTable(`webhook_${table}`).execute()
    }
    await createWebhooks(db)
    if (service !== undefined) await db.updateTable('webhook_service').set(service).execute()
    for (const { turn, claimed, woken, version, waits_since, ...columns } of endpoints) {
      const row = { ...columns, due_at: null, shard: 7 }
      const names = Object.keys(row).map((name) => sql.ref(name))
      await sql`insert into webhook_endpoints (${sql.join(names)}) values (${sql.join(Object.values(row))})`.execute(
        db,
      )
    }
  })
}

describeStores('webhooks of an earlier release', (stores) => {
  it('hear after the update what waited for them, in order, and nothing that they had heard', async () => {
    const { store } = stores
    const receiver = await new Receiver().start()
    const log = new InventedLog(store)
    await log.begin()
    const before = startDelivering(store)
    const make = async (path: string) =>
      (await before.webhooks.create('ada', listeningTo(receiver.url(path)), anyChallenge)).webhook.id
    const [idle, waiting, paused, wanting] = [
      await make('/idle'),
      await make('/waiting'),
      await make('/paused'),
      await make('/wanting'),
    ]
    await before.stop()
    // 1 to 6: A, B, A, B, A, B.
    for (let round = 0; round < 3; round += 1) await log.append([A, B])
    await asBefore(store)
    const run = (statement: RawBuilder<unknown>) => store.transaction((db) => statement.execute(db))
    const now = Date.now()
    const delivery = (id: string, sequence: number, state: number, nextAt: number) => {
      const event = log.events[sequence - 1]
      const body = JSON.stringify({
        type: 'subscription.cancelled',
        id: event?.id,
        sequence,
        subject: { subscriptionId: event?.subscription, token: null, provider: null },
      })
      return run(sql`insert into webhook_deliveries
        (endpoint_id, chain_id, sequence, event_id, type, queue, body, state, again, created_at, next_at, attempts)
        values (${id}, ${CHAIN}, ${sequence}, ${event?.id}, 'subscription.cancelled',
          ${`${CHAIN} ${event?.subscription}`}, ${body}, ${state}, 0, ${now}, ${nextAt}, ${state === 0 ? 1 : 2})`)
    }
    await run(sql`insert into webhook_cursors (chain_id, finality, sequence) values (${CHAIN}, 'seen', 4)`)
    // Handed out up to 4: one has heard all of it, one waits for its next attempt of A and has B before it.
    for (const sequence of [1, 2, 3, 4]) await delivery(idle, sequence, 1, now)
    await delivery(waiting, 1, 0, now + 1_500)
    await delivery(waiting, 2, 1, now)
    await delivery(waiting, 3, 0, now)
    await delivery(waiting, 4, 0, now)
    await run(sql`update webhook_endpoints set due_at = ${now} where id = ${waiting}`)
    // One was paused after 2, and one wants 2 and 3 once more.
    const feed = (id: string, again: number, sequence: number, until: number | null) =>
      run(sql`insert into webhook_feeds (endpoint_id, chain_id, again, sequence, until_sequence)
        values (${id}, ${CHAIN}, ${again}, ${sequence}, ${until})`)
    for (const sequence of [1, 2]) await delivery(paused, sequence, 1, now)
    await feed(paused, 0, 2, null)
    await run(
      sql`update webhook_endpoints set paused_at = ${now}, paused_reason = 'owner' where id = ${paused}`,
    )
    for (const sequence of [1, 2, 3, 4]) await delivery(wanting, sequence, 1, now)
    await feed(wanting, 1, 1, 3)
    // A lease, as every store has them.
    await run(sql`insert into webhook_leases (name, holder, lease_until) values ('shard 1', 'gone', 0)`)

    await store.transaction(createLanes)

    const after = startDelivering(store)
    await after.start()
    const heard = (path: string) => receiver.at(path).map(({ sequence }) => sequence ?? 0)
    const sorted = (path: string) => heard(path).toSorted((one, other) => one - other)
    await expect.poll(() => sorted('/waiting'), SOON).toEqual([1, 3, 4, 5, 6])
    await expect.poll(() => sorted('/idle'), SOON).toEqual([5, 6])
    await expect.poll(() => sorted('/wanting'), SOON).toEqual([2, 3, 5, 6])
    expect(knownOf(receiver.at('/waiting')).get(A)).toEqual([1, 3, 5])
    // B waits for nothing of A.
    expect(heard('/waiting').slice(0, 2)).toEqual([4, 6])
    expect(heard('/paused')).toEqual([])
    await after.webhooks.resume('ada', paused)
    await expect.poll(() => sorted('/paused'), SOON).toEqual([3, 4, 5, 6])
    expect(knownOf(receiver.at('/paused')).get(A)).toEqual([3, 5])
    await log.append([A])
    for (const path of ['/idle', '/waiting', '/paused', '/wanting']) {
      await expect.poll(() => heard(path).at(-1), SOON).toBe(7)
    }
    // Nothing waits, and nothing is left behind.
    await expect.poll(() => store.db.selectFrom('webhook_lanes').selectAll().execute(), SOON).toEqual([])
    expect(new Set(heard('/waiting')).size).toBe(heard('/waiting').length)
    await after.stop()
    await receiver.close()
  }, 60_000)
})
