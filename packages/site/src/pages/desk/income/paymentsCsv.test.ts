import { parse } from 'csv-parse/sync'
import { expect, it } from 'vitest'
import { churnWords } from './numbers.ts'
import { paymentsCsv } from './paymentsCsv.ts'

type Payment = Parameters<typeof paymentsCsv>[0][number]

const address = `0x${'11'.repeat(20)}` as const
const hash = `0x${'22'.repeat(32)}` as const
const nothing = { amount: '0', amountRaw: 0n, tokenDecimals: 6 }

const paymentIn = (symbol: string): Payment => ({
  kind: 'period',
  subscriptionId: hash,
  provider: address,
  subscriber: address,
  token: { address, symbol, name: null, decimals: 6 },
  day: { dayNumber: 20_000, date: '2024-10-04' },
  charged: { amount: '10.5', amountRaw: 10_500_000n, tokenDecimals: 6 },
  toProvider: nothing,
  toFeeBalance: nothing,
  toSubscriber: nothing,
  callerFee: nothing,
  systemShare: nothing,
  dropReason: null,
  timestamp: 1_728_000_000,
  formattedTimestamp: new Date(1_728_000_000_000),
  blockNumber: 1,
  transactionHash: hash,
  logIndex: 0,
  finalized: true,
  lastLogIndex: 0,
  tokenCheck: { check: 'agrees', checkedAtBlock: 1 },
  cursor: 'next',
})

it.each([
  ['USDC', 'USDC'],
  ['=1+1', "'=1+1"],
  ['＝1+1', "'＝1+1"],
  ['＠x', "'＠x"],
  ['A;=1+1', "A;'=1+1"],
  ['A";"=1', 'A";\'"=1'],
])(
  'writes the symbol %j so that no spreadsheet runs it, at whatever it splits columns',
  (symbol, written) => {
    const csv = paymentsCsv([paymentIn(symbol)])
    const [, row] = parse(csv, { columns: false })
    expect(row?.[6]).toBe(written)
    expect(row?.[7]).toBe('10.5')
    for (const column of csv.split(/[,;\t\r\n]/)) expect(column).not.toMatch(/^["\s]*[=+\-@＝＋－＠]/)
  },
)

/** @param numbers who were subscribed when the month began, who joined, left and was dropped in it */
const churn = ([before, joined, left, dropped]: readonly [number, number, number, number]) =>
  churnWords({
    churn: { voluntary: { ended: left, of: before }, involuntary: { ended: dropped, of: before } },
    subscribers: { new: joined, left, removed: 0, dropped, cancelled: 0, activeAtEnd: 0 },
  })

it.each([
  [[40, 0, 1, 1], '2 of 40 (5%)'],
  [[40, 10, 0, 0], '0 of 50 (0%)'],
  // All came and went within the month.
  [[0, 3, 2, 1], '3 of 3 (100%)'],
  [[2, 3, 4, 0], '4 of 5 (80%)'],
  // All were lost before it began.
  [[0, 0, 0, 0], 'nobody was subscribed'],
] as const)('who ended in a month is counted of all who were subscribed in it: %j', (numbers, words) => {
  expect(churn(numbers)).toBe(words)
})
