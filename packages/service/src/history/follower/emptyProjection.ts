import type { ChainNodes } from '@remit/engine/ports/nodes'
import type { EventSource } from '@remit/engine/ports/source'
import { StoreError } from '../../store/StoreError.ts'
import type { ChainIdentity, ProjectionWriter } from '../projection.ts'
import { HeldLease } from './HeldLease.ts'

/** Short, so that it can be repeated soon after its process has died. The lease is renewed meanwhile. */
const LEASE_MS = 10_000

/**
 * Deletes one chain's index, so that it is read again from the contract's first block. This repairs an index whose rows
 * are wrong or missing. Readers then see an index that has just begun.
 *
 * Throws StoreError while another process fills the index.
 */
export async function emptyProjection(options: {
  identity: Omit<ChainIdentity, 'genesisHash'>
  nodes: Pick<ChainNodes, 'genesisHash'>
  source: EventSource
  projection: ProjectionWriter
  holder: string
  signal: AbortSignal
}): Promise<void> {
  const { nodes, source, projection, holder, signal } = options
  const identity = { ...options.identity, genesisHash: await nodes.genesisHash(signal) }
  const origin = await source.origin(signal)
  const lease = await projection.take(identity, source.kind, async () => origin, holder, LEASE_MS)
  if (lease === undefined) {
    throw new StoreError(`Another process fills the index of chain ${identity.chainId}: stop it first.`)
  }
  const held = new HeldLease({ lease, leaseMs: LEASE_MS, writer: projection })
  try {
    await projection.empty(lease, origin, source.kind)
  } finally {
    await held.release()
  }
}
