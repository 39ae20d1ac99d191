import { callOf, mineBlock } from '@remit/devchain/testing/chain/block'
import type { BlockRef } from '@remit/engine/ports/history'
import { numberToHex } from 'viem'
import { beforeEach, describe, expect, test } from 'vitest'
import { protocolOn } from '../../support/chain/protocolOn.ts'
import type { LogFilling } from '../../support/history/fillFromLogs.ts'
import { useCountingProxy } from '../../support/nodes/countingProxy.ts'
import { reorganise } from '../reorganise.ts'
import { useSubgraphGround } from '../subgraphGround.ts'

const { chain, graph, begin, mineProfile, expectRight, expectRefused } = await useSubgraphGround()
const { client, wallets } = chain
const protocol = protocolOn(chain)

const proxy = await useCountingProxy(chain.url)
const WITHIN = { timeout: 10_000 }

/** The nodes do not have the chain's newest blocks yet. Returns the newest that they have. */
async function hideNewest(blocks: number): Promise<BlockRef> {
  const read = async (number: bigint) =>
    client.transport.request({ method: 'eth_getBlockByNumber', params: [numberToHex(number), false] })
  const newest = (await client.getBlockNumber()) - BigInt(blocks)
  const result = await read(newest)
  proxy.fail({
    answer({ method, params: [first] }) {
      if (method !== 'eth_getBlockByNumber') return undefined
      if (first === 'latest') return { result }
      return typeof first === 'string' && first.startsWith('0x') && BigInt(first) > newest
        ? { result: null }
        : undefined
    },
  })
  const { hash, parentHash, timestamp } = await client.getBlock({ blockNumber: newest })
  return { number: Number(newest), hash, parentHash, timestamp: Number(timestamp) }
}

let filling: LogFilling
beforeEach(async () => {
  filling = await begin()
})

describe('the subgraph’s newest block', () => {
  test('refuses one of another chain', async () => {
    const hash = `0x${'ab'.repeat(32)}` as const
    const block = { number: 3, hash }
    await expectRefused(filling, { block }, /has another block 3 than the chain, where that is final/)
  })

  test('waits for one that is on another branch', async () => {
    await mineProfile('lost')
    await graph.stay()
    await reorganise(chain, 1)
    await expect(filling.stepOn()).rejects.toThrow('one of the two has yet to follow a reorganisation')
    graph.follow()
    await expectRight(filling)
  })

  test('deletes the lost rows before the subgraph has read the new branch', async () => {
    await mineProfile('lost')
    await filling.fill()
    await reorganise(chain, 1)
    await graph.stay((await filling.tip()).block.number - 2)
    await filling.stepOn()
    expect(JSON.stringify(await filling.rows())).not.toContain('"lost"')
    graph.follow()
    await expectRight(filling)
  })

  test('follows a subgraph that lags', async () => {
    await graph.stay(9)
    expect((await filling.step()).kind).toBe('step')
    expect((await filling.step()).kind).toBe('idle')
    expect((await filling.tip()).block.number).toBe(9)
    graph.follow()
    await expectRight(filling)
  })

  test('reads one that stays ahead of the nodes up to the block that they have', async () => {
    filling = await begin({ rpcUrls: [proxy.url] })
    for (const company of ['one', 'two', 'three', 'four']) {
      await mineProfile(company)
      const nodesHead = await hideNewest(2)
      await expect
        .poll(async () => {
          await filling.step()
          return (await filling.tip()).block
        }, WITHIN)
        .toEqual(nodesHead)
    }
    expect(JSON.stringify(await filling.rows())).toContain('"two"')
    expect(JSON.stringify(await filling.rows())).not.toContain('"three"')
    proxy.fail({})
    await expectRight(filling)
    expect(filling.told.join()).not.toContain('cannot be used')
  })

  test('waits while it has not begun, or while nobody serves it', async () => {
    const notBegun =
      'Store error: query execution error: Subgraph `Qm` has not started syncing yet. Wait for it to ingest a few blocks before querying it'
    await expectRefused(filling, { errors: [notBegun] }, /has not begun to read the chain/)
    await mineProfile('later')
    const nobody = 'bad indexers: {0x2f09: BadResponse(Unauthorized)}'
    await expectRefused(filling, { errors: [nobody] }, /has nobody at present who serves it/)
  })

  test('raises an alarm while one is far behind the chain', async () => {
    await filling.fill()
    await graph.stay()
    await client.mine({ blocks: 101, interval: 10 })
    await expect
      .poll(async () => (await filling.step()).progress.alarm)
      .toMatch(/is 101 blocks behind the chain/)
    graph.follow()
    await filling.fill()
    expect((await filling.step()).progress.alarm).toBeNull()
  })

  test('keeps the rows and raises an alarm when a subgraph begins again', async () => {
    await filling.fill()
    const rows = await filling.rows()
    graph.fail({ deployment: 'QmAnother' })
    await graph.stay(2)
    expect(await filling.step()).toMatchObject({
      kind: 'idle',
      progress: { alarm: expect.stringMatching(/stands at block 2, below final blocks .* deployed anew/) },
    })
    expect(await filling.rows()).toEqual(rows)
    expect(filling.told.join()).toContain('the subgraph was deployed anew')

    graph.follow()
    await mineProfile('after')
    await expectRight(filling)
    expect((await filling.step()).progress.alarm).toBeNull()
  })

  test('refuses one that has failed on a block', async () => {
    await expectRefused(filling, { hasIndexingErrors: true }, /reports indexing errors/)
  })

  test('asks nothing between two polls', async () => {
    filling = await begin({ pollMs: 60_000 })
    await filling.fill()
    expect(graph.asked).toEqual(['Head', 'Events'])
    graph.reset()
    for (let times = 0; times < 5; times++) expect((await filling.step()).kind).toBe('idle')
    expect(graph.asked).toEqual([])
  })
})

