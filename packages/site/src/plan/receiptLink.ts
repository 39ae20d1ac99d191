import type { GetPaymentAnswer } from '@remit/client'
import { linkTo } from '../page/api.ts'

type Place = Pick<GetPaymentAnswer['payment'], 'transactionHash' | 'logIndex'>

/** The receipt of a payment: any of its logs leads there, and `logIndex` of a payment is its own address. */
export function receiptLink({ transactionHash, logIndex }: Place): string {
  return linkTo(`/receipts/${transactionHash}/${logIndex}`)
}

/** The same with the site before it, as paper and files have it. */
export function receiptAddress(place: Place): string {
  return `${location.origin}${receiptLink(place)}`
}
