import { NetworkError, UpstreamError } from '@remit/client'
import { createGate, type GateOptions } from '@remit/client/gate'
import { describe, expect, it } from 'vitest'
import { signerOf } from '../support/wallets/signerOf.ts'
import { GATE, gateOver, inventedClient, PLAN, signedHeader, type Told, told } from './gateGround.ts'

const wallet = signerOf(1)
const other = `0x${'cd'.repeat(32)}` as const
const IN: Told = { entitled: true, through: '2026-04-04' }
const OUT: Told = { entitled: false, through: '2026-03-04' }
const AWAY = new NetworkError('https://remit.example', undefined)

function open(members: Record<string, Told>, options: Partial<GateOptions> = {}) {
  const clock = { ms: Date.UTC(2026, 2, 2, 12) }
  const failures: unknown[] = []
  const { client, asked } = inventedClient(members)
  const settings = { now: () => clock.ms, onError: (error: unknown) => failures.push(error), ...options }
  const gate = gateOver(client, settings)
  const enter = async () => gate.send(GATE, { headers: await signedHeader(gate, wallet) })
  return { clock, failures, asked, client, gate, enter }
}

it('a member who lapses within a session is out once the kept answer is over, and in again after subscribing', async () => {
  const members: Record<string, Told> = { [wallet.address]: IN }
  const { clock, gate, asked } = open(members, { keepMs: 5_000 })
  const headers = await signedHeader(gate, wallet)
  const enter = async () => (await told(await gate.send(GATE, { headers }))).code ?? 'in'
  expect(await enter()).toBe('in')
  members[wallet.address] = OUT
  clock.ms += 4_999
  expect([await enter(), asked.length]).toEqual(['in', 1])
  clock.ms += 1
  expect([await enter(), asked.length]).toEqual(['LAPSED', 2])
  members[wallet.address] = IN
  clock.ms += 5_000
  expect(await enter()).toBe('in')
})

it('many requests of one wallet ask once', async () => {
  const { gate, asked } = open({ [wallet.address]: IN })
  const headers = await signedHeader(gate, wallet)
  await Promise.all(Array.from({ length: 20 }, () => gate.send(GATE, { headers })))
  expect(asked).toEqual([wallet.address])
})

it.each([
  ['a service that is away', AWAY],
  ['an error of the service', Object.assign(new Error('x'), { code: 'UPSTREAM_ERROR' })],
  ['an error that only looks like a member', Object.assign(new Error('x'), { entitled: true })],
])('%s lets nobody in: 503, and the operator hears why; it is asked again', async (_, error) => {
  const members: Record<string, Told> = { [wallet.address]: error }
  const { enter, failures } = open(members)
  const answer = await enter()
  expect(await told(answer)).toEqual({
    status: 503,
    code: 'MEMBERSHIP_UNREADABLE',
    error: 'Whether you are a member cannot be read at the moment: try again soon.',
  })
  expect(answer.headers.get('Retry-After')).toBe('5')
  expect(failures).toEqual([error])
  members[wallet.address] = IN
  expect((await enter()).status).toBe(200)
})

it('a signature is not used up by a failure', async () => {
  const members: Record<string, Told> = { [wallet.address]: AWAY }
  const used = new Set<string>()
  const { gate } = open(members, {
    usedSignatures: { claim: (key) => used.size !== used.add(key).size },
  })
  const headers = await signedHeader(gate, wallet)
  expect((await gate.send(GATE, { headers })).status).toBe(503)
  members[wallet.address] = IN
  expect((await gate.send(GATE, { headers })).status).toBe(200)
  expect((await gate.send(GATE, { headers })).status).toBe(402)
})

it('nobody is asked to subscribe to a plan that cannot be read', async () => {
  const { client } = inventedClient({})
  const getSubscription = () =>
    Promise.reject(
      new UpstreamError('x', {
        status: 502,
        code: 'UPSTREAM_ERROR',
        requestId: undefined,
        issues: [],
        facts: {},
        retryAfterSeconds: undefined,
      }),
    )
  const { send } = gateOver({ ...client, getSubscription })
  expect((await send(GATE)).status).toBe(503)
})

describe('with several plans', () => {
  const plans = [{ id: PLAN }, { id: other }]
  it.each([
    ['a member of the second enters', undefined, IN, 200],
    ['a member of one enters while the other cannot be read', AWAY, IN, 200],
    ['who is no member of one waits for the other', OUT, AWAY, 503],
    ['who lapsed in one and never had the other has lapsed', undefined, OUT, 402],
  ])('%s', async (_, first, second, status) => {
    const { enter } = open(
      { [`${PLAN} ${wallet.address}`]: first, [`${other} ${wallet.address}`]: second },
      { plans },
    )
    const answer = await enter()
    expect(answer.status).toBe(status)
    if (status === 402) expect(await told(answer)).toMatchObject({ code: 'LAPSED' })
  })
})

it.each<[string, Partial<GateOptions>]>([
  ['url', { url: 'api.example' }],
  ['url', { url: 'https://api.example/?x=1' }],
  ['chainId', { chainId: Number.NaN }],
  ['plans', { plans: [] }],
  ['plans', { plans: Array.from({ length: 9 }, () => ({ id: PLAN })) }],
  ['plans', { plans: [{ id: '0x12' }] }],
  ['graceDays', { plans: [{ id: PLAN, graceDays: 1.5 }] }],
  ['signatureSeconds', { signatureSeconds: Number.POSITIVE_INFINITY }],
  ['signatureSeconds', { signatureSeconds: 86_401 }],
  ['keepMs', { keepMs: Number.NaN }],
  ['keepMs', { keepMs: -1 }],
])('an option that cannot be used stops the start and is named: %s', (name, options) => {
  const usable = { url: GATE, chainId: 8453, plans: [{ id: PLAN }], client: inventedClient({}).client }
  expect(() => createGate({ ...usable, ...options })).toThrow(name)
})
