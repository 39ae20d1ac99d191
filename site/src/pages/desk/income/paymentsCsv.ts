import type { ListProviderPaymentsAnswer } from '@remit/client'

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

/** A stranger's symbol must not become a formula: an apostrophe keeps it text, as in the API's own CSV. */
function cell(text: string): string {
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}
