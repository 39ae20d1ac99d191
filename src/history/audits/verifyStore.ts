import type { ChainNode } from '../../core/node.ts'
import { StoreError } from '../../store/StoreError.ts'
import { Backoff } from '../follower/Backoff.ts'
import { News } from '../News.ts'
import type { ChainIdentity, ProjectionReader } from '../projection.ts'

/** A start waits no longer for a chain than this; the check goes on without it. */
const START_WAIT_MS = 2_000

/**
 * Makes sure that the store holds this chain and no other under its id, as far as that can be told within
 * 2 s: a chain that does not answer is asked on, and what that finds is told by `later`.
 * @throws StoreError
 */
export async function verifyStore(options: {
  projection: Pick<ProjectionReader, 'indexState' | 'verify'>
  identity: Omit<ChainIdentity, 'genesisHash'>
  node: Pick<ChainNode, 'genesisHash'>
  signal: AbortSignal
  later: (error: StoreError) => void
}): Promise<void> {
  const { projection, identity, later } = options
  // What needs no chain is refused whether it answers or not.
  await projection.verify(identity)
  if ((await projection.indexState(identity.chainId)) === undefined) return
  const found = verifyGenesis(options)
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), START_WAIT_MS)
  })
  const verdict = await Promise.race([found, late])
  clearTimeout(timer)
  if (verdict instanceof StoreError) throw verdict
  if (verdict === 'late') {
    found.then((error) => {
      if (error !== undefined) later(error)
    })
  }
}

/** Asks until it knows. Never rejects. */
async function verifyGenesis({
  projection,
  identity,
  node,
  signal,
}: Parameters<typeof verifyStore>[0]): Promise<StoreError | undefined> {
  const backoff = new Backoff()
  while (!signal.aborted) {
    try {
      await projection.verify({ ...identity, genesisHash: await node.genesisHash(signal) })
      return undefined
    } catch (error) {
      if (error instanceof StoreError) return error
      await new News().wait(backoff.nextMs(), signal)
    }
  }
  return undefined
}
