import { noEvents } from '@remit/testing/support/app/noEvents'
import { smallApp } from '@remit/testing/support/app/smallApp'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { Identities } from '../../access/identity/Identities.ts'
import type { KeyCheck } from '../../access/keys/LiveKeys.ts'
import { defineServiceOperation } from '../../calls/serviceOperation.ts'
import { KeysUnavailableError, RateLimitedError } from '../../errors/access.ts'
import { EventStreams } from './EventStreams.ts'

const listNothing = defineServiceOperation({
  name: 'list_nothing',
  effect: 'read',
  access: 'read',
  summary: 'An empty log',
  rest: { method: 'GET', path: '/nothing' },
  tool: false,
  input: z.object({ first: z.int().optional(), after: z.int().optional() }),
  output: z.object({ events: z.array(z.never()), next: z.int(), hasMore: z.boolean() }),
  handle: async ({ input }) => ({ events: [], next: input.after ?? 0, hasMore: false }),
})

/** Nothing ever comes, and nobody shuts down. */
const silentLog = {
  ...noEvents,
  end: async () => 0,
  waitFor: (_chainId: number, _seen: unknown, signal: AbortSignal) =>
    new Promise<boolean>((resolve) => signal.addEventListener('abort', () => resolve(true), { once: true })),
}

const spent = new RateLimitedError({
  lane: 'free',
  bucket: 'authFailures',
  limit: 30,
  retryAfterSeconds: 60,
  upgradeHint: null,
  quotas: [],
})

interface Later {
  /** What is known of the key by then. Default: it is live. */
  readonly check?: () => Promise<KeyCheck>
  /** Whether too many credentials from the same address have failed. */
  readonly isSpent?: boolean
  readonly basicAuth?: { readonly user: string; readonly password: string }
}

/** What a stream that a key has opened says at its first heartbeat. */
async function firstHeartbeat({ check, isSpent = false, basicAuth }: Later) {
  let isOpened = false
  const refuse = () => {
    if (isOpened && isSpent) throw spent
  }
  const live: KeyCheck = { live: true, id: 'key-1', account: 'key-1', subjectId: 'ada' }
  const identities = new Identities({
    keys: { check: async () => (isOpened && check ? check() : live) },
    adminSecret: undefined,
    basicAuth,
    trustedProxies: [],
    authFailures: { admitCredentials: refuse, takeAuthFailure: async () => refuse() },
    log: { info: () => {}, warn: () => {}, error: () => {} },
  })
  const { pipeline } = smallApp({ identities })
  const streams = new EventStreams({ log: silentLog, pipeline, times: { heartbeatMs: 5 } })
  const pair = `${basicAuth?.user}:${basicAuth?.password}`
  const sent = new Headers({
    'X-API-Key': 'svc_some',
    ...(basicAuth && { Authorization: `Basic ${Buffer.from(pair).toString('base64')}` }),
  })
  const header = (name: string) => sent.get(name) ?? undefined
  const credentials = { remoteAddress: '203.0.113.7', method: 'GET', header }
  const { body } = await streams.open({
    operation: listNothing,
    route: { name: 'stream_nothing', path: '/nothing/stream', summary: '', description: '' },
    caller: await pipeline.identifyCaller('rest', credentials),
    credentials,
    lastEventId: null,
    readCall: async () => ({ chainId: 31337, input: { after: 0 } }),
  })
  isOpened = true
  const reader = body.getReader()
  await reader.read()
  const { value } = await reader.read()
  await reader.cancel()
  return new TextDecoder().decode(value)
}

const revoked = async (): Promise<KeyCheck> => ({ live: false, reason: 'revoked', id: 'key-1' })

describe('a stream that a key has opened', () => {
  it.each([false, true])(
    'ends once the key is revoked, whether its address has used up its failures: %s',
    async (isSpent) => {
      expect(await firstHeartbeat({ check: revoked, isSpent })).toContain('"reason":"credentials"')
    },
  )

  it('goes on while nobody can tell whether the key is live', async () => {
    const check = () => Promise.reject(KeysUnavailableError.away(new Error('away')))
    expect(await firstHeartbeat({ check })).toContain('still here')
  })

  it('goes on with a live key behind Basic Auth, although others at its address guess passwords', async () => {
    const basicAuth = { user: 'ada', password: 'word' }
    expect(await firstHeartbeat({ isSpent: true, basicAuth })).toContain('still here')
  })
})
