import { randomBytes, randomUUID } from 'node:crypto'
import { ValidationError } from '@remit/engine/errors/input'
import type { EventLog } from '@remit/engine/ports/events'
import { sql, type Transaction } from 'kysely'
import {
  DeliveryNotFoundError,
  MaxWebhooksError,
  UnprovenUrlError,
  WebhookNotFoundError,
} from '../../errors/webhooks.ts'
import {
  DELIVERY_STATES,
  type Delivery,
  type DeliveryAnswer,
  type DeliveryState,
  type IssuedWebhook,
  type NewWebhook,
  type Webhook,
  type WebhookPage,
  type WebhookPageQuery,
  type WebhooksPort,
} from '../../ports/webhooks.ts'
import type { Queries, Store } from '../../store/openStore.ts'
import type { SecretBox } from '../../store/SecretBox.ts'
import type { Tables } from '../../store/tables.ts'
import { lockEndpoints, nextVersion, wakeEndpoints } from '../delivering/claims.ts'
import { pauseEndpoint } from '../delivering/pausing.ts'
import { beginMainCursors, beginRoute } from '../delivering/Router.ts'
import { againQueue, PENDING, RESEND_COLUMNS } from '../delivering/rows.ts'
import { readWebhookUrl } from '../sending/addresses.ts'
import type { Sender } from '../sending/Sender.ts'
import { mintSecret, type ServiceKey } from '../signing/signatures.ts'
import type { WebhookChallenge, WebhookTest } from '../webhookMessages.ts'
import { askAgain, findSince } from './findSince.ts'
import { pageOf, readPlace } from './pages.ts'
import { columnsOf, contextOf, type EndpointRow, secretsOf, toDelivery, toWebhook } from './rows.ts'

/** How long the old secret of a rotation signs too. */
const OVERLAP_MS = 24 * 60 * 60 * 1_000
/** An endpoint hears of events in so many blocks before the head at its creation too: a reorganisation may bring new events there. */
const NEW_BLOCKS = 1_000
/** A new or changed endpoint is made due once after this time: for events that the `Router` passed before it knew of the change. */
const LOOK_AFTER_MS = 1_500

interface WebhooksOptions {
  readonly store: Store
  readonly box: SecretBox
  readonly serviceKey: ServiceKey
  readonly sender: Sender
  readonly events: EventLog
  readonly chainIds: readonly number[]
  /** The newest block that was seen; `undefined` where none was. */
  readonly headOf: (chainId: number) => number | undefined
  readonly allowLoopback: boolean
  /** The most endpoints of one owner. */
  readonly mostOfSubject: number
  /** Runs a question to the store, and turns its failures into errors of the API. Default: they are thrown as they are. */
  readonly ask?: <T>(question: () => Promise<T>) => Promise<T>
  readonly now?: () => number
}

/**
 * Webhooks as the API manages them for their owners, each a `subject` (`WebhooksPort` says what the methods answer). `Deliverer` sends;
 * only challenges and tests are sent here. `../delivering/rows.ts` explains the words: endpoint, queue, cursor, route, woken.
 */
export class Webhooks implements WebhooksPort {
  readonly #options: WebhooksOptions
  readonly #ask: <T>(question: () => Promise<T>) => Promise<T>
  readonly #now: () => number

  constructor(options: WebhooksOptions) {
    this.#options = options
    this.#ask = options.ask ?? ((question) => question())
    this.#now = options.now ?? Date.now
  }

