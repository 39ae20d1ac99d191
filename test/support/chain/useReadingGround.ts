import { Chains } from '@remit/engine/chain/Chains'
import { ChainEntry } from '@remit/engine/chain/registry'
import type { ChainView } from '@remit/engine/ports/chains'
import type { Log } from '@remit/engine/ports/log'
import type { Hex } from 'viem'
import { afterEach } from 'vitest'
import { useCountingProxy } from '../nodes/countingProxy.ts'
import { WALL_OF_TEST_CHAINS } from '../service/wallOfTestChains.ts'
import { forecastHere, OF_EACH_BLOCK } from './forecastHere.ts'
import { protocolOn } from './protocolOn.ts'
import { type TestChain, type TestChainOptions, useTestChain } from './useTestChain.ts'

export const silentLog: Log = { info: () => {}, warn: () => {}, error: () => {} }

/** Long enough that no poll falls into what a test counts. */
const NO_POLLS_MS = 60_000

/** The protocol on a test chain of this file, read through a proxy that counts. */
export async function useReadingGround(options: TestChainOptions = {}) {
  return readingGroundOn(await useTestChain(options))
}

/** A test chain, read through a proxy that counts. */
export async function readingGroundOn(chain: TestChain) {
  const proxy = await useCountingProxy(chain.url)
  const opened: Chains[] = []
  afterEach(() => {
    for (const chains of opened.splice(0)) chains.stop()
  })

  const open = (
    entry: Partial<ChainEntry> = {},
    log: Log = silentLog,
    options: { rpcTimeoutMs?: number; wallNow?: () => number } = {},
  ) => {
    const chains: Chains = new Chains({
      entries: [
        ChainEntry.parse({
          chainId: chain.chainId,
          name: 'Test chain',
          contractAddress: chain.contract,
          rpcUrls: [proxy.url],
          tokens: Object.values(chain.tokens),
          pollMs: NO_POLLS_MS,
          devChain: true,
          ...entry,
        }),
      ],
      defaultChainId: chain.chainId,
      log,
      wallNow: WALL_OF_TEST_CHAINS,
      forecaster: forecastHere(() => chains),
      forecastTimes: OF_EACH_BLOCK,
      ...options,
    })
    opened.push(chains)
    return chains
  }

  return {
    ...chain,
    proxy,
    protocol: protocolOn(chain),
    open,
    /** Lets `use` see the latest block, with the chain checked, the head known and nothing read yet. */
    async view<T>(use: (view: ChainView) => Promise<T>, entry: Partial<ChainEntry> = {}): Promise<T> {
      return open(entry).withView(chain.chainId, {}, (view) => {
        proxy.reset()
        return use(view)
      })
    },
  }
}

export type ReadingGround = Awaited<ReturnType<typeof useReadingGround>>

/** Has remit broken off in the middle of a subscription, as `setPageStart` takes it. */
export function checkpointAt(id: Hex) {
  return { id, subscriberIndex: 1n, subscriptionIndex: 1n, frequency: 0n, initialized: true }
}
