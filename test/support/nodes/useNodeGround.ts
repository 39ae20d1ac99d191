import { createRpc } from '@remit/engine/rpc/rpc'
import { BlockReader } from '@remit/engine/testing/block/BlockReader'
import { HeadWatcher } from '@remit/engine/testing/head/HeadWatcher'
import { createChainNodes } from '@remit/engine/testing/indexing/createChainNodes'
import { afterEach } from 'vitest'
import { randomOf } from '../../differential/random.ts'
import { beginBusyLife } from '../chain/busyLife.ts'
import { silentLog } from '../chain/useReadingGround.ts'
import { useTestChain } from '../chain/useTestChain.ts'
import { useFaultyNode } from './faultyNode.ts'

/** A chain with twelve busy blocks, two ways to it that can fail, and what an index reads from such nodes. */
export async function useNodeGround() {
  const chain = await useTestChain()
  const first = await useFaultyNode(chain.url)
  const second = await useFaultyNode(chain.url)
  const life = await beginBusyLife(chain, randomOf(1))
  for (let block = 0; block < 12; block += 1) await life.mine(4)
  await chain.keep()

  const { signal } = new AbortController()
  const watchers: HeadWatcher[] = []
  afterEach(() => {
    for (const watcher of watchers.splice(0)) watcher.stop()
  })

  function nodesOf(urls: readonly string[]) {
    const { chainId, contract } = chain
    const rpc = createRpc({ chainId, urls, timeoutMs: 5_000, log: silentLog })
    const head = new HeadWatcher({
      rpc,
      pollMs: 30,
      rollbackAfterMs: 200,
      isDevChain: true,
      log: silentLog,
      onReorg: () => {},
    })
    watchers.push(head)
    return createChainNodes({
      rpc,
      blocks: new BlockReader({ rpc, log: silentLog }),
      head,
      contract,
      finalityDepth: 5,
      rollbackAfterMs: 200,
    })
  }

  async function headerAt(number: number) {
    const [header] = await nodesOf([chain.url]).headers([number], signal)
    if (header === undefined) throw new Error(`there is no block ${number}`)
    return header
  }

  return { chain, life, first, second, nodesOf, headerAt, signal }
}
