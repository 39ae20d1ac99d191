import { subscribeCrowd } from '@remit/testing/support/chain/subscribeCrowd'
import { useReadingGround } from '@remit/testing/support/chain/useReadingGround'
import type { Faults } from '@remit/testing/support/nodes/countingProxy'
import { encodeFunctionData } from 'viem'
import { describe, expect, it } from 'vitest'
import type { ChainReads } from '../ports/chainReads.ts'

const ground = await useReadingGround()
const { protocol, proxy, wallets, client, chainId } = ground
const { alice, bob, keeper } = wallets

/** More than the lens walks to find out whether there is any subscriber. */
const CROWD = 600

const small = await protocol.create()
const crowded = await protocol.create()
const last = await protocol.create()
await protocol.join(small, alice)
const crowd = await subscribeCrowd(ground, crowded, CROWD)
await protocol.join(last, bob)
await ground.advanceDays(30)
await ground.keep()

/** What a read answers through a node with these faults, and in how many requests. */
async function readThrough<T>(faults: Faults, read: (reads: ChainReads) => Promise<T>) {
  const chains = ground.open()
  await chains.withView(chainId, {}, (view) => view.read.protocol())
  proxy.fail(faults)
  proxy.reset()
  const answer = await chains.withView(chainId, {}, (view) => read(view.read))
  return { answer, requests: proxy.requests }
}

describe('many subscribers', () => {
  it('are listed whole, more than 24 KB of them, on both ways', async () => {
    const lent = await readThrough({}, (read) => read.subscribers(crowded.id))
    expect(lent.requests).toBe(1)
    expect(lent.answer.subscribers.map(({ subscriber }) => subscriber.toLowerCase())).toEqual(crowd)
    const created = await readThrough({ overrides: 'refused' }, (read) => read.subscribers(crowded.id))
    expect(created.answer).toEqual(lent.answer)
  })

  it('make a subscription due without a walk over them', async () => {
    // More gas than the lens gives the contract's view for this.
    const data = encodeFunctionData({
      abi: protocol.abi,
      functionName: 'getSubscribersById',
      args: [crowded.id],
    })
    const gas = await client.estimateGas({ account: alice, to: ground.contract, data })
    expect(gas).toBeGreaterThan(3_500_000n)
    const wednesday = [{ frequency: 0, dueDay: 3 }] as const
    for (const callGas of [30_000_000, 12_000_000, 9_000_000]) {
      const { answer } = await readThrough({ callGas }, (read) => read.due(wednesday))
      expect(answer[0]?.subscriptionIds).toEqual([small.id, crowded.id, last.id])
    }
  })

  it('make the same backlog, in whichever way and in however many pages they are read', async () => {
    const whole = await readThrough({}, (read) => read.backlog(keeper))
    expect(whole.requests).toBe(1)
    expect(whole.answer.lists[0]?.entries.map((entry) => entry.subscribers.length)).toEqual([1, CROWD, 1])
    expect(whole.answer.wallets).toHaveLength(CROWD + 2)

    for (const faults of [
      { callGas: 12_000_000 },
      { overrides: 'refused' },
      { callGas: 22_000_000, overrides: 'refused' },
    ] satisfies Faults[]) {
      const parts = await readThrough(faults, (read) => read.backlog(keeper))
      expect(parts.answer).toEqual(whole.answer)
      expect(parts.requests).toBeGreaterThan(1)
    }
  })

  it('name the contract’s view if the node gives too little gas to list them', async () => {
    const read = readThrough({ callGas: 4_500_000 }, (read) => read.subscribers(crowded.id))
    await expect(read).rejects.toMatchObject({ facts: { view: 'getSubscribersById' } })
  })
})
