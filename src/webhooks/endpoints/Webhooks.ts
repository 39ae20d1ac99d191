import { randomBytes, randomUUID } from 'node:crypto'
import type { EventLog } from '../../core/ports/events.ts'
import type {
  Delivery,
  DeliveryAnswer,
  DeliveryState,
  IssuedWebhook,
  NewWebhook,
  Webhook,
  WebhookPage,
  WebhookPageQuery,
  WebhooksPort,
} from '../../core/ports/webhooks.ts'
import { ValidationError } from '../../errors/input.ts'
import { UnprovenUrlError } from '../../errors/webhooks.ts'
import type { WebhookChallenge, WebhookTest } from '../../presentation/webhookMessages.ts'
import type { Store } from '../../store/openStore.ts'
import type { SecretBox } from '../../store/SecretBox.ts'
import { wakeEndpoints } from '../delivering/claims.ts'
import { pauseEndpoint } from '../delivering/pausing.ts'
import { sinceQueue } from '../delivering/rows.ts'
import type { Outcome } from '../Outcome.ts'
import type { Sender } from '../sending/Sender.ts'
import { readWebhookUrl } from '../sending/webhookUrl.ts'
import type { ServiceKey } from '../signing/ServiceKey.ts'
import { mintSecret, signedHeaders } from '../signing/signatures.ts'
import { attemptNow, DeliveryStore } from './DeliveryStore.ts'
import { contextOf, EndpointStore, secretsOf } from './EndpointStore.ts'
import { type EndpointRow, toWebhook } from './toWebhook.ts'

/** How long the old secret of a rotation signs too. */
const OVERLAP_MS = 24 * 60 * 60 * 1_000
/** Blocks before the head at creation that still count as new: the head may be replaced. */
const NEW_BLOCKS = 1_000

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
  readonly mostOfSubject: number
  readonly userAgent: string
  /** Asks the store something, and names its failures. Default: they are thrown as they are. */
  readonly ask?: Ask
  readonly now?: () => number
}

type Ask = <T>(question: () => Promise<T>) => Promise<T>

/** Manages endpoints for their owners. What it stores is delivered by whoever delivers. */
export class Webhooks implements WebhooksPort {
  readonly #options: WebhooksOptions
  readonly #endpoints: EndpointStore
  readonly #deliveries: DeliveryStore
  readonly #ask: Ask
  readonly #now: () => number

  constructor(options: WebhooksOptions) {
    this.#options = options
    this.#ask = options.ask ?? ((question) => question())
    this.#endpoints = new EndpointStore(options.store, options.mostOfSubject)
    this.#deliveries = new DeliveryStore(options.store)
    this.#now = options.now ?? Date.now
  }

