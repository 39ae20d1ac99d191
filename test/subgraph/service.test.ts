import { setTimeout as sleep } from 'node:timers/promises'
import { Subscriptions } from '@remit/contracts/Subscriptions'
import { parseEventLogs } from 'viem'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { indexed } from '../support/service/indexed.ts'
import { lasting, useTestService } from '../support/service/testService.ts'
import { KEY, useSubgraphGround } from './subgraphGround.ts'

const { chain, graph } = await useSubgraphGround()
const byLogs = await useTestService([chain])
const bySubgraph = await useTestService([chain], {
  [`INDEX_${chain.chainId}`]: 'subgraph',
  [`SUBGRAPH_URL_${chain.chainId}`]: `${graph.url}?key=${KEY}`,
  SUBGRAPH_API_KEY: KEY,
})

test('a service whose index is a subgraph answers as one that reads the logs itself', async () => {
  const { client, contract, wallets } = chain
  const logs = await client.getLogs({ address: contract, fromBlock: 0n })
  const created = parseEventLogs({ abi: Subscriptions.abi, logs, eventName: 'SubLog' })
  const ids = [...new Set(created.map(({ args }) => args.id))]
  const accounts = Object.values(wallets)
  const paths = [
    '/subscriptions?includeDetails=false',
    '/subscriptions?cancelled=true',
    ...ids.flatMap((id) =>
      ['history', 'details', 'details-history', 'subscribers'].map((what) => `/subscriptions/${id}/${what}`),
    ),
    ...accounts.flatMap((account) => [`/accounts/${account}/activity`, `/providers/${account}`]),
  ]
  await indexed(byLogs, chain)
  await indexed(bySubgraph, chain)
  for (const path of paths) {
    const [one, other] = [await byLogs.get(path), await bySubgraph.get(path)]
    expect(one.status, path).toBe(200)
    expect(lasting(other.body), path).toEqual(lasting(one.body))
    expect(other.body.error, path).toBeUndefined()
  }
  expect(ids).toHaveLength(2)
})

test('its status says where the index is read from, and neither it nor the log holds the key', async () => {
  const { body } = await bySubgraph.get('/status')
  const Status = z.object({ chains: z.array(z.object({ index: z.looseObject({}).nullable() })) })
  expect(Status.parse(body).chains[0]?.index).toMatchObject({ ok: true, synced: true })
  expect(JSON.stringify(body) + bySubgraph.logged.join()).not.toContain(KEY)
  expect(graph.authorization).toBe(`Bearer ${KEY}`)
})

const service = await useTestService([chain], {
  [`INDEX_${chain.chainId}`]: 'subgraph',
  [`SUBGRAPH_URL_${chain.chainId}`]: graph.url,
  SUBGRAPH_API_KEY: KEY,
  [`SUBGRAPH_POLL_SECONDS_${chain.chainId}`]: '1',
})

test('a subgraph with nothing new is asked as often as the environment says', async () => {
  await indexed(service, chain)
  graph.reset()
  while (graph.asked.length === 0) await sleep(50)
  const begun = performance.now()
  const first = graph.asked.length
  while (graph.asked.length < first + 3) await sleep(50)
  const seconds = (performance.now() - begun) / 1_000
  // Four times the default would be 20 s; more often than asked for, and the gateway bills it.
  expect(seconds).toBeGreaterThan(2.5)
  expect(seconds).toBeLessThan(10)
})
