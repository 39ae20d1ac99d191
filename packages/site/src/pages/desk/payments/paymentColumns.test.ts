import type { ListProviderPaymentsAnswer } from '@remit/client'
import { usePageModules } from '@remit/testing/support/browser/usePageModules'
import { parse } from 'csv-parse/sync'
import { expect, it } from 'vitest'
import { csvOf } from '../../../spreadsheet/csv.ts'

usePageModules()
const columns = async () => (await import('./paymentColumns.ts')).PAYMENT_COLUMNS

type Payment = ListProviderPaymentsAnswer['payments'][number]

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
  description: null,
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
  async (symbol, written) => {
    const csv = csvOf(await columns(), [paymentIn(symbol)])
    const [, row] = parse(csv, { columns: false })
    expect(row?.[7]).toBe(written)
    expect(row?.[8]).toBe('10.5')
    for (const column of csv.split(/[,;\t\r\n]/)) expect(column).not.toMatch(/^["\s]*[=+\-@＝＋－＠]/)
  },
)

it('names the plan, has parts that add up to what was paid, and says of the fee what it comes out of', async () => {
  const [head, row] = parse(
    csvOf(await columns(), [
      {
        ...paymentIn('USDC'),
        description: 'Beans, weekly. From Ethiopia',
        toProvider: { ...nothing, amount: '7.875' },
        toFeeBalance: { ...nothing, amount: '2.625' },
        callerFee: { ...nothing, amountRaw: 200_000n },
        systemShare: { ...nothing, amountRaw: 10_000n },
      },
    ]),
    { columns: false },
  )
  const titles =
    'date,time,due day,what,plan,plan id,member,currency,paid,came in,into reserve,back to member,fee out of reserve,token,transaction,log,final,receipt'
  expect(head).toEqual(titles.split(','))
  expect(row?.slice(0, 3)).toEqual(['2024-10-04', '2024-10-04T00:00:00.000Z', '2024-10-04'])
  expect(row?.slice(-2)).toEqual(['yes', `http://localhost/receipts/${hash}/0`])
  expect(row?.[4]).toBe('Beans, weekly')
  expect(row?.slice(8, 13)).toEqual(['10.5', '7.875', '2.625', '0', '0.21'])
})
