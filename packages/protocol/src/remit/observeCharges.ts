import { type Address, getAddress, type Hex, isAddressEqual } from 'viem'
import { type DecodedLog, decodeLogs, type EncodedLog, type SubLog } from '../logs/events.ts'

/** One subscriber's charge, and what its transfers say that it moved. Raw units. */
export interface ObservedCharge {
  readonly id: Hex
  readonly subscriber: Address
  readonly token: Address
  readonly outcome: 'paid' | 'feeFill' | 'failed'
  /** `undefined` if the token does not log the transfer. Of a failed charge, the rest of its fee balance. */
  readonly toProvider: bigint | undefined
  /** `undefined` if the token does not log the transfer. */
  readonly toFeeBalance: bigint | undefined
  /** What left the wallet, a token's own fees included; 0 for a failed charge. `undefined` if the token does not log it. */
  readonly taken: bigint | undefined
}

type Draft = { -readonly [Field in keyof ObservedCharge]: ObservedCharge[Field] }
type Part = 'toProvider' | 'toFeeBalance'

/** The transfer that the contract makes right behind one of its logs. */
interface Step {
  readonly charge: Draft
  readonly part: Part
  readonly from: Address
  readonly to: Address
}

/**
 * Reads from the logs of one call of remit what each subscriber paid. The order of the logs decides which transfer belongs
 * to which charge (docs/protocol.md): those of a payment follow its log, and the refund of a failed one precedes it.
 *
 * Only the transfers between the two accounts of a step say where it went. A token that takes a fee logs others beside
 * them: `taken` counts those too that leave the payer.
 */
export function observeCharges(logs: readonly EncodedLog[], contract: Address): readonly ObservedCharge[] {
  return chargesIn(decodeLogs(logs, contract), contract)
}

/** The same of logs that are decoded already. */
export function chargesIn(events: readonly DecodedLog[], contract: Address): readonly ObservedCharge[] {
  const charges: Draft[] = []
  let dropped: Draft | undefined
  let step: Step | undefined
  for (const event of events) {
    if (event.type === 'Unknown' || event.type === 'Approval') continue
    if (event.type === 'Transfer') {
      const { log, from, to, amountRaw } = event
      if (step === undefined) continue
      const { charge: paying, part } = step
      if (isOf(step, { token: log.address, from, to })) paying[part] = (paying[part] ?? 0n) + amountRaw
      const isLeaving = isAddressEqual(from, paying.subscriber) && isAddressEqual(log.address, paying.token)
      if (isLeaving && paying.taken !== undefined) paying.taken += amountRaw
      continue
    }
    noteUnlogged(step)
    step = undefined
    if (event.type !== 'SubLog' || event.subscriber === undefined) continue
    const { provider, subscriber } = event
    const last = charges.at(-1)
    switch (event.eventName) {
      case 'SubscriberPaid':
        charges.push(charge(event, subscriber, { outcome: 'paid', toProvider: undefined }))
        break
      case 'FeeFilled': {
        const filled = charge(event, subscriber, { outcome: 'feeFill', toFeeBalance: undefined })
        charges.push(filled)
        step = { charge: filled, part: 'toFeeBalance', from: subscriber, to: contract }
        break
      }
      case 'ProviderPaid':
        if (last === undefined || last.outcome === 'failed' || !isSame(last, event)) break
        last.toProvider = undefined
        step = { charge: last, part: 'toProvider', from: subscriber, to: provider }
        break
      case 'ProviderRefunded':
        dropped = charge(event, subscriber, { outcome: 'failed', toProvider: undefined })
        step = { charge: dropped, part: 'toProvider', from: contract, to: provider }
        break
      case 'Failed': {
        const isRefunded = dropped !== undefined && isSame(dropped, event)
        charges.push(isRefunded && dropped ? dropped : charge(event, subscriber, { outcome: 'failed' }))
        dropped = undefined
      }
    }
  }
  noteUnlogged(step)
  return charges
}

/** Notes that the amount that left the wallet is unknown, where the token did not log what the contract made it transfer. */
function noteUnlogged(step: Step | undefined): void {
  if (step === undefined || step.charge.outcome === 'failed') return
  if (step.charge[step.part] === undefined) step.charge.taken = undefined
}

/** A charge that moves nothing but the given amounts. */
function charge(
  { id, token }: SubLog,
  subscriber: Address,
  said: Pick<ObservedCharge, 'outcome'> & Partial<Pick<ObservedCharge, Part>>,
): Draft {
  return { id, subscriber, token: getAddress(token), toProvider: 0n, toFeeBalance: 0n, taken: 0n, ...said }
}

function isOf(step: Step, moved: { readonly token: Address; readonly from: Address; readonly to: Address }) {
  return (
    isAddressEqual(moved.token, step.charge.token) &&
    isAddressEqual(moved.from, step.from) &&
    isAddressEqual(moved.to, step.to)
  )
}

function isSame({ id, subscriber }: Draft, event: SubLog): boolean {
  return id === event.id && event.subscriber !== undefined && isAddressEqual(subscriber, event.subscriber)
}
