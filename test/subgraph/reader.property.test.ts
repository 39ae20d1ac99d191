import { SourceError } from '@remit/engine/ports/source'
import { SubgraphReader } from '@remit/service/testing/history/sources/subgraph/SubgraphReader'
import fc from 'fast-check'
import { type Hex, keccak256, numberToHex, zeroAddress } from 'viem'
import { expect, test } from 'vitest'
import { trials, trialsTimeoutMs } from '../support/runner/trials.ts'
import { answerQuestion } from './graphNode/answerQuestion.ts'
import { type EntityValues, entityId } from './graphNode/indexLogs.ts'

const HEAD = 12
const AT = { number: HEAD, hash: keccak256('0x') }
const { signal } = new AbortController()

/** How many rows of each list a block has. */
const crowd = fc.constantFrom(0, 0, 0, 1, 2, 3, 7)
const chain = fc.array(fc.tuple(crowd, crowd, crowd), { minLength: HEAD, maxLength: HEAD })

/** Each block's logs in a random order of kinds, several of them in one transaction. */
function indexed(blocks: readonly (readonly [number, number, number])[]) {
  const lists = new Map<string, EntityValues[]>([
    ['subLogs', []],
    ['detailsLogs', []],
    ['provDetailsLogs', []],
  ])
  blocks.forEach((counts, index) => {
    let logIndex = 0
    ;[...lists.values()].forEach((list, kind) => {
      for (let times = 0; times < (counts[kind] ?? 0); times++) {
        const transactionHash = keccak256(numberToHex(100 * index + Math.floor(logIndex / 3), { size: 4 }))
        list.push(row(index + 1, transactionHash, logIndex))
        logIndex += 1
      }
    })
  })
  return { block: { ...AT, timestamp: 0 }, lists, numbers: new Map([[AT.hash, HEAD]]) }
}

function row(blockNumber: number, transactionHash: Hex, logIndex: number): EntityValues {
  const texts = { description: '', company: '', url: '', domain: '', email: '', misc: '' }
  return {
    ...texts,
    id: entityId(transactionHash, logIndex),
    internal_id: transactionHash,
    provider: zeroAddress,
    subscriber: zeroAddress,
    token: zeroAddress,
    timestamp: '0',
    amount: '0',
    subScriptEvent: 0,
    blockNumber: `${blockNumber}`,
    blockTimestamp: '0',
    transactionHash,
  }
}

test(
  'gives each row once and in order, wherever pages end',
  async () => {
    const property = fc.asyncProperty(chain, fc.integer({ min: 1, max: 9 }), async (blocks, pageSize) => {
      const state = indexed(blocks)
      const client: ConstructorParameters<typeof SubgraphReader>[0] = {
        async ask(query, variables, data) {
          const answer = await answerQuestion({ query, variables: { ...variables } }, state)
          if (answer.errors !== undefined) throw new Error(JSON.stringify(answer.errors))
          return data.parse(answer.data)
        },
        indexingErrors: () => new SourceError('there are none'),
      }
      const reader = new SubgraphReader(client, 1, pageSize)
      const places: string[] = []
      for (let from = 1; from <= HEAD; ) {
        const { to, events } = await reader.read(from, AT, signal)
        expect(to).toBeGreaterThanOrEqual(from)
        for (const { blockNumber, logIndex } of events) {
          expect(blockNumber).toBeGreaterThanOrEqual(from)
          expect(blockNumber).toBeLessThanOrEqual(to)
          places.push(`${blockNumber}/${logIndex}`)
        }
        from = to + 1
      }
      const all = blocks.flatMap((counts, index) =>
        Array.from({ length: counts[0] + counts[1] + counts[2] }, (_, log) => `${index + 1}/${log}`),
      )
      expect(places).toEqual(all)
    })
    await fc.assert(property, { numRuns: trials({ short: 15, nightly: 600 }) })
  },
  trialsTimeoutMs(30_000),
)
