import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Change, CursorStaleError, createClient, type Watch } from '@remit/client'
import { afterAll, describe, expect, it } from 'vitest'
import { protocolOn } from '../support/chain/protocolOn.ts'
import { reorganise } from '../support/chain/reorganise.ts'
import { useTestChain } from '../support/chain/useTestChain.ts'
import { useCountingProxy } from '../support/nodes/countingProxy.ts'
import { indexed } from '../support/service/indexed.ts'
import { ADMIN_SECRET, startTestService } from '../support/service/testService.ts'

const PATIENCE = { timeout: 20_000, interval: 50 }

const chain = await useTestChain({ goesOn: true })
const protocol = protocolOn(chain)
const { alice, bob, carol, dave, provider } = chain.wallets
const plan = await protocol.create()
const other = await protocol.create({ dueDay: 5 })
await protocol.join(other, bob)

const folder = mkdtempSync(join(tmpdir(), 'remit-watch-'))
const DATABASE_URL = `file:${join(folder, 'remit.db')}`
let service = await startTestService([chain], { DATABASE_URL })
await indexed(service, chain)
afterAll(async () => {
  await service.close()
  rmSync(folder, { recursive: true, force: true })
})

const proxy = await useCountingProxy(chain.url)
const contracts = { [chain.chainId]: chain.contract }
const tokens = Object.values(chain.tokens)
const origin = service.url
// Without a key, one stream may be open.
const key = await createClient({ url: origin, adminSecret: ADMIN_SECRET }).createKey({ subjectId: 'watcher' })
const ofService = createClient({
  url: origin,
  apiKey: key.token,
  fetch: (url, init) => fetch(String(url).replace(origin, service.url), init),
})
const ofNode = createClient({ node: proxy.url, contracts, tokens })

/** Where a watch goes on after everything so far. */
async function present() {
  const { number, hash } = await chain.client.getBlock()
  await indexed(service, chain)
  const { last } = await ofService.listEvents()
  return { service: String(last), node: `${number}:${hash}` }
}

const leave = new AbortController()
afterAll(() => leave.abort())

/** Hears a watch until the end of the file. */
function hear(begin: (watch: Watch, after: string) => AsyncIterable<Change>, watch: Watch, after: string) {
  const heard: Change[] = []
  const listen = async () => {
    for await (const change of begin(watch, after)) heard.push(change)
  }
  listen().catch((error: unknown) => {
    if (!leave.signal.aborted) throw error
  })
  return heard
}

/** What is the same from wherever it comes: not how sure it was when it was told, nor the name of a retraction. */
function told(changes: readonly Change[]) {
  return changes.map(({ position: _, finality: __, id, ...change }) =>
    JSON.parse(
      JSON.stringify({ ...change, id: change.type === 'retracted' ? null : id }, (name, value) =>
        typeof value === 'bigint' ? `${value}n` : name === 'finalized' ? null : value,
      ),
    ),
  )
}

const typesOf = (changes: readonly Change[]) => changes.map(({ type }) => type)

