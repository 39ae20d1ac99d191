import { callOf, mineBlock } from '@remit/devchain/testing/chain/block'
import { createSubgraphSource } from '@remit/service/testing/history/sources/subgraph/createSubgraphSource'
import { expect } from 'vitest'
import { protocolOn } from '../support/chain/protocolOn.ts'
import { type TestChain, useTestChain } from '../support/chain/useTestChain.ts'
import { fillFromLogs, type LogFilling } from '../support/history/fillFromLogs.ts'
import { type GraphFaults, type GraphNode, useGraphNode } from './graphNode/useGraphNode.ts'
import { tellStory } from './story.ts'

export const KEY = 'a-key-that-nobody-may-see'

export interface SubgraphGround {
  readonly chain: TestChain
  readonly graph: GraphNode
  /** Begins an empty projection that is filled from the subgraph. */
  begin(options?: {
    url?: string
    pageSize?: number
    pollMs?: number
    rpcUrls?: readonly string[]
  }): Promise<LogFilling>
  /** Mines a block with a profile of the provider. */
  mineProfile(company: string): Promise<void>
  /** Fills it to the head: what it then holds is what the chain's logs alone make. */
  expectRight(filling: LogFilling): Promise<void>
  /** Nothing of a wrong answer is written, and the right ones after it make the right store. */
  expectRefused(filling: LogFilling, faults: GraphFaults, sentence: RegExp): Promise<void>
  /** The right store is made all the same, and the log and an alarm tell what was wrong. */
  expectReadFromLogs(filling: LogFilling, faults: GraphFaults, sentence: RegExp): Promise<void>
}

/** A chain of this test file's own with the story on it, and a graph-node that has the subgraph of it. */
export async function useSubgraphGround(): Promise<SubgraphGround> {
  const chain = await useTestChain({ reorganises: true })
  await tellStory(chain)
  await chain.client.mine({ blocks: 5 })
  await chain.keep()
  const graph = await useGraphNode(chain)
  const { client, wallets, firstBlock } = chain

  const ground: SubgraphGround = {
    chain,
    graph,
    async begin({ url = graph.url, pageSize = 1_000, pollMs = 0, rpcUrls = [chain.url] } = {}) {
      const common = { url, apiKey: KEY, firstBlock, pageSize, pollMs, timeoutMs: 2_000 }
      const filling = await fillFromLogs(chain, rpcUrls, {
        makeSource: (nodes, log) => createSubgraphSource({ ...common, nodes, log }),
      })
      // Before a test has its source fail.
      await filling.lease()
      return filling
    },
    async mineProfile(company) {
      const details = { description: '', company, url: '', domain: '', email: '', misc: '' }
      const call = callOf(wallets.provider, protocolOn(chain), 'editProvDetails', [details])
      await mineBlock(client, [call])
    },
    async expectRight(filling) {
      await filling.fill()
      const anew = await fillFromLogs(chain, [chain.url])
      await anew.fill()
      expect(await filling.rows()).toEqual(await anew.rows())
    },
    async expectRefused(filling, faults, sentence) {
      const before = await filling.rows()
      graph.fail(faults)
      await expect(filling.stepOn()).rejects.toThrow(sentence)
      expect(await filling.rows()).toEqual(before)
      graph.fail({})
      await ground.expectRight(filling)
    },
    async expectReadFromLogs(filling, faults, sentence) {
      graph.fail(faults)
      await ground.expectRight(filling)
      expect(filling.told.join('\n')).toMatch(sentence)
      const { progress } = await filling.step()
      expect(progress.alarm).toMatch(sentence)
      expect(progress.alarm).toContain("What differs is read from the chain's logs.")
    },
  }
  return ground
}
