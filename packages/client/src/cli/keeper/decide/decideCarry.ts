import type { Address } from 'viem'
import type { OwnCall } from '../../../sending/check/prepareHere.ts'
import type {
  Facts,
  Gain,
  KeeperChain,
  KeeperToken,
  NodeFees,
  RemitAhead,
  RemitOutcomeAhead,
  RemitsAhead,
} from '../ports.ts'
import type { Bounds, Order } from './decideRemit.ts'
import { cappedFees, eth, feeCeiling, type Weighing, weighRemit } from './weighRemit.ts'

export type CarryDecision =
  | { readonly kind: 'send'; readonly order: Order; readonly weighing: Weighing }
  /** It saves nobody. */
  | { readonly kind: 'pointless' }
  /** It saves somebody, for less than carrying costs, or carrying costs more than one call may. */
  | { readonly kind: 'dear' }
  /** It is worth it, and the wallet holds too little for its gas and for that of the remits after it. */
  | { readonly kind: 'poor'; readonly message: string; readonly facts: Facts }

/**
 * Whether the keeper's `Carrier` sends a member's signed permit ("permission").
 *
 * 1. It must save a subscriber: the remits after the next midnight drop the account without it, and charge it with it. With it, only
 *    remits count that this keeper would send; without it all count, because somebody else may send them.
 * 2. Its gain is one caller's fee for each of them. The contract pays its caller as much for most drops as for a charge, so the next
 *    remit itself brings no more; the fee is that of a later charge, which would never come without it.
 * 3. It is carried where the gain is worth more than carrying costs, by more than the least profit.
 * @param ahead those remits as they are, and as they are once `call` is mined
 */
export async function decideCarry(
  {
    call,
    ahead,
  }: {
    readonly call: OwnCall
    readonly ahead: { readonly without: RemitsAhead; readonly with: RemitsAhead }
  },
  nonce: number,
  bounds: Bounds,
  {
    chain,
    address,
    onUnpriced,
  }: {
    readonly chain: Pick<KeeperChain, 'fees' | 'l1DataFee' | 'balance'>
    readonly address: Address
    /** Told of each token that is paid and has no price. */
    readonly onUnpriced: (token: KeeperToken) => void
  },
): Promise<CarryDecision> {
  const { chainId, prices, minProfitWei, maxFeeWei } = bounds
  const { callGasLimit: gasLimit } = ahead.with
  const usual = await chain.fees()
  const transaction = { chainId, ...call, nonce, gas: gasLimit, fees: usual }
  const [l1DataFeeWei, remitL1FeeWei] = await Promise.all([
    chain.l1DataFee(transaction),
    chain.l1DataFee({ ...transaction, ...bounds.call }),
  ])
  const { outcomes, costWei: remitsWei } = worthwhileOf(ahead.with.remits, { usual, remitL1FeeWei }, bounds)
  const gains = savedBy(
    ahead.without.remits.flatMap((remit) => remit.outcomes),
    outcomes,
  )
  if (gains.length === 0) return { kind: 'pointless' }

  const costWei = gasLimit * usual.nextFeePerGas + l1DataFeeWei
  const weighing = weighRemit({ gains, prices, costWei, minProfitWei })
  for (const token of weighing.unpriced) onUnpriced(token)
  if (!weighing.isWorthwhile || costWei > maxFeeWei) return { kind: 'dear' }

  const { valueWei } = weighing
  const ceiling = feeCeiling({ valueWei, minProfitWei, maxFeeWei, gasLimit, l1DataFeeWei })
  const fees = cappedFees(usual, ceiling)
  const neededWei = gasLimit * fees.maxFeePerGas + l1DataFeeWei + remitsWei
  const balanceWei = await chain.balance()
  if (balanceWei < neededWei) {
    const message = `${address} holds ${eth(balanceWei)}, and carrying a permission with the remits after it needs up to ${eth(neededWei)} for gas: send it some.`
    return { kind: 'poor', message, facts: { balanceWei, neededWei } }
  }
  return { kind: 'send', order: { ...transaction, fees, ceiling, isReplacing: false }, weighing }
}

/** What the remits do that this keeper would send, in their order up to the first that is not worth it, and what they cost. */
function worthwhileOf(
  remits: readonly RemitAhead[],
  { usual, remitL1FeeWei }: { readonly usual: NodeFees; readonly remitL1FeeWei: bigint },
  { prices, minProfitWei, maxFeeWei }: Bounds,
): { readonly outcomes: readonly RemitOutcomeAhead[]; readonly costWei: bigint } {
  const outcomes: RemitOutcomeAhead[] = []
  let allWei = 0n
  for (const remit of remits) {
    const costWei = remit.gasLimit * usual.nextFeePerGas + remitL1FeeWei
    const { isWorthwhile } = weighRemit({ gains: remit.gains, prices, costWei, minProfitWei })
    if (!isWorthwhile || costWei > maxFeeWei) break
    outcomes.push(...remit.outcomes)
    allWei += costWei
  }
  return { outcomes, costWei: allWei }
}

/** The fees of those who are charged now and would have been dropped, added up by token. */
function savedBy(before: readonly RemitOutcomeAhead[], after: readonly RemitOutcomeAhead[]): Gain[] {
  const dropped = new Set(before.flatMap(({ key, kind }) => (kind === 'dropped' ? [key] : [])))
  const saved = new Map<string, Gain>()
  for (const outcome of after) {
    if (outcome.kind === 'dropped' || outcome.fee.amountRaw === 0n || !dropped.has(outcome.key)) continue
    const { fee } = outcome
    const { token } = fee
    const sum = saved.get(token.address)?.amountRaw ?? 0n
    saved.set(token.address, { token, amountRaw: sum + fee.amountRaw })
  }
  return [...saved.values()]
}