describe('a watch', async () => {
  const begin = await present()
  const { signal } = leave
  const subjects = {
    plan: (watch: Watch, after: string) => watch.subscription(plan.id, { after, signal }),
    bob: (watch: Watch, after: string) => watch.account(bob, { after, signal }),
  }
  const heard = {
    plan: {
      node: hear(subjects.plan, ofNode.watch, begin.node),
      service: hear(subjects.plan, ofService.watch, begin.service),
    },
    bob: {
      node: hear(subjects.bob, ofNode.watch, begin.node),
      service: hear(subjects.bob, ofService.watch, begin.service),
    },
  }

  /** Waits until both have told these of each, and the same. */
  async function expectTold(types: { plan: readonly string[]; bob: readonly string[] }) {
    for (const subject of ['plan', 'bob'] as const) {
      const { node, service } = heard[subject]
      await expect.poll(() => typesOf(service), PATIENCE).toEqual(types[subject])
      await expect.poll(() => typesOf(node), PATIENCE).toEqual(types[subject])
      expect(told(node)).toEqual(told(service))
    }
  }
  const sofar = { plan: [] as string[], bob: [] as string[] }
  function adding(more: { plan?: readonly string[]; bob?: readonly string[] }) {
    sofar.plan.push(...(more.plan ?? []))
    sofar.bob.push(...(more.bob ?? []))
    return sofar
  }
  let lost: string | undefined

  it('tells the same from a node’s blocks as from a service, in the order of the chain', async () => {
    await protocol.join(plan, alice)
    await protocol.join(plan, bob)
    await protocol.send(carol, 'unsubscribe', [plan])
    await protocol.send(bob, 'unsubscribe', [plan])
    await protocol.send(bob, 'unsubscribe', [other])
    const joined = ['subscriber.joined', 'payment.succeeded']
    await expectTold(
      adding({
        plan: [...joined, ...joined, 'subscriber.left'],
        bob: [...joined, 'subscriber.left', 'subscriber.left'],
      }),
    )
  })

  it('tells once what comes while the node fails and the service restarts', async () => {
    let asked = 0
    proxy.fail({
      async before() {
        asked += 1
        if (asked % 3 === 0) throw new Error('this request fails')
      },
    })
    await service.close()
    await protocol.join(plan, dave, { allowance: 10_000_000n })
    await protocol.join(plan, bob)
    service = await startTestService([chain], { DATABASE_URL })
    const joined = ['subscriber.joined', 'payment.succeeded']
    await expectTold(adding({ plan: [...joined, ...joined], bob: joined }))
    expect(asked).toBeGreaterThan(3)
  })

  it('takes back what a reorganisation undoes, before it tells what comes in its place', async () => {
    await chain.advanceDays(2)
    await protocol.send(bob, 'unsubscribe', [plan])
    await protocol.send(provider, 'editDetails', [{ url: 'https://a.example', description: 'Lost' }, plan.id])
    await expectTold(adding({ plan: ['subscriber.left', 'subscription.edited'], bob: ['subscriber.left'] }))
    lost = heard.bob.node.at(-1)?.position
    // The details are edited on the new branch too, in another block.
    const { transactions } = await chain.client.getBlock({ includeTransactions: true })
    const [edit] = transactions
    if (edit === undefined || edit.to === null) throw new Error('the last block has no edit')
    await reorganise(chain.client, 2, [
      [{ from: edit.from, to: edit.to, data: edit.input, gas: `0x${edit.gas.toString(16)}` }, 0],
    ])
    await expectTold(adding({ plan: ['retracted', 'retracted', 'subscription.edited'], bob: ['retracted'] }))
    const taken = heard.bob.node.at(-1)
    expect(taken?.type === 'retracted' && taken.data).toEqual({
      ids: [heard.bob.node.at(-2)?.id],
      types: ['subscriber.left'],
    })
  })

  it('tells payments of remit, drops and removals, and the end', async () => {
    await protocol.send(carol, 'remit', [])
    await protocol.send(provider, 'unsubscribeByProvider', [plan, alice])
    await protocol.send(provider, 'cancelSubscription', [plan])
    await expectTold(
      adding({
        plan: [
          'payment.succeeded',
          'payment.failed',
          'subscriber.dropped',
          'payment.succeeded',
          'subscriber.removed',
          'subscription.cancelled',
        ],
        bob: ['payment.succeeded'],
      }),
    )
  })

  it('goes on after any position with all that comes after it, and names one that is gone', async () => {
    for (const [client, changes] of [
      [ofNode, heard.plan.node],
      [ofService, heard.plan.service],
    ] as const) {
      for (const [index, { position }] of [...changes.entries()].slice(-6, -1)) {
        const rest: Change[] = []
        for await (const change of client.watch.subscription(plan.id, { after: position })) {
          rest.push(change)
          if (rest.length === changes.length - index - 1) break
        }
        expect(told(rest)).toEqual(told(changes.slice(index + 1)))
      }
    }
    const gone = ofNode.watch.account(bob, { after: lost })[Symbol.asyncIterator]()
    await expect(gone.next()).rejects.toThrow(CursorStaleError)
    const strange = ofNode.watch.account(bob, { after: '7' })[Symbol.asyncIterator]()
    await expect(strange.next()).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      issues: [{ path: 'after' }],
    })
  })

  it('ends by its signal, and asks the node nothing after that', async () => {
    const ended = new AbortController()
    const node = createClient({ node: proxy.url, contracts, tokens })
    const waiting = node.watch.subscription(other.id, { signal: ended.signal })[Symbol.asyncIterator]().next()
    await expect.poll(() => proxy.requests, PATIENCE).toBeGreaterThan(0)
    ended.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
  })
})
