import { join } from 'node:path'
import { Subscriptions } from '@remit/contracts/Subscriptions'
import { parseEventLogs } from 'viem'
import { describe, expect, test } from 'vitest'
import { useTestChain } from '../support/chain/useTestChain.ts'
import { findBuilt } from '../support/programs/installed.ts'
import { loadHandlers } from './compiledHandlers.ts'
import { ENTITY_TYPES } from './graphNode/answerQuestion.ts'
import { indexLogs } from './graphNode/indexLogs.ts'
import { tellStory } from './story.ts'

const WASM_FILE = join(import.meta.dirname, '../../subgraph/build/base/Subscriptions/Subscriptions.wasm')
const isBuilt =
  findBuilt('the compiled subgraph (`npm ci && npm run build` in subgraph/)', WASM_FILE) !== undefined

const chain = await useTestChain()
await tellStory(chain)
await chain.keep()

const SIGNATURES = new Map<string, readonly { readonly name: string; readonly type: string }[]>(
  Subscriptions.abi.flatMap((item) => (item.type === 'event' ? [[item.name, item.inputs]] : [])),
)

describe.skipIf(!isBuilt)('the compiled handlers', () => {
  test('save for each log what the test subgraph answers', async () => {
    const handle = loadHandlers(WASM_FILE)
    const { client, contract } = chain
    const head = await client.getBlockNumber()
    const { lists } = await indexLogs(client, contract, ENTITY_TYPES, head)
    const logs = parseEventLogs({
      abi: Subscriptions.abi,
      logs: await client.getLogs({ address: contract, fromBlock: 0n }),
    })

    for (const { name, list } of ENTITY_TYPES) {
      const ofThisKind = logs.filter(({ eventName }) => eventName === name)
      expect(ofThisKind.length, name).toBeGreaterThan(0)
      const saved = ofThisKind.map(async ({ args, transactionHash, logIndex, blockNumber }) => {
        const { timestamp } = await client.getBlock({ blockNumber })
        const values = new Map<string, unknown>(Object.entries(args))
        const inputs = SIGNATURES.get(name) ?? []
        const parameters = inputs.map((input) => ({ ...input, value: values.get(input.name) }))
        const event = { parameters, transactionHash, logIndex, blockNumber, blockTimestamp: timestamp }
        const [entity, ...others] = handle(`handle${name}`, event)
        expect(others).toEqual([])
        expect(entity?.type).toBe(name)
        return entity?.values
      })
      expect((await Promise.all(saved)).map(withoutNul)).toEqual(lists.get(list))
    }
  })

  test('make the id of the hash and the log index, the least significant byte first', () => {
    const handle = loadHandlers(WASM_FILE)
    const transactionHash = `0x${'ab'.repeat(32)}` as const
    const parameters = [
      { name: 'timestamp', type: 'uint40', value: 1_772_452_800 },
      { name: 'checkedDay', type: 'uint40', value: 20_514 },
      { name: 'caller', type: 'address', value: `0x${'cd'.repeat(20)}` },
      { name: 'isFinished', type: 'bool', value: true },
    ]
    const event = { parameters, transactionHash, logIndex: 0x0102, blockNumber: 7n, blockTimestamp: 8n }
    expect(handle('handleCallerLog', event)).toEqual([
      {
        type: 'CallerLog',
        values: {
          id: `${transactionHash}02010000`,
          timestamp: '1772452800',
          checkedDay: '20514',
          caller: `0x${'cd'.repeat(20)}`,
          isFinished: true,
          blockNumber: '7',
          blockTimestamp: '8',
          transactionHash,
        },
      },
    ])
  })
})

/** graph-node leaves these out when it stores a text. */
function withoutNul(values: Readonly<Record<string, unknown>> | undefined) {
  const plain = (value: unknown) => (typeof value === 'string' ? value.replaceAll('\0', '') : value)
  return Object.fromEntries(Object.entries(values ?? {}).map(([name, value]) => [name, plain(value)]))
}