  async create(
    subject: string,
    webhook: NewWebhook,
    takeChallenge: () => Promise<void>,
  ): Promise<IssuedWebhook> {
    this.#requireChain(webhook.chainId)
    const { box, allowLoopback, mostOfSubject, chainIds, headOf } = this.#options
    const url = readWebhookUrl(webhook.url, allowLoopback)
    const secret = mintSecret()
    await takeChallenge()
    await this.#prove(url, secret)
    const id = `wh_${randomUUID().replaceAll('-', '')}`
    const row = await this.#write(async (db) => {
      // Locks the one row of the service, so nothing else makes endpoints meanwhile.
      const version = await nextVersion(db)
      const { count } = await db
        .selectFrom('webhook_endpoints')
        .select((query) => query.fn.countAll<number>().as('count'))
        .where('subject_id', '=', subject)
        .executeTakeFirstOrThrow()
      if (Number(count) >= mostOfSubject) throw new MaxWebhooksError(mostOfSubject)
      const logs = await db.selectFrom('index_chains').select(['chain_id', 'log_sequence']).execute()
      // By chain, what it hears: only events after a sequence, and none in old blocks, which an index that is being filled logs only now.
      const hears = chainIds.map((chainId) => {
        const sequence = logs.find((log) => log.chain_id === chainId)?.log_sequence ?? 0
        return { chainId, sequence, leastBlock: Math.max(0, (headOf(chainId) ?? 0) - NEW_BLOCKS) }
      })
      const begins = hears.map(({ chainId, sequence, leastBlock }) => [chainId, [sequence, leastBlock]])
      const columns = {
        ...{ id, subject_id: subject, ...columnsOf({ ...webhook, url: url.href }), version },
        ...{ begins: JSON.stringify(Object.fromEntries(begins)), created_at: this.#now() },
        ...{ secret: box.seal(secret, contextOf(id)), failures: 0, turn: 0, claimed: 0, woken: 0 },
      }
      await db.insertInto('webhook_endpoints').values(columns).execute()
      for (const { chainId, sequence } of hears) {
        if (webhook.chainId !== null && webhook.chainId !== chainId) continue
        await beginRoute(db, chainId, webhook.finality, sequence)
        await beginMainCursors(db, chainId, new Map([[id, sequence]]))
      }
      await wakeEndpoints(db, this.#options.store.kind, [id], LOOK_AFTER_MS)
      return find(db, subject, id)
    })
    return { webhook: toWebhook(row), secret }
  }

