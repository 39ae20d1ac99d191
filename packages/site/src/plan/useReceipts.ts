import { useSignal } from '@preact/signals'
import type { GetPaymentAnswer } from '@remit/client'
import { useEffect } from 'preact/hooks'
import { promptApi } from '../page/api.ts'

type Payment = GetPaymentAnswer['payment']
type Place = Pick<Payment, 'transactionHash' | 'logIndex'>

/** The most that are read for one page: each is a request. */
const MOST_READ = 12

/** The key of a payment among receipts: the place of its log. */
export function placeOf({ transactionHash, logIndex }: Place): string {
  return `${transactionHash}/${logIndex}`
}

/**
 * The receipts of payments, by `placeOf`, for what no list says. The first twelve are read one after the other, and each is
 * there as soon as it is read. A failure ends the reading: the rows link to their receipts in any case.
 */
export function useReceipts(wanted: readonly Place[]): ReadonlyMap<string, Payment> {
  const known = useSignal<ReadonlyMap<string, Payment>>(new Map())
  const places = wanted.slice(0, MOST_READ)
  useEffect(() => {
    let isShown = true
    const read = async () => {
      for (const place of places) {
        if (!isShown) return
        if (known.peek().has(placeOf(place))) continue
        const { transactionHash: txHash, logIndex } = place
        const { payment } = await promptApi.getPayment({ txHash, logIndex })
        known.value = new Map([...known.peek(), [placeOf(place), payment]])
      }
    }
    read().catch(() => {})
    return () => {
      isShown = false
    }
  }, [places.map(placeOf).join(' ')])
  return known.value
}
