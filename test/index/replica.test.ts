import { openStore } from '@remit/service/testing/store/openStore'
import { describe, expect, it, onTestFinished } from 'vitest'
import { randomOf } from '../differential/random.ts'
import { beginBusyLife } from '../support/chain/busyLife.ts'
import { useTestChain } from '../support/chain/useTestChain.ts'
import { reachesHead } from '../support/service/indexer.ts'
import { ADMIN_SECRET, startTestService } from '../support/service/testService.ts'
import { postgresIsInstalled, usePostgres } from '../support/stores/postgres.ts'

const chain = await useTestChain({ goesOn: true })
const life = await beginBusyLife(chain, randomOf(3))
await life.mine(4)

const asAdmin = { headers: { 'X-Service-Admin-Key': ADMIN_SECRET } }

describe.skipIf(!postgresIsInstalled)('a process with INDEXER=false', () => {
  const postgres = usePostgres()

  it('starts and answers over a replica that takes no writes, and says what it cannot do', async () => {
    const url = await postgres.createDatabase()
    const writing = await startTestService([chain], { DATABASE_URL: url })
    const store = await openStore(url)
    const replica = await postgres.follow()
    const reading = await startTestService([chain], {
      DATABASE_URL: replica.of(url),
      INDEXER: 'false',
    })
    onTestFinished(async () => {
      await reading.close()
      await writing.close()
      await store.close()
    })
    await life.mine(4)
    await reachesHead(store, chain)
    const made = await writing.post('/developer/keys', { subjectId: 'ada' }, asAdmin)
    expect(made.status).toBe(201)
    // Makes the keys that sign passes.
    const passKeys = await writing.get('/.well-known/jwks.json')
    await replica.caughtUp()

    const asKey = { headers: { Authorization: `Bearer ${made.body.token}` } }
    const [there, here] = [await writing.get('/events', asKey), await reading.get('/events', asKey)]
    expect(here.headers.get('x-service-lane')).toBe('developer')
    expect(here.body.events).toEqual(there.body.events)
    expect((await reading.get('/.well-known/jwks.json')).body).toEqual(passKeys.body)
    expect(await reading.post('/developer/keys', { subjectId: 'ada' }, asAdmin)).toMatchObject({
      status: 503,
      body: { code: 'KEYS_UNAVAILABLE', error: expect.stringContaining('cannot be written') },
    })
  }, 120_000)
})
