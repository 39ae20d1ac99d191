import { Subscriptions } from '@remit/contracts/Subscriptions'
import { callOf, mineBlock } from '@remit/devchain/testing/chain/block'
import type { Log } from '@remit/engine/ports/log'
import type { ChainNodes } from '@remit/engine/ports/nodes'
import type { EventSource } from '@remit/engine/ports/source'
import { createRpcSource } from '@remit/engine/testing/indexing/logs/createRpcSource'
import { createComposedSource } from '@remit/service/testing/history/sources/createComposedSource'
import { createSubgraphSource } from '@remit/service/testing/history/sources/subgraph/createSubgraphSource'
import { parseEventLogs } from 'viem'
import { beforeEach, describe, expect, test } from 'vitest'
import { protocolOn } from '../../support/chain/protocolOn.ts'
import { revertTo } from '../../support/chain/revertTo.ts'
import { useTestChain } from '../../support/chain/useTestChain.ts'
import { fillFromLogs, type LogFilling } from '../../support/history/fillFromLogs.ts'
import { useGraphNode } from '../graphNode/useGraphNode.ts'
import { reorganise } from '../reorganise.ts'
import { tellStory } from '../story.ts'

// What every source of events promises, held by each of them: the store that it fills is the store that the
// chain's logs alone would fill from an empty one.

const chain = await useTestChain({ reorganises: true })
await tellStory(chain)
await chain.keep()
const graph = await useGraphNode(chain)
const { client, wallets, firstBlock } = chain
const { provider, alice, bob } = wallets
const protocol = protocolOn(chain)

type MakeSource = (nodes: ChainNodes, log: Log) => EventSource
const rpc: MakeSource = (nodes, log) => createRpcSource({ nodes, firstBlock, log })
const subgraph =
  (pageSize: number): MakeSource =>
  (nodes, log) =>
    createSubgraphSource({ url: graph.url, apiKey: undefined, nodes, firstBlock, log, pollMs: 0, pageSize })

/** The subgraph fills whatever is more than three blocks behind. */
const composed: MakeSource = (nodes, log) =>
  createComposedSource({
    past: subgraph(1_000)(nodes, log),
    present: rpc(nodes, log),
    nodes,
    log,
    farBlocks: 3,
  })

const SOURCES: readonly (readonly [string, MakeSource])[] = [
  ['the logs of the chain', rpc],
  ['a subgraph', subgraph(1_000)],
  ['a subgraph in pages of three rows', subgraph(3)],
  ['a subgraph for the past and the logs from there', composed],
]

/** The store that the chain's logs fill from nothing. */
async function builtAnew(): Promise<Awaited<ReturnType<LogFilling['rows']>>> {
  const filling = await fillFromLogs(chain, [chain.url])
  await filling.fill()
  return filling.rows()
}

const edit = (id: `0x${string}`, description: string) =>
  callOf(provider, protocol, 'editDetails', [{ url: '', description }, id])
const profile = (company: string) => {
  const details = { description: '', company, url: '', domain: '', email: '', misc: '' }
  return callOf(provider, protocol, 'editProvDetails', [details])
}