  async create(
    subject: string,
    webhook: NewWebhook,
    mayChallenge: () => Promise<void>,
  ): Promise<IssuedWebhook> {
    this.#requireChain(webhook.chainId)
    const url = readWebhookUrl(webhook.url, this.#options.allowLoopback)
    const secret = mintSecret()
    await mayChallenge()
    await this.#prove(url, secret)
    const id = `wh_${randomUUID().replaceAll('-', '')}`
    const row = await this.#ask(() =>
      this.#endpoints.insert(
        {
          id,
          subject_id: subject,
          ...columnsOf({ ...webhook, url: url.href }),
          secret: this.#options.box.seal(secret, contextOf(id)),
          old_secret: null,
          old_secret_until: null,
          created_at: this.#now(),
          paused_at: null,
          paused_reason: null,
          delivered_at: null,
          failing_since: null,
          failures: 0,
          due_at: null,
          waits_since: null,
          turn: 0,
          claimed: 0,
          woken: 0,
        },
        this.#chains(),
      ),
    )
    return { webhook: toWebhook(row), secret }
  }

  async list(subject: string, query: WebhookPageQuery): Promise<WebhookPage<Webhook>> {
    const { rows, nextCursor } = await this.#ask(() => this.#endpoints.list(subject, query))
    return { rows: rows.map(toWebhook), nextCursor }
  }

  async get(subject: string, id: string): Promise<Webhook> {
    return toWebhook(await this.#ask(() => this.#endpoints.get(subject, id)))
  }

  async change(
    subject: string,
    id: string,
    change: Partial<NewWebhook>,
    mayChallenge: () => Promise<void>,
  ): Promise<Webhook> {
    const row = await this.#ask(() => this.#endpoints.get(subject, id))
    const whole = { ...toWebhook(row), ...change }
    this.#requireChain(whole.chainId)
    const url = readWebhookUrl(whole.url, this.#options.allowLoopback)
    if (url.href !== row.url) {
      await mayChallenge()
      await this.#prove(url, this.#secretOf(row))
    }
    const given = { ...change, ...(change.url === undefined ? {} : { url: url.href }) }
    const changed = await this.#ask(() =>
      // Others may have changed it while the URL was asked.
      this.#endpoints.changeWishes(subject, id, (before) => columnsOf({ ...toWebhook(before), ...given })),
    )
    return toWebhook(changed)
  }

  async pause(subject: string, id: string): Promise<Webhook> {
    const row = await this.#ask(() =>
      this.#endpoints.update(
        subject,
        id,
        () => ({}),
        (db) => pauseEndpoint(db, id, 'owner', this.#now()),
      ),
    )
    return toWebhook(row)
  }

  async resume(subject: string, id: string): Promise<Webhook> {
    const now = this.#now()
    const anew = { paused_at: null, paused_reason: null, failing_since: null, failures: 0 }
    return toWebhook(
      await this.#ask(() =>
        this.#endpoints.update(
          subject,
          id,
          () => anew,
          async (db) => {
            await attemptNow(db, id, now)
            await wakeEndpoints(db, this.#options.store.kind, [id])
          },
        ),
      ),
    )
  }

  async delete(subject: string, id: string): Promise<Webhook> {
    return toWebhook(await this.#ask(() => this.#endpoints.delete(subject, id)))
  }

  async rotateSecret(subject: string, id: string): Promise<IssuedWebhook> {
    const secret = mintSecret()
    const row = await this.#ask(() =>
      this.#endpoints.update(subject, id, ({ secret: old_secret }) => ({
        secret: this.#options.box.seal(secret, contextOf(id)),
        old_secret,
        old_secret_until: this.#now() + OVERLAP_MS,
      })),
    )
    return { webhook: toWebhook(row), secret }
  }

  async test(subject: string, id: string): Promise<DeliveryAnswer> {
    const row = await this.#ask(() => this.#endpoints.get(subject, id))
    const eventId = `evt_test_${randomBytes(16).toString('hex')}`
    const time = new Date(this.#now()).toISOString()
    const test: WebhookTest = { type: 'webhook.test', id: eventId, time, data: { webhookId: id } }
    const secrets = secretsOf(this.#options.box, row, this.#now())
    return toAnswer(await this.#send(new URL(row.url), test, secrets))
  }

  async deliveries(
    subject: string,
    id: string,
    query: WebhookPageQuery & { readonly state: DeliveryState | undefined },
  ): Promise<WebhookPage<Delivery>> {
    await this.#ask(() => this.#endpoints.get(subject, id))
    return this.#ask(() => this.#deliveries.list(id, query))
  }

  async redeliver(subject: string, id: string, eventId: string): Promise<Delivery> {
    await this.#ask(() => this.#endpoints.get(subject, id))
    return this.#ask(() => this.#deliveries.again(id, eventId, this.#now()))
  }

  async redeliverSince(subject: string, id: string, since: number): Promise<void> {
    const { chain_id: own } = await this.#ask(() => this.#endpoints.get(subject, id))
    const { events, chainIds } = this.#options
    const ranges = await Promise.all(
      chainIds
        .filter((chainId) => own === null || own === chainId)
        .map((chainId) => this.#ask(() => findSince(events, chainId, since))),
    )
    const lanes = ranges.flatMap((range) =>
      range === undefined
        ? []
        : [{ endpoint_id: id, queue: sinceQueue(since), ...range }],
    )
    await this.#ask(() =>
      this.#endpoints.update(
        subject,
        id,
        () => ({}),
        async (db) => {
          for (const lane of lanes) {
            await db
              .insertInto('webhook_lanes')
              .values(lane)
              .onConflict((row) => row.columns(['endpoint_id', 'chain_id', 'queue']).doUpdateSet(lane))
              .execute()
          }
          await wakeEndpoints(db, this.#options.store.kind, [id])
        },
      ),
    )
  }

  async publicKey(): Promise<string> {
    return (await this.#ask(() => this.#options.serviceKey.get())).publicKey
  }

  #requireChain(chainId: number | null): void {
    const { chainIds } = this.#options
    if (chainId === null || chainIds.includes(chainId)) return
    throw ValidationError.of('chainId', `has no events here; these have: ${chainIds.join(', ')}`)
  }

  /** The answer has to be the text alone, so an endpoint that answers everything alike proves nothing. */
  async #prove(url: URL, secret: string): Promise<void> {
    const challenge = randomBytes(24).toString('base64url')
    const id = `evt_challenge_${randomBytes(16).toString('hex')}`
    const question: WebhookChallenge = { type: 'webhook.challenge', id, challenge }
    const { status, answer, failure } = toAnswer(await this.#send(url, question, [secret]))
    if (status === 200 && answer === challenge) return
    throw new UnprovenUrlError({ status, failure })
  }

  async #send(
    url: URL,
    message: WebhookChallenge | WebhookTest,
    secrets: readonly string[],
  ): Promise<Outcome> {
    const { id } = message
    const body = JSON.stringify(message)
    const { serviceKey, sender, userAgent } = this.#options
    const { privateKey } = await this.#ask(() => serviceKey.get())
    const timestamp = Math.floor(this.#now() / 1_000)
    const headers = {
      'Content-Type': 'application/json',
      'User-Agent': userAgent,
      ...signedHeaders({ id, timestamp, body }, secrets, privateKey),
    }
    return sender.post({ url, headers, body })
  }

  #secretOf(row: EndpointRow): string {
    return this.#options.box.open(row.secret, contextOf(row.id))
  }

  /** Old blocks are the past: an index that is being filled logs them only now. */
  #chains(): ReadonlyMap<number, { readonly leastBlock: number }> {
    const { chainIds, headOf } = this.#options
    return new Map(
      chainIds.map((chainId) => [chainId, { leastBlock: Math.max(0, (headOf(chainId) ?? 0) - NEW_BLOCKS) }]),
    )
  }
}

