import { setTimeout as sleep } from 'node:timers/promises'
import { createProjection } from '@remit/service/testing/history/projection/createProjection'
import type { Store } from '@remit/service/testing/store/openStore'
import { openStore } from '@remit/service/testing/store/openStore'
import type { TestChain } from '../chain/useTestChain.ts'
import { projectionRows } from '../history/projectionRows.ts'
import { type Program, runBundled } from '../programs/program.ts'
import { useBundle } from '../programs/useBundle.ts'

/** What a program of this package needs to be told of a test chain and its store. */
export function environmentOf(
  { chainId, url, contract }: Pick<TestChain, 'chainId' | 'url' | 'contract'>,
  databaseUrl: string,
): Record<string, string> {
  return {
    DATABASE_URL: databaseUrl,
    DEFAULT_REST_CHAIN_ID: String(chainId),
    [`RPC_URL_${chainId}`]: url,
    [`CONTRACT_ADDRESS_${chainId}`]: contract,
    // What has been swept depends on when: these indexers are compared row by row.
    SWEEP_REQUESTS_PER_HOUR: '0',
  }
}

/** Starts the indexer, with a short lease: so long one that was killed keeps the next from beginning. */
export async function startIndexer(
  environment: Record<string, string>,
  { leaseSeconds = 0.5 }: { readonly leaseSeconds?: number } = {},
): Promise<Program> {
  const args = ['index', '--lease-seconds', String(leaseSeconds)]
  return runBundled(await useBundle('packages/service/src/main.ts'), args, environment)
}

/** Where the projection of a chain stands; -1 where it has not begun. */
export async function standsAt(store: Store, chainId: number): Promise<number> {
  return (await createProjection(store).indexState(chainId))?.block.number ?? -1
}

/** Waits until this process is the one that fills the index. */
export async function fills({ process: { pid } }: Program, store: Store): Promise<void> {
  const deadline = performance.now() + 60_000
  for (;;) {
    const row = await store.db.selectFrom('index_chains').select('holder').executeTakeFirst()
    if (row?.holder?.split(' ').includes(String(pid))) return
    if (performance.now() > deadline) throw new Error(`process ${pid} never took the lease`)
    await sleep(10)
  }
}

/** Waits until the projection stands at the chain's latest block, with all approvals of the past. */
export async function reachesHead(
  store: Store,
  chain: Pick<TestChain, 'client' | 'chainId'>,
  timeoutMs = 60_000,
): Promise<void> {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const { hash, number } = await chain.client.getBlock()
    const indexState = await createProjection(store).indexState(chain.chainId)
    const isWhole = indexState?.block.hash === hash && indexState.approvalsReadTo === null
    if (isWhole) return
    if (performance.now() > deadline) {
      throw new Error(`the index stands at ${indexState?.block.number}, and the head is ${number}`)
    }
    await sleep(20)
  }
}

/** The rows of a projection of this chain that was built from scratch, without a fault. */
export async function rowsFromScratch(chain: TestChain, databaseUrl: string) {
  const indexer = await startIndexer(environmentOf(chain, databaseUrl))
  // Made by the indexer itself, as everything else of it.
  await indexer.says(/Remit indexes/)
  const store = await openStore(databaseUrl)
  try {
    await reachesHead(store, chain)
    return await projectionRows(store, chain.chainId)
  } finally {
    indexer.process.kill('SIGTERM')
    await indexer.ends()
    await store.close()
  }
}
