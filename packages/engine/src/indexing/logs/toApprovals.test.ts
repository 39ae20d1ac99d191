import { encodeLog } from '@remit/testing/support/models/encodeLog'
import { getAddress, type Hex, maxUint256, pad } from 'viem'
import { expect, it } from 'vitest'
import type { NodeLog } from '../../ports/nodes.ts'
import { toApprovals } from './decodeLogs.ts'

const contract = getAddress(`0x${'c1'.repeat(20)}`)
const token = getAddress(`0x${'a7'.repeat(20)}`)
const other = getAddress(`0x${'a8'.repeat(20)}`)
const owner = getAddress(`0x${'b1'.repeat(20)}`)

const hash = (digits: string): Hex => pad(`0x${digits}`)
const place = (logIndex: number, transaction: string) => ({
  ...{ blockNumber: 5, blockHash: hash('05'), transactionHash: hash(transaction), logIndex },
})
const approval = (
  logIndex: number,
  value: bigint,
  { of = token, spender = contract, by = 'aa' } = {},
): NodeLog => ({
  ...encodeLog(of, 'Approval', { owner, spender, value }),
  ...place(logIndex, by),
})

it('keeps what stands after each transaction, of each token, and leaves out what is none', () => {
  const undecodable: NodeLog = { ...approval(6, 1n), data: '0x' }
  const logs = [
    approval(1, 100n),
    approval(2, 7n, { of: other }),
    approval(3, 0n),
    approval(4, 50n, { by: 'ab' }),
    approval(5, 9n, { spender: owner, by: 'ac' }),
    undecodable,
    approval(7, maxUint256, { by: 'ad' }),
  ]
  expect(
    toApprovals(logs, contract).map(({ logIndex, token: of, amountRaw }) => [logIndex, of, amountRaw]),
  ).toEqual([
    [2, other, 7n],
    [3, token, 0n],
    [4, token, 50n],
    [7, token, maxUint256],
  ])
})
