import { useSignal } from '@preact/signals'
import type { GetPaymentAnswer } from '@remit/client'
import { useEffect } from 'preact/hooks'
import { api } from '../page/api.ts'

type Payment = GetPaymentAnswer['payment']
type Place = Pick<Payment, 'transactionHash' | 'logIndex'>

/** The most that are read unasked: each is a request. */
const MOST_READ = 12

/** The key of a payment among receipts: the place of its log. */
export function placeOf({ transactionHash, logIndex }: Place): string {
  return `${transactionHash}/${logIndex}`
}

/**
 * The receipts of payments, by `placeOf`, for what no list says. They are read one after the other, and each is there as soon as it is
 * read; a limit that is reached is waited for. A failure ends the reading: the rows link to their receipts in any case.
 * @param most how many are read
 */
export function useReceipts(wanted: readonly Place[], most = MOST_READ): ReadonlyMap<string, Payment> {
  const known = useSignal<ReadonlyMap<string, Payment>>(new Map())
  const places = wanted.slice(0, most)
  useEffect(() => {
    let isShown = true
    const read = async () => {
      for (const place of places) {
        if (!isShown) return
        if (known.peek().has(placeOf(place))) continue
        const { transactionHash: txHash, logIndex } = place
        const { payment } = await api.getPayment({ txHash, logIndex })
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
