import { NotFoundError, RemitError, UnauthorizedError, ValidationError } from '@remit/client'
import { operations } from '@remit/service/operations/index'
import type { Operation } from '@remit/service/testing/calls/serviceOperation'
import { describe, expect, it, vi } from 'vitest'
import { indexed } from '../support/service/indexed.ts'
import { ADMIN_SECRET, useTestService } from '../support/service/testService.ts'
import { STRANGE_ID, useLife } from './life.ts'
import { type Input, type Outcome, useSurfaces } from './surfaces.ts'
import { clientName, useTypedClient } from './typedClient.ts'

const life = await useLife()
const service = await useTestService([life.chain])
await indexed(service, life.chain)
const surfaces = await useSurfaces(service)
const typed = useTypedClient({ url: `${service.url}/api/`, adminSecret: ADMIN_SECRET, retries: 0 })

const named = (list: readonly Operation[]) => list.map((operation) => [operation.name, operation] as const)
const routes = operations.filter(({ rest }) => rest !== null)
const callersRoutes = routes.filter(({ audience }) =>
  ['callers', 'signers', 'anyone', 'guests'].includes(audience),
)

/** Asks every way in at once, and again where a second ended between them: a proof is dated by the chain's clock. */
async function expectSame(operation: Operation, input: Input): Promise<Outcome> {
  return vi.waitFor(
    async () => {
      const [rest, client, tool] = await Promise.all([
        surfaces.rest(operation, input),
        typed.call(operation, input),
        operation.tool ? surfaces.tool(operation, input) : undefined,
      ])
      expect(withoutLatency(client)).toEqual(withoutLatency(rest))
      if (tool !== undefined) expect(tool.body).toEqual(rest.body)
      return client
    },
    { timeout: 10_000 },
  )
}

/** Probes of the chain are timed again and again. */
function withoutLatency({ status, body }: Outcome): unknown {
  const text = JSON.stringify({ status, body })
  return JSON.parse(text.replace(/"latencyMs":[\d.]+/g, '"latencyMs":0'))
}

it('has a method for every operation that has a route, and no other', () => {
  const { each: _, ...methods } = typed.client
  for (const operation of operations) {
    expect([operation.name, clientName(operation) in methods]).toEqual([
      operation.name,
      operation.rest !== null,
    ])
  }
})

describe('one input gives one answer', () => {
  it.each(named(callersRoutes))('%s', async (_name, operation) => {
    expect(await expectSame(operation, life.sample(operation))).toMatchObject({ status: 200, failed: false })
  })

  it.each(named(callersRoutes.filter(({ onChain }) => onChain)))(
    '%s: on a chain that the input names',
    async (_name, operation) => {
      const input = { ...life.sample(operation), chainId: life.chain.chainId }
      expect(await typed.call(operation, input)).toMatchObject({
        status: 200,
        body: { chainId: input.chainId },
      })
      const elsewhere = await typed.call(operation, { ...input, chainId: 4242 })
      expect(elsewhere).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } })
    },
  )

  it('leaves a permit, lists and forgets it', async () => {
    const operation = operations.find(({ name }) => name === 'offer_rescue')
    if (operation === undefined) throw new Error('no permits are kept')
    const left = await typed.call(operation, { ...life.sample(operation), public: true })
    expect(left).toMatchObject({ failed: false })
    const { client } = typed
    const provider = life.chain.wallets.provider
    const { rescues } = await client.listRescues({ provider })
    expect(rescues).toMatchObject([{ value: 2_000_000_000n, public: true, provider }])
    const [{ id } = { id: '' }] = rescues
    await expect(client.withdrawRescue({ id })).rejects.toThrow(UnauthorizedError)
  })

  it('manages keys', async () => {
    const { client } = typed
    const made = await client.createKey({ subjectId: 'ada', label: 'a test' })
    expect(made.token).toMatch(/^svc_/)
    const { key } = await client.getKey({ id: made.id })
    expect(key).toEqual(made.key)
    expect((await client.listKeys({ subjectId: 'ada' })).keys).toEqual([key])
    expect(await client.revokeKey({ id: made.id })).toMatchObject({ key: { id: made.id }, revoked: true })
    const withKey = useTypedClient({ url: service.url, apiKey: made.token }).client
    await vi.waitFor(() => expect(withKey.getProtocolState()).rejects.toThrow(UnauthorizedError), 10_000)
  })
})

describe('one mistake gives one error', () => {
  it.each(named(callersRoutes))('%s: an unknown field is refused by its name', async (_name, operation) => {
    const input = { ...life.sample(operation), surplus: 'x' }
    expect(await expectSame(operation, input)).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR', issues: [{ path: 'surplus' }] },
    })
  })

  const owned = ['developers', 'wallets']
  it.each(named(routes.filter(({ input, audience }) => 'id' in input.shape && !owned.includes(audience))))(
    '%s: an unknown id is not found',
    async (_name, operation) => {
      const input = { ...life.sample(operation), id: STRANGE_ID }
      if (operation.audience === 'operators') {
        expect(await typed.call(operation, input)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
      } else {
        expect(await expectSame(operation, input)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
      }
    },
  )

  it('has the class of its code, the sentence, the facts and the request’s name', async () => {
    const { client } = typed
    const missing = await client.getSubscription({ id: STRANGE_ID }).catch((error: unknown) => error)
    expect(missing).toBeInstanceOf(NotFoundError)
    expect(missing).toBeInstanceOf(RemitError)
    expect(missing).toMatchObject({
      name: 'NotFoundError',
      status: 404,
      code: 'NOT_FOUND',
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      facts: { id: STRANGE_ID },
    })
    const unfit = await client.getSubscription({ id: '0x1' }).catch((error: unknown) => error)
    expect(unfit).toBeInstanceOf(ValidationError)
    expect(unfit).toMatchObject({ issues: [{ path: 'id' }] })
  })
})
