import type { ChainNode } from '../../core/ports/node.ts'
import type { ChainIdentity, ProjectionWriter } from '../projection.ts'
import type { EventSource } from '../source.ts'
import { holdToReplace } from './HeldLease.ts'

/**
 * Deletes one chain's index, so that it is read again from the contract's first block. This repairs an index whose rows
 * are wrong or missing. Readers then see an index that has just begun.
 *
 * Throws StoreError while another process fills the index.
 */
export async function emptyProjection(options: {
  identity: Omit<ChainIdentity, 'genesisHash'>
  node: Pick<ChainNode, 'genesisHash'>
  source: EventSource
  projection: ProjectionWriter
  holder: string
  signal: AbortSignal
}): Promise<void> {
  const { node, source, projection, holder, signal } = options
  const identity = { ...options.identity, genesisHash: await node.genesisHash(signal) }
  const origin = await source.origin(signal)
  const held = await holdToReplace({ projection, identity, source: source.kind, origin, holder })
  try {
    await projection.empty(held.lease, origin, source.kind)
  } finally {
    await held.release()
  }
}