/** The part of a chain's log from a time on. Found by halving, because the log is in the order of its blocks. */
async function findSince(events: EventLog, chainId: number, since: number) {
  const state = await events.state(chainId)
  if (state === undefined) return undefined
  const { sequence: until_sequence } = state
  let [low, high] = [0, until_sequence]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const page = await events.read(chainId, { after: middle, first: 1, filters: {}, finality: 'seen' })
    const timestamp = page.events[0]?.block.timestamp
    if (timestamp === undefined || timestamp >= since) high = middle
    else low = middle + 1
  }
  return { chain_id: chainId, sequence: low, until_sequence }
}

function columnsOf(webhook: NewWebhook) {
  return {
    url: webhook.url,
    description: webhook.description,
    chain_id: webhook.chainId,
    types: webhook.types === null ? null : JSON.stringify(webhook.types),
    subscription_id: webhook.subscriptionId?.toLowerCase() ?? null,
    provider: webhook.provider?.toLowerCase() ?? null,
    account: webhook.account?.toLowerCase() ?? null,
    finality: webhook.finality,
  }
}

function toAnswer(outcome: Outcome): DeliveryAnswer {
  const { durationMs } = outcome
  if ('status' in outcome)
    return { status: outcome.status, answer: outcome.answer, failure: null, durationMs }
  // Only a process that ends stops sending.
  const failure = outcome.failure === 'stopped' ? 'connection' : outcome.failure
  return { status: null, answer: null, failure, durationMs }
}
