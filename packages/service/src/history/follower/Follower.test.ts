import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { block, CHAIN, fakeChain, hashOf } from '@remit/testing/support/history/fakeChain'
import type { Hex } from 'viem'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { openStore, type Store } from '../../store/openStore.ts'
import { createProjection } from '../projection/createProjection.ts'
import type { ProjectionReader, ProjectionWriter } from '../projection.ts'
import { ChainIndex } from '../status/ChainIndex.ts'
import { Follower } from './Follower.ts'

const CONTRACT: Hex = `0x${'c0'.repeat(20)}`

const folder = mkdtempSync(join(tmpdir(), 'remit-follower-'))
const stores: Store[] = []
const followers: Follower[] = []
afterEach(async () => {
  for (const follower of followers.splice(0)) await follower.stop()
  for (const store of stores.splice(0)) await store.close()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let files = 0
const freshUrl = () => `file:${join(folder, `${++files}.db`)}`

async function projectionAt(url: string): Promise<ProjectionWriter & ProjectionReader> {
  const store = await openStore(url)
  stores.push(store)
  return createProjection(store)
}

interface Changes {
  projection?: Partial<ProjectionWriter>
  leaseMs?: number
  yieldAfterMs?: number
  audit?: () => Promise<string | null | undefined>
}

/** A follower of its own store connection, with what it logged. */
async function follow(url: string, { source, nodes }: ReturnType<typeof fakeChain>, changes: Changes = {}) {
  const logged: string[] = []
  const write = (message: string) => {
    logged.push(message)
  }
  const log = { info: write, warn: write, error: write }
  const real = await projectionAt(url)
  const head = () => undefined
  const index = new ChainIndex({ chainId: CHAIN, firstBlock: 1, source: 'rpc', head, reader: real, log })
  const follower = new Follower({
    contract: CONTRACT,
    firstBlock: 1,
    source,
    nodes,
    projection: { ...real, ...changes.projection },
    index,
    holder: `holder ${followers.length}`,
    leaseMs: changes.leaseMs ?? 10_000,
    ...(changes.yieldAfterMs === undefined ? {} : { yieldAfterMs: changes.yieldAfterMs }),
    audit: changes.audit ?? (async () => null),
    log,
  })
  followers.push(follower)
  follower.start()
  const standsAt = async () => (await real.indexState(CHAIN))?.block.number
  const alarm = async () => (await real.indexState(CHAIN))?.alarm
  return { follower, projection: real, standsAt, alarm, logged, index }
}

async function until(isTrue: () => boolean | Promise<boolean>, timeoutMs = 10_000) {
  const deadline = performance.now() + timeoutMs
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error('it never came true')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

describe('a follower', () => {
  it('fills the index up to the head, and continues at once when there is a new block', async () => {
    const fake = fakeChain(20)
    const { standsAt, index } = await follow(freshUrl(), fake)
    await until(async () => (await standsAt()) === 20)
    fake.chain.mine(21)
    expect(await index.reached(21, 1_500, undefined)).toBe(true)
  })

  it('tries again after failures, and logs an outage once when it begins and once when it is over', async () => {
    const fake = fakeChain(2)
    const { standsAt, logged } = await follow(freshUrl(), fake)
    await until(async () => (await standsAt()) === 2)
    fake.chain.fails = new Error('POST https://rpc.example/secret failed')
    fake.chain.mine(3)
    const { readings } = fake.chain
    await until(() => fake.chain.readings >= readings + 3)
    fake.chain.fails = undefined
    await until(async () => (await standsAt()) === 3)
    expect(logged).toEqual(['the index fails; trying again', 'the index works again'])
  })

  it('stops after the step that is being written, and hands over at once', async () => {
    const url = freshUrl()
    const fake = fakeChain(1_000)
    const first = await follow(url, fake)
    await until(async () => ((await first.standsAt()) ?? 0) > 3)
    await first.follower.stop()
    const stoodAt = await first.standsAt()
    const begun = performance.now()
    const second = await follow(url, fake)
    await until(async () => ((await second.standsAt()) ?? 0) > (stoodAt ?? 0))
    // Long before the lease of the first would have run out.
    expect(performance.now() - begun).toBeLessThan(10_000)
  })

  it('stands by while another process holds the lease, however long that one is idle', async () => {
    const url = freshUrl()
    const fake = fakeChain(5)
    const first = await follow(url, fake, { leaseMs: 1_000 })
    await until(async () => (await first.standsAt()) === 5)
    const other = fakeChain(9)
    await follow(url, other, { leaseMs: 1_000 })
    await new Promise((resolve) => setTimeout(resolve, 2_500))
    expect(other.chain).toMatchObject({ readings: 0, genesisReadings: 1 })
    await first.follower.stop()
    await until(() => other.chain.readings > 0)
  })

  it('takes over from a holder that has died, as soon as the lease has run out', async () => {
    const url = freshUrl()
    const fake = fakeChain(5)
    const dead = await projectionAt(url)
    const identity = { chainId: CHAIN, genesisHash: hashOf(0), contract: CONTRACT, firstBlock: 1 }
    await dead.take(identity, 'rpc', async () => block(0), 'dead', 600)
    const begun = performance.now()
    const { standsAt, logged } = await follow(url, fake, { leaseMs: 600 })
    await until(async () => (await standsAt()) === 5)
    expect(performance.now() - begun).toBeGreaterThan(500)
    expect(performance.now() - begun).toBeLessThan(10_000)
    expect(logged).toEqual(['this process fills the index now'])
  })

  it('writes nothing after another process took its lease, and stands by', async () => {
    const url = freshUrl()
    const slow = fakeChain(9)
    // It sleeps in the middle of a step, and its renewals do not come through.
    const first = await follow(url, slow, { leaseMs: 300, projection: { renew: async () => {} } })
    let wake = () => {}
    await until(async () => (await first.standsAt()) === 9)
    slow.chain.gate = new Promise((resolve) => {
      wake = resolve
    })
    slow.chain.mine(12)
    // Further than the one that sleeps can have come by itself.
    const other = fakeChain(20)
    const second = await follow(url, other, { leaseMs: 1_000 })
    await until(async () => (await second.standsAt()) === 20)
    wake()
    await until(() => first.logged.includes('another process fills the index now'))
    expect(await second.standsAt()).toBe(20)
  })

  it('gives the lease up after it has failed for long', async () => {
    const url = freshUrl()
    const cut = fakeChain(5)
    cut.chain.fails = new Error('no route to host')
    const first = await follow(url, cut, { yieldAfterMs: 300 })
    await until(() => first.logged.includes('the index fails; trying again'))
    const second = await follow(url, fakeChain(5), { yieldAfterMs: 300 })
    await until(async () => (await second.standsAt()) === 5)
    expect(second.logged).toContain('this process fills the index now')
  })

  it('ends and says why if the store holds another chain', async () => {
    const url = freshUrl()
    const fake = fakeChain(2)
    const first = await follow(url, fake)
    await until(async () => (await first.standsAt()) === 2)
    await first.follower.stop()
    fake.chain.genesis = hashOf(77)
    const second = await follow(url, fake)
    expect((await second.follower.failed).message).toContain('The store holds another chain 31337')
  })

  it('recovers after its store was away', async () => {
    const url = freshUrl()
    const fake = fakeChain(2)
    let away = true
    const real = await projectionAt(url)
    const tip = async (chainId: number) => {
      if (away) throw new Error('Connection terminated unexpectedly')
      return real.tip(chainId)
    }
    const { standsAt, logged } = await follow(url, fake, { projection: { tip } })
    await until(() => logged.includes('the index fails; trying again'))
    away = false
    await until(async () => (await standsAt()) === 2)
    expect(logged.at(-1)).toBe('the index works again')
  })
})

describe('the alarm', () => {
  it('is what the source says, written to the store and logged once', async () => {
    const fake = fakeChain(2)
    fake.chain.alarm = 'The chain was reorganised below its final block.'
    const { alarm, logged } = await follow(freshUrl(), fake)
    await until(async () => (await alarm()) === fake.chain.alarm)
    fake.chain.mine(5)
    fake.chain.alarm = null
    fake.chain.mine(6)
    await until(async () => (await alarm()) === null)
    expect(logged).toEqual([
      'The chain was reorganised below its final block.',
      'the alarm of the index is over',
    ])
  })

  it('stays after the process that raised it has ended, until an audit finds nothing', async () => {
    const url = freshUrl()
    const fake = fakeChain(2)
    const first = await follow(url, fake, { audit: async () => 'The index differs from the contract.' })
    await until(async () => (await first.alarm()) === 'The index differs from the contract.')
    await first.follower.stop()
    let verdict: string | null | undefined
    const second = await follow(url, fake, { audit: async () => verdict })
    fake.chain.mine(fake.chain.head + 1)
    await until(async () => (await second.standsAt()) === fake.chain.head)
    expect(await second.alarm()).toBe('The index differs from the contract.')
    verdict = null
    await until(async () => (await second.alarm()) === null)
  })

  it('is not raised by an audit that fails, and indexing does not wait for an audit', async () => {
    const fake = fakeChain(2)
    const { standsAt, alarm, logged } = await follow(freshUrl(), fake, {
      audit: () => Promise.reject(new Error('no answer')),
    })
    await until(() => logged.includes('the index could not be audited'))
    fake.chain.mine(4)
    await until(async () => (await standsAt()) === 4)
    expect(await alarm()).toBeNull()
  })
})
