import { hashOf, NO_FACTS, SyntheticChain } from '@remit/testing/support/history/SyntheticChain'
import { describeStores } from '@remit/testing/support/stores/describeStores'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Store } from '../../store/openStore.ts'
import { StoreError } from '../../store/StoreError.ts'
import { type ChainIdentity, type Lease, LeaseLostError } from '../projection.ts'
import { createProjection } from './createProjection.ts'

const LONG_MS = 60_000
/** Runs out while the test waits for it. */
const SHORT_MS = 100

let chainIds = 0

describeStores('the lease of a chain', (stores) => {
  const chain = new SyntheticChain()
  let identity: ChainIdentity
  let otherStore: Store
  beforeEach(async () => {
    chainIds += 1
    const { genesisHash, contract, firstBlock } = chain
    identity = { chainId: chainIds, genesisHash, contract, firstBlock }
    otherStore ??= await stores.open()
  })
  const one = () => createProjection(stores.store)
  const other = () => createProjection(otherStore)
  const origin = async () => chain.origin
  const take = (by = one(), holder = 'one', leaseMs = LONG_MS, of = identity) =>
    by.take(of, 'rpc', origin, holder, leaseMs)
  const taken = async (...how: Parameters<typeof take>): Promise<Lease> => {
    const lease = await vi.waitUntil(() => take(...how), { timeout: 10_000, interval: 10 })
    if (lease === undefined) throw new Error('the lease was not to be had')
    return lease
  }
  const step = () => {
    if (chain.blocks.length === 0) chain.mine([])
    return chain.step(chain.origin, chain.firstBlock, chain.firstBlock)
  }

  it('stays with a holder that renews it', async () => {
    await taken()
    expect(await take(other(), 'other')).toBeUndefined()
  })

  it('goes to the next process at once when it is released', async () => {
    const lease = await taken()
    await one().release(lease)
    expect(await take(other(), 'other')).toMatchObject({ holder: 'other', epoch: lease.epoch + 1 })
  })

  it('runs out if its holder dies, and not while it is renewed', async () => {
    const lease = await taken(one(), 'one', SHORT_MS)
    await one().renew(lease, LONG_MS)
    expect(await take(other(), 'other')).toBeUndefined()
    await one().renew(lease, SHORT_MS)
    expect((await taken(other(), 'other')).epoch).toBe(lease.epoch + 1)
  })

  it('is renewed by every step', async () => {
    const lease = await taken(one(), 'one', SHORT_MS)
    await one().apply(lease, chain.origin, step(), NO_FACTS, LONG_MS)
    await new Promise((resolve) => setTimeout(resolve, 2 * SHORT_MS))
    expect(await take(other(), 'other')).toBeUndefined()
  })

  it('can be taken again by its holder, which ends the older lease', async () => {
    const former = await taken()
    const lease = await taken()
    expect(lease.epoch).toBe(former.epoch + 1)
    await expect(one().renew(former, LONG_MS)).rejects.toBeInstanceOf(LeaseLostError)
  })

  it('lets a process that wakes after it has run out write nothing', async () => {
    const asleep = await taken(one(), 'one', 1)
    const lease = await taken(other(), 'other')
    const before = await one().indexState(identity.chainId)
    await expect(one().apply(asleep, chain.origin, step(), NO_FACTS, LONG_MS)).rejects.toBeInstanceOf(
      LeaseLostError,
    )
    await expect(one().renew(asleep, LONG_MS)).rejects.toBeInstanceOf(LeaseLostError)
    await expect(one().setAlarm(asleep, 'an alarm')).rejects.toBeInstanceOf(LeaseLostError)
    await one().release(asleep)
    expect(await one().indexState(identity.chainId)).toEqual(before)
    await other().apply(lease, chain.origin, step(), NO_FACTS, LONG_MS)
    expect((await one().indexState(identity.chainId))?.block.number).toBe(chain.firstBlock)
  })

  it('goes to one of several processes that take it together, on a chain that is new to the store', async () => {
    const asked = Array.from({ length: 6 }, (_, index) =>
      take(index % 2 ? one() : other(), `holder ${index}`),
    )
    const leases = (await Promise.all(asked)).filter((lease) => lease !== undefined)
    expect(leases).toHaveLength(1)
  })

  it('lets one of two processes that write at once move the tip', async () => {
    const lease = await taken()
    const writes = [one(), other(), one()].map((by) =>
      by.apply(lease, chain.origin, step(), NO_FACTS, LONG_MS),
    )
    const results = await Promise.allSettled(writes)
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(LeaseLostError)
    }
  })

  describe('on a store that holds another chain', () => {
    const others: readonly [string, (of: ChainIdentity) => ChainIdentity, string][] = [
      ['genesis block', (of) => ({ ...of, genesisHash: hashOf('another') }), hashOf('another')],
      ['contract', (of) => ({ ...of, contract: `0x${'ab'.repeat(20)}` }), `0x${'ab'.repeat(20)}`],
      ['first block', (of) => ({ ...of, firstBlock: 7 }), '7'],
    ]
    it.each(others)('is refused if it differs in the %s', async (what, change, value) => {
      await taken()
      const refused = take(other(), 'other', LONG_MS, change(identity))
      await expect(refused).rejects.toBeInstanceOf(StoreError)
      await expect(refused).rejects.toThrow(new RegExp(`its ${what} is .*, and here it is ${value}`))
    })
  })

  it('deletes the rows and the alarm, and begins again at the origin', async () => {
    expect(await one().indexState(identity.chainId)).toBeUndefined()
    expect(await one().snapshot(identity.chainId, async () => 1)).toBeUndefined()
    const lease = await taken()
    const stands = {
      block: chain.origin,
      finalizedBlock: chain.origin.number,
      alarm: null,
      source: 'rpc',
      approvalsReadTo: null,
      providersChecked: 0,
    }
    expect(await one().indexState(identity.chainId)).toEqual(stands)
    await one().setAlarm(lease, 'something is wrong')
    expect(await other().indexState(identity.chainId)).toEqual({ ...stands, alarm: 'something is wrong' })
    await one().setAlarm(lease, null)
    expect(await other().indexState(identity.chainId)).toEqual(stands)
  })
})
