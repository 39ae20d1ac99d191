import type { ListProviderPaymentsAnswer } from '@remit/client'
import { disarmCell } from '@remit/protocol/disarmCell'

type Payment = ListProviderPaymentsAnswer['payments'][number]

const COLUMNS: readonly (readonly [string, (row: Payment) => string | number])[] = [
  ['time', ({ formattedTimestamp }) => formattedTimestamp.toISOString()],
  ['day', ({ day }) => day.date],
  ['kind', ({ kind }) => kind],
  ['plan', ({ subscriptionId }) => subscriptionId],
  ['subscriber', ({ subscriber }) => subscriber],
  ['token', ({ token }) => token.address],
  ['symbol', ({ token }) => token.symbol ?? ''],
  ['charged', ({ charged }) => charged.amount],
  ['toProvider', ({ toProvider }) => toProvider.amount],
  ['toFeeBalance', ({ toFeeBalance }) => toFeeBalance.amount],
  ['toSubscriber', ({ toSubscriber }) => toSubscriber.amount],
  ['callerFee', ({ callerFee }) => callerFee.amount],
  ['systemShare', ({ systemShare }) => systemShare.amount],
  ['transaction', ({ transactionHash }) => transactionHash],
  ['logIndex', ({ logIndex }) => logIndex],
]

/** Payments as a table for spreadsheets. */
export function paymentsCsv(rows: readonly Payment[]): string {
  const lines = rows.map((row) => COLUMNS.map(([, read]) => cell(String(read(row)))).join(','))
  return `${[COLUMNS.map(([name]) => name).join(','), ...lines].join('\r\n')}\r\n`
}

/** As in the API's own CSV, a stranger's symbol stays text. */
function cell(text: string): string {
  const plain = disarmCell(text)
  return /[",;\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}
