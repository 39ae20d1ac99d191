import { setTimeout as sleep } from 'node:timers/promises'
import type { ChainNodes } from '@remit/engine/ports/nodes'
import { FactReader } from '@remit/engine/testing/indexing/events/FactReader'
import { createRpcSource } from '@remit/engine/testing/indexing/logs/createRpcSource'
import { PastApprovals } from '@remit/service/testing/history/follower/PastApprovals'
import type { Lease } from '@remit/service/testing/history/projection'
import { approvalStore } from '@remit/service/testing/history/projection/approvals'
import { createProjection } from '@remit/service/testing/history/projection/createProjection'
import type { Store } from '@remit/service/testing/store/openStore'

const silentLog = { info() {}, warn() {}, error() {} }
const AGAIN_MS = 20
const MOST_TRIES = 500

interface Options {
  readonly nodes: ChainNodes
  readonly store: Store
  readonly firstBlock: number
  readonly onWritten?: () => void
}

/** Reads the approvals that no step has read, as the process that fills an index does beside its steps. */
export function pastApprovalsOf({ nodes, store, firstBlock, onWritten = () => {} }: Options): PastApprovals {
  const projection = createProjection(store)
  return new PastApprovals({
    source: createRpcSource({
      // What was compared when its steps were read is not waited for once more.
      ...{ nodes, firstBlock, log: silentLog, secondNodeWaitMs: 0 },
      async approvalsUpTo() {
        const state = await projection.indexState(nodes.chainId)
        if (state === undefined) throw new Error('there is no index')
        return { head: state.block, finalizedBlock: state.finalizedBlock }
      },
    }),
    nodes,
    facts: new FactReader(nodes),
    projection,
    store: approvalStore(store),
    onWritten,
    log: silentLog,
  })
}

/** Reads all of them. */
export async function readPastApprovals(past: PastApprovals, lease: Lease): Promise<void> {
  const { signal } = new AbortController()
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const outcome = await past.readRange(lease, signal)
    if (outcome === 'none') return
    if (outcome === 'later') await sleep(AGAIN_MS)
  }
  throw new Error('the approvals of the past are never read to their end')
}
