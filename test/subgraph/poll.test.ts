import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { indexed } from '../support/service/indexed.ts'
import { useTestService } from '../support/service/testService.ts'
import { useSubgraphGround } from './subgraphGround.ts'

const { chain, graph } = await useSubgraphGround()
const service = await useTestService([chain], {
  [`INDEX_${chain.chainId}`]: 'subgraph',
  [`SUBGRAPH_URL_${chain.chainId}`]: graph.url,
  [`SUBGRAPH_POLL_SECONDS_${chain.chainId}`]: '1',
})

test('a subgraph with nothing new is asked as often as the environment says', async () => {
  await indexed(service, chain)
  graph.reset()
  const begun = performance.now()
  while (graph.asked.length < 4) await sleep(50)
  const seconds = (performance.now() - begun) / 1_000
  // Four times the default would be 20 s; more often than asked for, and the gateway bills it.
  expect(seconds).toBeGreaterThan(2.5)
  expect(seconds).toBeLessThan(10)
})
