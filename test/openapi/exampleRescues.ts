import { setTimeout as sleep } from 'node:timers/promises'
import { offerRescue } from '@remit/service/testing/operations/rescues'
import type { JsonObject } from '@remit/service/testing/surfaces/openapi/SchemaBook'
import Database from 'libsql'
import * as z from 'zod'
import { json } from '../support/app/smallApp.ts'
import type { Receiver } from '../support/webhooks/Receiver.ts'
import type { ExampleChain } from './exampleChain.ts'
import { ADMIN_SECRET, type ExampleService } from './exampleService.ts'
import { steady } from './steady.ts'

const Left = z.object({ rescue: z.object({ id: z.string() }) })
const MadeKey = z.object({ token: z.string() })

const MOST_WAIT_MS = 60_000

/** Has ben leave a permit for his provider. Resolves with what its webhook is told; throws unless that comes within a minute. */
export async function leaveRescue(
  service: ExampleService,
  receiver: Receiver,
  { wallets, permit }: ExampleChain,
): Promise<{ readonly id: string; readonly told: JsonObject }> {
  const [provider] = wallets.providers
  const asked = json({ subjectId: provider.toLowerCase() }, { 'X-Service-Admin-Key': ADMIN_SECRET })
  const { token } = MadeKey.parse((await service.fetch('/developer/keys', asked)).body)
  const wishes = { url: receiver.url('/desk'), types: ['rescue.offered'] }
  const made = await service.fetch('/developer/webhooks', json(wishes, { Authorization: `Bearer ${token}` }))
  if (made.status !== 201) throw new Error(`The provider has no webhook: ${made.body.error}`)
  const left = await service.call(offerRescue, { ...permit, provider })
  if (left.status !== 201) throw new Error(`Ben cannot leave his permit: ${left.body.error}`)
  const { id } = Left.parse(left.body).rescue
  const deadline = performance.now() + MOST_WAIT_MS
  while (performance.now() < deadline) {
    const [told] = receiver.at('/desk')
    if (told !== undefined) {
      const body = z.record(z.string(), z.json()).parse(JSON.parse(told.body))
      return { id, told: steady(body) }
    }
    await sleep(50)
  }
  throw new Error(`The provider was told nothing within ${MOST_WAIT_MS} ms`)
}

/** What comes of it while as many permits of ben's are kept as may be. */
export async function withFullRescues<Result>(
  { databasePath }: ExampleService,
  { chainId, wallets }: ExampleChain,
  work: () => Promise<Result>,
): Promise<Result> {
  const store = new Database(databasePath)
  const most = 3
  try {
    for (let nonce = 100; nonce < 100 + most; nonce += 1) {
      store
        .prepare(
          `INSERT INTO rescues (id, chain_id, owner, token, provider, value, is_allowed, deadline, nonce, is_public,
            signature, sender, created_at, checked_at, checked_block)
          VALUES (?, ?, ?, '0x', '0x', '1', 0, 4102444800, ?, 0, '', '', 0, 4102444800000, 1000000000)`,
        )
        .run(`rescue_full${nonce}`, chainId, wallets.ben.toLowerCase(), `${nonce}`)
    }
    return await work()
  } finally {
    store.prepare("DELETE FROM rescues WHERE id LIKE 'rescue_full%'").run()
    store.close()
  }
}
