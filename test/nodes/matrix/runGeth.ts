import { isDeepStrictEqual } from 'node:util'
import type { Life } from '../../parity/life.ts'
import { indexed } from '../../support/service/indexed.ts'
import { startTestService, type TestAnswer, type TestService } from '../../support/service/testService.ts'
import type { Profile } from '../profiles/profiles.ts'
import { startProfileNode } from '../profiles/startProfileNode.ts'
import { askOperation, NODE_OPERATIONS } from './askOperations.ts'
import { type Cell, differingPaths } from './judge.ts'
import type { ProfileRun } from './runProfile.ts'

/** The real one, behind no rules but its own. */
export const GETH: Profile = { name: 'geth', title: 'geth, as it is', lines: [] }

/** Asks every operation over a geth on which the same things happened as on the plain node's chain. */
export async function runGeth(plainLife: Life, plain: TestService, life: Life): Promise<ProfileRun> {
  const node = await startProfileNode(life.chain.url, GETH)
  const service = await startTestService([{ ...life.chain, url: node.url }])
  const cells = new Map<string, Cell>()
  let requests = 0
  try {
    await indexed(service, life.chain)
    for (const operation of NODE_OPERATIONS) {
      node.reset()
      const seen = await askOperation(service, life, operation)
      requests += node.requests
      const expected = await askOperation(plain, plainLife, operation)
      cells.set(operation.name, cellOf(timeless(expected, plain), timeless(seen, service)))
    }
  } finally {
    await service.close()
    await node.close()
  }
  return { profile: GETH, cells, requests }
}

function cellOf(expected: unknown, got: unknown): Cell {
  if (isDeepStrictEqual(got, expected)) return { kind: 'same' }
  return { kind: 'wrong', what: `${differingPaths(expected, got, 4).join(', ')} differ` }
}

/**
 * Blocks of two chains differ in their seconds and hashes, and in all that is made of them: ids, and gas prices too.
 * Which are final is a test's own choice on geth.
 */
const DATED =
  /^(finalized|finality|time|requestId|asOf|index|timestamp|\w+Timestamp|\w+At|latencyMs|cursor|nextCursor|gas\w*|\w*Gas\w*|\w+Wei|\w+Eth)$/

function timeless({ status, body }: TestAnswer, { url }: TestService): unknown {
  const text = JSON.stringify(body, (key, value: unknown) => (DATED.test(key) ? undefined : value))
  const unnamed = text
    .replaceAll(new URL(url).host, '')
    .replace(/0x[0-9a-f]{64,}/g, '0x…')
    .replace(/evt_[0-9a-f]{40}/g, 'evt_…')
  return { status, body: JSON.parse(unnamed) }
}
