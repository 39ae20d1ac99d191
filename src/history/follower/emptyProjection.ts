import type { ChainNode } from '../../core/node.ts'
import { StoreError } from '../../store/StoreError.ts'
import type { ChainIdentity, ProjectionWriter } from '../projection.ts'
import type { EventSource } from '../source.ts'

/** A long past takes so long to be deleted that nobody shall take over meanwhile. */
const LEASE_MS = 900_000

/**
 * Takes everything out of one chain's projection, so that it is read anew from the chain's first block: the
 * way out of an alarm that rows are wrong or missing. Until then readers see an index that has just begun.
 *
 * Throws StoreError while another process fills it.
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
  const { chainId } = identity
  const origin = await source.origin(signal)
  const lease = await projection.take(identity, source.kind, async () => origin, holder, LEASE_MS)
  if (lease === undefined) {
    throw new StoreError(`Another process fills the index of chain ${chainId}: stop it first.`)
  }
  try {
    await projection.empty(lease, origin)
  } finally {
    await projection.release(lease)
  }
}
