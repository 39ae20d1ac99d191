import { type Address, getAddress, type Hex, isAddressEqual } from 'viem'
import { decodeLogs, type EncodedLog, type SubLog } from '../logs/events.ts'

/** One subscriber's charge, and what its transfers say that it moved. Raw units. */
export interface ObservedCharge {
  readonly id: Hex
  readonly subscriber: Address
  readonly token: Address
  readonly outcome: 'paid' | 'feeFill' | 'failed'
  /** `undefined` if the token logs no transfers. Of a failed charge, the rest of its fee balance. */
  readonly toProvider: bigint | undefined
  /** `undefined` if the token logs no transfers. */
  readonly toFeeBalance: bigint | undefined
}

interface Open {
  readonly event: SubLog & { readonly subscriber: Address }
  readonly outcome: 'paid' | 'feeFill'
  toProvider: bigint
  toFeeBalance: bigint
  isMoved: boolean
}

/**
 * Reads from the logs of one call of remit what each subscriber paid. The order of the logs decides which transfer belongs
 * to which charge (docs/protocol.md): those of a payment follow its log, and the refund of a failed one precedes it.
 */
export function observeCharges(logs: readonly EncodedLog[], contract: Address): readonly ObservedCharge[] {
  const charges: ObservedCharge[] = []
  let open: Open | undefined
  let refund: { readonly log: SubLog; amountRaw: bigint | undefined } | undefined
  const close = () => {
    if (open === undefined) return
    const { event, outcome, toProvider, toFeeBalance, isMoved } = open
    const { id, subscriber } = event
    const moved = isMoved ? { toProvider, toFeeBalance } : { toProvider: undefined, toFeeBalance: undefined }
    charges.push({ id, subscriber, token: getAddress(event.token), outcome, ...moved })
    open = undefined
  }
  for (const event of decodeLogs(logs, contract)) {
    if (event.type === 'Transfer') {
      if (open !== undefined && isAddressEqual(event.from, open.event.subscriber)) {
        open.isMoved = true
        if (isAddressEqual(event.to, contract)) open.toFeeBalance += event.amountRaw
        else open.toProvider += event.amountRaw
      } else if (refund !== undefined && isAddressEqual(event.from, contract)) {
        refund.amountRaw ??= event.amountRaw
      }
      continue
    }
    if (event.type !== 'SubLog' || event.subscriber === undefined) continue
    const { subscriber, eventName } = event
    if (eventName === 'SubscriberPaid' || eventName === 'FeeFilled') {
      close()
      const outcome = eventName === 'FeeFilled' ? 'feeFill' : 'paid'
      open = { event: { ...event, subscriber }, outcome, toProvider: 0n, toFeeBalance: 0n, isMoved: false }
    } else if (eventName === 'ProviderRefunded') {
      close()
      refund = { log: event, amountRaw: undefined }
    } else if (eventName === 'Failed') {
      close()
      const isRefunded = refund !== undefined && refund.log.id === event.id
      const toProvider = isRefunded ? refund?.amountRaw : 0n
      charges.push({
        id: event.id,
        subscriber,
        token: getAddress(event.token),
        outcome: 'failed',
        toProvider,
        toFeeBalance: 0n,
      })
      refund = undefined
    }
  }
  close()
  return charges
}
