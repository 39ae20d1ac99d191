import { concatHex, type Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import { encodeReceipt } from './proofParts.ts'

const NO_BLOOM: Hex = `0x${'00'.repeat(256)}`
type Receipt = Parameters<typeof encodeReceipt>[0]
const plain: Receipt = {
  type: 0,
  status: '0x01',
  cumulativeGasUsed: '0xb741',
  logsBloom: NO_BLOOM,
  logs: [],
}
/** What every receipt below begins with: status 1, 46,913 gas, a bloom of 256 bytes. */
const BODY = concatHex(['0x0182b741b90100', NO_BLOOM])

// The figures of the deposit are those that clients of the OP stack test their own encoding by.
describe('a receipt as its trie holds it', () => {
  it.each<[string, Receipt, readonly Hex[]]>([
    ['without a type', plain, ['0xf90108', BODY, '0xc0']],
    ...([1, 2, 3, 4] as const).map((type): [string, Receipt, readonly Hex[]] => [
      `of type ${type}`,
      { ...plain, type },
      [`0x0${type}`, '0xf90108', BODY, '0xc0'],
    ]),
    [
      'of a deposit, with its nonce and version',
      { ...plain, type: 0x7e, depositNonce: '0x3d3bbf', depositReceiptVersion: '0x01' },
      ['0x7ef9010d', BODY, '0xc0833d3bbf01'],
    ],
    [
      'of a deposit before receipts had a version, whose nonce is told and not hashed',
      { ...plain, type: 0x7e, depositNonce: '0x3d3bbf' },
      ['0x7ef90108', BODY, '0xc0'],
    ],
    [
      'of a transaction that failed',
      { ...plain, status: '0x' },
      ['0xf90108', '0x8082b741b90100', NO_BLOOM, '0xc0'],
    ],
  ])('%s', (_, receipt, parts) => {
    expect(encodeReceipt(receipt)).toBe(concatHex(parts))
  })
})
