import type { Life } from '../../parity/life.ts'
import { indexed } from '../../support/service/indexed.ts'
import { startTestService, type TestService } from '../../support/service/testService.ts'
import type { Profile } from '../profiles/profiles.ts'
import { startProfileNode } from '../profiles/startProfileNode.ts'
import { askOperation, NODE_OPERATIONS } from './askOperations.ts'
import { type Cell, judge } from './judge.ts'

/** What came of one kind of node. */
export interface ProfileRun {
  readonly profile: Profile
  /** By the names of operations. */
  readonly cells: ReadonlyMap<string, Cell>
  /** HTTP requests that all of them took together, once the index was filled. */
  readonly requests: number
}

/** A second may end between two answers, which dates proofs differently. */
const MOST_TRIES = 4

/** Asks every operation over a kind of node, and beside it over one that lacks nothing. */
export async function runProfile(life: Life, plain: TestService, profile: Profile): Promise<ProfileRun> {
  const node = await startProfileNode(life.chain.url, profile)
  const service = await startTestService([{ ...life.chain, url: node.url }])
  const named = profile.lines.flatMap(({ differs }) => differs ?? [])
  const cells = new Map<string, Cell>()
  let requests = 0
  try {
    await indexed(service, life.chain)
    for (const operation of NODE_OPERATIONS) {
      node.reset()
      let cell: Cell = { kind: 'wrong', what: 'was not asked' }
      for (let tries = 0; tries < MOST_TRIES && cell.kind === 'wrong'; tries += 1) {
        const seen = await askOperation(service, life, operation)
        if (tries === 0) requests += node.requests
        const answer = await askOperation(plain, life, operation)
        cell = judge({ answer, service: plain }, { answer: seen, service }, named)
      }
      cells.set(operation.name, cell)
    }
  } finally {
    await service.close()
    await node.close()
  }
  return { profile, cells, requests }
}