describe.each(SOURCES)('%s', (_, makeSource) => {
  let filling: LogFilling
  beforeEach(async () => {
    filling = await fillFromLogs(chain, [chain.url], { makeSource })
  })

  const expectSameAsBuiltAnew = async () => {
    await filling.fill()
    expect(await filling.rows()).toEqual(await builtAnew())
  }

  test('gives each log of the contract once, and makes the same store as the logs', async () => {
    await filling.fill()
    const rows = await filling.rows()

    const logs = await client.getLogs({ address: chain.contract, fromBlock: 0n })
    const parsed = parseEventLogs({ abi: Subscriptions.abi, logs })
    const placesOf = (name: string) =>
      parsed
        .filter(({ eventName }) => eventName === name)
        .map(({ blockNumber, logIndex }) => `${blockNumber}/${logIndex}`)
    const places = (list: readonly { block_number: number; log_index: number }[]) =>
      list.map(({ block_number, log_index }) => `${block_number}/${log_index}`)
    expect(places(rows.events)).toEqual(placesOf('SubLog'))
    expect(places(rows.detailsLogs)).toEqual(placesOf('DetailsLog'))
    expect(places(rows.profileLogs)).toEqual(placesOf('ProvDetailsLog'))
    expect(placesOf('SubLog').length).toBeGreaterThan(15)
    expect(placesOf('DetailsLog')).toHaveLength(4)
    expect(placesOf('ProvDetailsLog')).toHaveLength(2)
    expect(rows).toEqual(await builtAnew())
  })

  test('continues at the store’s last block', async () => {
    await filling.fill()
    for (const company of ['One', 'Two', 'Three']) {
      const subscription = await protocol.create()
      await protocol.join(subscription, bob)
      await mineBlock(client, [edit(subscription.id, company), profile(company)])
      await filling.fill()
    }
    await expectSameAsBuiltAnew()
  })

  test('gives nothing if nothing is new', async () => {
    await filling.fill()
    const head = await client.getBlockNumber()
    expect(await filling.step()).toMatchObject({
      kind: 'idle',
      progress: { headNumber: Number(head), alarm: null },
    })
  })

  test('moves over blocks without logs', async () => {
    await filling.fill()
    const { events } = await filling.rows()
    await client.mine({ blocks: 40 })
    await expectSameAsBuiltAnew()
    expect((await filling.rows()).events).toEqual(events)
  })

  test('deletes the rows of lost blocks', async () => {
    const subscription = await protocol.create()
    await filling.fill()
    await mineBlock(client, [edit(subscription.id, 'lost'), profile('lost')])
    await filling.fill()
    expect(JSON.stringify(await filling.rows())).toContain('lost')

    await reorganise(chain, 1)
    await expectSameAsBuiltAnew()
    expect(JSON.stringify(await filling.rows())).not.toContain('lost')
  })

  test('follows logs that are mined again in other blocks and places', async () => {
    const subscription = await protocol.create()
    await protocol.join(subscription, alice)
    await filling.fill()
    const calls = [
      edit(subscription.id, 'moved'),
      profile('moved'),
      callOf(alice, protocol, 'unsubscribe', [subscription]),
    ]
    await mineBlock(client, calls.slice(0, 2))
    await mineBlock(client, calls.slice(2))
    await filling.fill()

    const moved = [...calls].reverse().map((call, index) => ({ call, block: index === 0 ? 0 : 1 }))
    await reorganise(chain, 2, moved)
    await expectSameAsBuiltAnew()
    expect(JSON.stringify(await filling.rows())).toContain('moved')
  })

  test('repairs the index after a reorganisation below finality, and raises an alarm meanwhile', async () => {
    const subscription = await protocol.create()
    for (const description of ['one', 'two', 'three', 'four', 'five', 'six']) {
      await mineBlock(client, [edit(subscription.id, description)])
      await filling.fill()
    }
    const { finalizedBlock, block } = await filling.tip()
    await reorganise(chain, block.number - finalizedBlock + 3, [{ call: profile('instead'), block: 1 }])

    const alarms: (string | null)[] = []
    while ((await filling.tip()).block.hash !== (await client.getBlock()).hash) {
      const next = await filling.step().catch(() => undefined)
      if (next?.kind === 'step') alarms.push(next.progress.alarm)
    }
    expect(alarms[0]).toMatch(/reorganised from block \d+ on, below block \d+ that counted as final/)
    await expectSameAsBuiltAnew()
    expect((await filling.step()).progress.alarm).toBeNull()
  })

  test('follows a chain that was rolled back', async () => {
    const snapshot = await client.snapshot()
    await mineBlock(client, [profile('lost')])
    await client.mine({ blocks: 3 })
    await filling.fill()
    await revertTo(client, snapshot)
    await expectSameAsBuiltAnew()
    expect(JSON.stringify(await filling.rows())).not.toContain('lost')
  })
})