describe('a subgraph that changes while it is read', () => {
  test('refuses pages of two deployments', async () => {
    const before = async (query: string) => {
      if (query === 'Events') graph.fail({ deployment: 'QmAnother' })
    }
    graph.fail({ before })
    await expect(filling.stepOn()).rejects.toThrow('deployed anew while it was read')
  })

  test('refuses pages of two branches', async () => {
    filling = await begin({ pageSize: 2 })
    await filling.fill()
    const { provider } = wallets
    const subscription = await protocol.create()
    const edit = (description: string) =>
      callOf(provider, protocol, 'editDetails', [{ url: '', description }, subscription.id])
    await filling.fill()
    const calls = ['one', 'two', 'three', 'four', 'five'].map(edit)
    await mineBlock(client, calls)
    let isFirst = true
    graph.fail({
      async before(query) {
        // After the first page, another block is in the place of the one with all these rows.
        if (query !== 'Block' || !isFirst) return
        isFirst = false
        const others = calls.toReversed().map((call) => ({ call, block: 0 }))
        await reorganise(chain, 1, others)
      },
    })
    await expect(filling.stepOn()).rejects.toThrow('was reorganised while its subgraph was read')
    await expectRight(filling)
  })

  test('refuses rows that do not fit the index’s last block', async () => {
    await mineProfile('lost')
    await filling.fill()
    await client.mine({ blocks: 1 })
    graph.fail({
      async before(query) {
        if (query !== 'Events') return
        graph.fail({})
        await reorganise(chain, 2)
      },
    })
    await expect(filling.stepOn()).rejects.toThrow('was reorganised while its subgraph was read')
    await expectRight(filling)
  })

  test('tries again if the subgraph has lost its newest block', async () => {
    const before = async (query: string) => {
      if (query === 'Events') await graph.stay(5)
    }
    graph.fail({ before })
    await expect(filling.stepOn()).rejects.toThrow('has lost the block it just stood at')
    graph.fail({})
    graph.follow()
    await expectRight(filling)
  })
})