  async list(subject: string, query: WebhookPageQuery): Promise<WebhookPage<Webhook>> {
    const [createdAt, id] = readPlace(query.after, /^\[(\d{1,15}),"([0-9a-z_]{1,60})"\]$/)
    const rows = await this.#read((db) =>
      db
        .selectFrom('webhook_endpoints')
        .selectAll()
        .where('subject_id', '=', subject)
        .$if(query.after !== undefined, (found) =>
          found.where(sql<boolean>`(created_at, id) < (${Number(createdAt)}, ${id})`),
        )
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(query.first + 1)
        .execute(),
    )
    return pageOf(rows, query, (row) => [row.created_at, row.id], toWebhook)
  }

  async get(subject: string, id: string): Promise<Webhook> {
    return toWebhook(await this.#get(subject, id))
  }

  async change(
    subject: string,
    id: string,
    change: Partial<NewWebhook>,
    takeChallenge: () => Promise<void>,
  ): Promise<Webhook> {
    const row = await this.#get(subject, id)
    const whole = { ...toWebhook(row), ...change }
    this.#requireChain(whole.chainId)
    const url = readWebhookUrl(whole.url, this.#options.allowLoopback)
    if (url.href !== row.url) {
      await takeChallenge()
      await this.#prove(url, this.#options.box.open(row.secret, contextOf(row.id)))
    }
    const given = { ...change, ...(change.url === undefined ? {} : { url: url.href }) }
    return this.#change(subject, id, async (db, before) => {
      // Others may have changed it while the URL was asked.
      const columns = columnsOf({ ...toWebhook(before), ...given })
      // The endpoint goes on from where the Router is. Until the Router has read the new filters, the endpoint's main cursor
      // reads the log by them.
      const routes = await db
        .selectFrom('webhook_routes')
        .select(['chain_id', 'sequence'])
        .where('finality', '=', before.finality)
        .execute()
      for (const { chain_id: chainId, sequence } of routes) {
        if (columns.chain_id !== null && columns.chain_id !== chainId) continue
        await beginRoute(db, chainId, columns.finality, sequence)
        await beginMainCursors(db, chainId, new Map([[id, sequence]]))
      }
      await wakeEndpoints(db, this.#options.store.kind, [id], LOOK_AFTER_MS)
      if (columns.url !== before.url) await this.#beginAnew(db, id)
      return { ...columns, version: await nextVersion(db) }
    })
  }

  async pause(subject: string, id: string): Promise<Webhook> {
    return this.#change(subject, id, async (db) => {
      await pauseEndpoint(db, id, 'owner', this.#now())
      return {}
    })
  }

  async resume(subject: string, id: string): Promise<Webhook> {
    return this.#change(subject, id, async (db) => {
      const resumed = { paused_at: null, paused_reason: null }
      await db.updateTable('webhook_endpoints').set(resumed).where('id', '=', id).execute()
      await this.#beginAnew(db, id)
      await wakeEndpoints(db, this.#options.store.kind, [id])
      return {}
    })
  }

  async delete(subject: string, id: string): Promise<Webhook> {
    return this.#write(async (db) => {
      await lockEndpoints(db, this.#options.store.kind, [id])
      const row = await find(db, subject, id)
      await db.deleteFrom('webhook_endpoints').where('id', '=', id).execute()
      await db.deleteFrom('webhook_lanes').where('endpoint_id', '=', id).execute()
      await db.deleteFrom('webhook_deliveries').where('endpoint_id', '=', id).execute()
      await nextVersion(db)
      return toWebhook(row)
    })
  }

  async rotateSecret(subject: string, id: string): Promise<IssuedWebhook> {
    const secret = mintSecret()
    const webhook = await this.#change(subject, id, async (_, { secret: old_secret }) => ({
      secret: this.#options.box.seal(secret, contextOf(id)),
      old_secret,
      old_secret_until: this.#now() + OVERLAP_MS,
    }))
    return { webhook, secret }
  }

  async test(subject: string, id: string): Promise<DeliveryAnswer> {
    const row = await this.#get(subject, id)
    const eventId = `evt_test_${randomBytes(16).toString('hex')}`
    const time = new Date(this.#now()).toISOString()
    const test: WebhookTest = { type: 'webhook.test', id: eventId, time, data: { webhookId: id } }
    return this.#send(new URL(row.url), test, secretsOf(this.#options.box, row, this.#now()))
  }

  async deliveries(
    subject: string,
    id: string,
    query: WebhookPageQuery & { readonly state: DeliveryState | undefined },
  ): Promise<WebhookPage<Delivery>> {
    await this.#get(subject, id)
    const [createdAt, chainId, sequence] = readPlace(query.after, /^\[(\d{1,15}),(\d{1,16}),(\d{1,16})\]$/)
    const place = sql`(${Number(createdAt)}, ${Number(chainId)}, ${Number(sequence)})`
    const rows = await this.#read((db) =>
      db
        .selectFrom('webhook_deliveries')
        .selectAll()
        .where('endpoint_id', '=', id)
        .$if(query.state !== undefined, (found) =>
          found.where('state', '=', DELIVERY_STATES.indexOf(query.state ?? 'pending')),
        )
        .$if(query.after !== undefined, (found) =>
          found.where(sql<boolean>`(created_at, chain_id, sequence) < ${place}`),
        )
        .orderBy('created_at', 'desc')
        .orderBy('chain_id', 'desc')
        .orderBy('sequence', 'desc')
        .limit(query.first + 1)
        .execute(),
    )
    return pageOf(rows, query, (row) => [row.created_at, row.chain_id, row.sequence], toDelivery)
  }

  async redeliver(subject: string, id: string, eventId: string): Promise<Delivery> {
    return this.#write(async (db) => {
      await lockEndpoints(db, this.#options.store.kind, [id])
      await find(db, subject, id)
      // An event that was retracted and came back has its id twice. The newer one is meant.
      const found = await db
        .selectFrom('webhook_deliveries')
        .selectAll()
        .where('event_id', '=', eventId)
        .where('endpoint_id', '=', id)
        .orderBy('sequence', 'desc')
        .limit(1)
        .executeTakeFirst()
      if (found === undefined) throw new DeliveryNotFoundError(eventId)
      // It waits to be sent anyway. Moved to another queue, it could overtake the events before it.
      if (found.state === PENDING) return toDelivery(found)
      const again = {
        ...RESEND_COLUMNS,
        queue: againQueue(found.chain_id, found.sequence),
        next_at: this.#now(),
      }
      await db
        .updateTable('webhook_deliveries')
        .set(again)
        .where('endpoint_id', '=', id)
        .where('chain_id', '=', found.chain_id)
        .where('sequence', '=', found.sequence)
        .execute()
      await wakeEndpoints(db, this.#options.store.kind, [id])
      return toDelivery({ ...found, ...again })
    })
  }

  async redeliverSince(subject: string, id: string, since: number): Promise<void> {
    const { chain_id: own } = await this.#get(subject, id)
    const { events, chainIds } = this.#options
    const ranges = await Promise.all(
      chainIds
        .filter((chainId) => own === null || own === chainId)
        .map((chainId) => this.#ask(() => findSince(events, chainId, since))),
    )
    await this.#change(subject, id, async (db) => {
      for (const range of ranges) {
        if (range !== undefined) await askAgain(db, id, range)
      }
      await wakeEndpoints(db, this.#options.store.kind, [id])
      return {}
    })
  }

  async publicKey(): Promise<string> {
    return (await this.#ask(() => this.#options.serviceKey.get())).publicKey
  }

  /** Forgets the endpoint's failures, and makes deliveries that wait for their next attempt due now. */
  async #beginAnew(db: Transaction<Tables>, id: string): Promise<void> {
    await db
      .updateTable('webhook_endpoints')
      .set({ failing_since: null, failures: 0 })
      .where('id', '=', id)
      .execute()
    await db
      .updateTable('webhook_deliveries')
      .set({ next_at: this.#now() })
      .where('endpoint_id', '=', id)
      .where('state', '=', sql.lit(PENDING))
      .where('next_at', '>', this.#now())
      .execute()
  }

  #read<T>(use: (db: Queries) => Promise<T>): Promise<T> {
    return this.#ask(() => use(this.#options.store.db))
  }

  #write<T>(use: (db: Transaction<Tables>) => Promise<T>): Promise<T> {
    return this.#ask(() => this.#options.store.transaction(use))
  }

  #get(subject: string, id: string): Promise<EndpointRow> {
    return this.#read((db) => find(db, subject, id))
  }

  /** @param change resolves with columns to set, and may write more. Nobody else changes the endpoint meanwhile. */
  #change(
    subject: string,
    id: string,
    change: (db: Transaction<Tables>, before: EndpointRow) => Promise<Partial<EndpointRow>>,
  ): Promise<Webhook> {
    return this.#write(async (db) => {
      await lockEndpoints(db, this.#options.store.kind, [id])
      const columns = await change(db, await find(db, subject, id))
      // An update must set something, even where nothing changes.
      const set = { subject_id: subject, ...columns }
      await db.updateTable('webhook_endpoints').set(set).where('id', '=', id).execute()
      return toWebhook(await find(db, subject, id))
    })
  }

  #requireChain(chainId: number | null): void {
    const { chainIds } = this.#options
    if (chainId === null || chainIds.includes(chainId)) return
    throw ValidationError.of('chainId', `has no events here; these have: ${chainIds.join(', ')}`)
  }

  /** Asks a new URL to answer with a random text: only somebody who wants a webhook there does so. Throws UnprovenUrlError. */
  async #prove(url: URL, secret: string): Promise<void> {
    const challenge = randomBytes(24).toString('base64url')
    const id = `evt_challenge_${randomBytes(16).toString('hex')}`
    const question: WebhookChallenge = { type: 'webhook.challenge', id, challenge }
    const { status, answer, failure } = await this.#send(url, question, [secret])
    if (status === 200 && answer === challenge) return
    throw new UnprovenUrlError({ status, failure })
  }

  /** Posts a message now, outside of all queues. */
  async #send(
    url: URL,
    message: WebhookChallenge | WebhookTest,
    secrets: readonly string[],
  ): Promise<DeliveryAnswer> {
    const { serviceKey, sender } = this.#options
    const { privateKey } = await this.#ask(() => serviceKey.get())
    const body = JSON.stringify(message)
    const outcome = await sender.postSigned({ url, id: message.id, body, secrets, key: privateKey })
    const { durationMs } = outcome
    if ('status' in outcome) {
      return { status: outcome.status, answer: outcome.answer, failure: null, durationMs }
    }
    // `stopped` comes only while this process ends. The API has no such failure.
    const failure = outcome.failure === 'stopped' ? 'connection' : outcome.failure
    return { status: null, answer: null, failure, durationMs }
  }
}

/** Throws WebhookNotFoundError, for an endpoint of another subject too. */
async function find(db: Queries, subject: string, id: string): Promise<EndpointRow> {
  const row = await db
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('id', '=', id)
    .where('subject_id', '=', subject)
    .executeTakeFirst()
  if (row === undefined) throw new WebhookNotFoundError(id)
  return row
}
