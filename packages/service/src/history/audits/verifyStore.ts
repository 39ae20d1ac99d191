import type { ChainNodes } from '@remit/engine/ports/nodes'
import { pause } from '@remit/engine/waiting/pause'
import { StoreError } from '../../store/StoreError.ts'
import type { ChainIdentity, ProjectionReader } from '../projection.ts'

/** How long a start waits for the chain's answer. After that the check goes on in the background. */
const START_WAIT_MS = 2_000
/** While the chain does not answer. */
const RETRY_MS = 1_000

/**
 * At the start of a process, checks that the store's rows under this chain id are of this chain and contract. If the chain does not
 * answer within 2 s, the check goes on in the background and calls `failedLater` if it fails.
 * @throws StoreError if they are of another chain
 */
export async function verifyStore(options: {
  projection: Pick<ProjectionReader, 'indexState' | 'verify'>
  identity: Omit<ChainIdentity, 'genesisHash'>
  nodes: Pick<ChainNodes, 'genesisHash'>
  signal: AbortSignal
  failedLater: (error: StoreError) => void
}): Promise<void> {
  const { projection, identity, failedLater } = options
  // First what can be checked without the chain.
  await projection.verify(identity)
  if ((await projection.indexState(identity.chainId)) === undefined) return
  const found = verifyGenesis(options)
  const result = await Promise.race([found, pause(START_WAIT_MS).then(() => 'late' as const)])
  if (result instanceof StoreError) throw result
  if (result === 'late') {
    found.then((error) => {
      if (error !== undefined) failedLater(error)
    })
  }
}

/** Asks the chain until it answers. Never rejects. */
async function verifyGenesis({
  projection,
  identity,
  nodes,
  signal,
}: Parameters<typeof verifyStore>[0]): Promise<StoreError | undefined> {
  while (!signal.aborted) {
    try {
      await projection.verify({ ...identity, genesisHash: await nodes.genesisHash(signal) })
      return undefined
    } catch (error) {
      if (error instanceof StoreError) return error
      await pause(RETRY_MS, signal)
    }
  }
  return undefined
}
