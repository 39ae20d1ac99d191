import type { ListProviderPaymentsAnswer } from '@remit/client'
import { formatHuman } from '@remit/protocol/amounts'
import { receiptAddress } from '../../../plan/receiptLink.ts'
import type { CsvColumn } from '../../../spreadsheet/csv.ts'
import { dueDate } from '../../../spreadsheet/dueDate.ts'
import { feeOf } from '../../../spreadsheet/feeOf.ts'
import { finalWord } from '../../../spreadsheet/finalWord.ts'
import { CLEANED_UP, ENDINGS } from '../../../words/endings.ts'
import { FILLS_RESERVE } from '../../../words/money.ts'
import { firstWords } from '../../../words/planName.ts'

type Payment = ListProviderPaymentsAnswer['payments'][number]

/** What each kind of payment is, in the table and in the file. */
export const KIND_WORDS: Readonly<Record<string, string>> = {
  firstCharge: 'First payment',
  period: 'Payment',
  feeFill: FILLS_RESERVE,
  ...ENDINGS,
  cleanedUp: CLEANED_UP,
}

/**
 * The file of payments, for books. "paid" is "came in" plus "into reserve". The fee is no part of the payment: it comes out
 * of the member's reserve, as its title says.
 */
export const PAYMENT_COLUMNS: readonly CsvColumn<Payment>[] = [
  // Spreadsheets read this as a date, and the time below as a text.
  ['date', ({ formattedTimestamp }) => formattedTimestamp.toISOString().slice(0, 10)],
  ['time', ({ formattedTimestamp }) => formattedTimestamp.toISOString()],
  ['due day', dueDate],
  ['what', ({ kind }) => KIND_WORDS[kind] ?? kind],
  ['plan', ({ description }) => firstWords(description ?? '') ?? ''],
  ['plan id', ({ subscriptionId }) => subscriptionId],
  ['member', ({ subscriber }) => subscriber],
  ['currency', ({ token }) => token.symbol ?? ''],
  ['paid', ({ charged }) => charged.amount],
  ['came in', ({ toProvider }) => toProvider.amount],
  ['into reserve', ({ toFeeBalance }) => toFeeBalance.amount],
  ['back to member', ({ toSubscriber }) => toSubscriber.amount],
  ['fee out of reserve', ({ token, ...payment }) => formatHuman(feeOf(payment), token.decimals)],
  ['token', ({ token }) => token.address],
  ['transaction', ({ transactionHash }) => transactionHash],
  ['log', ({ logIndex }) => logIndex],
  ['final', finalWord],
  ['receipt', receiptAddress],
]
