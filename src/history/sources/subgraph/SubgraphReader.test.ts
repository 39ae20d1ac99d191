import type { Hex } from 'viem'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { SubgraphReader } from './SubgraphReader.ts'

const word = (number: number): Hex => `0x${number.toString(16).padStart(64, '0')}`
const _meta = {
  block: { number: 100, hash: word(100) },
  hasIndexingErrors: false,
  deployment: 'Qm',
}

it('gives a block up whose rows have no end', async () => {
  let rows = 0
  const row = () => {
    rows += 1
    const [transactionHash, caller] = [word(rows), `0x${'c1'.repeat(20)}`]
    const place = { id: `${transactionHash}00000000`, blockNumber: '50', transactionHash }
    return { ...place, timestamp: '1', checkedDay: '1', caller, isFinished: true }
  }
  const client: ConstructorParameters<typeof SubgraphReader>[0] = {
    indexingErrors: () => {
      throw new Error('it reports none')
    },
    async ask(query, { first }, data) {
      const page = Array.from({ length: z.number().parse(first) }, row)
      const others = { subLogs: [], detailsLogs: [], provDetailsLogs: [] }
      return data.parse({
        _meta,
        ...(query.startsWith('query Events') ? { ...others, callerLogs: page } : { rows: page }),
      })
    },
  }
  await expect(
    new SubgraphReader(client, 1).read(50, _meta.block, new AbortController().signal),
  ).rejects.toThrow(/more rows of one block than a block can hold/)
  expect(rows).toBeLessThan(60_000)
})
