import type { Address } from 'viem'
import type { OwnCall } from '../../../sending/check/prepareHere.ts'
import type {
  ChargeAhead,
  Facts,
  Gain,
  KeeperChain,
  KeeperToken,
  NodeFees,
  RemitAhead,
  RemitsAhead,
} from '../ports/ports.ts'
import type { Bounds, Order } from './decideRemit.ts'
import { eth } from './describeWeighing.ts'
import { cappedFees, feeCeiling } from './fees.ts'
import { type Weighing, weighRemit } from './weighRemit.ts'

export type CarryDecision =
  | { readonly kind: 'send'; readonly order: Order; readonly weighing: Weighing }
  /** The remits to come drop nobody whom they would charge with it, or this keeper would not send them. */
  | { readonly kind: 'pointless' }
  /** They do, and a fee is not worth what carrying costs, or that is more than one call may cost. */
  | { readonly kind: 'dear' }
  /** The wallet holds too little for its gas and for that of those remits. */
  | { readonly kind: 'poor'; readonly message: string; readonly facts: Facts }

/**
 * Whether a permission is carried: where a remit that this keeper would send after the next midnight charges somebody with it whom it
 * drops without it, and one caller's fee of each such charge is worth more than carrying costs, by more than the least profit.
 *
 * The contract pays its caller for most drops as much as for a charge. So that fee is that of a later charge, which would never come.
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
  const { gasLimit } = ahead.with
  const usual = await chain.fees()
  const transaction = { chainId, ...call, nonce, gas: gasLimit, fees: usual }
  const [l1DataFeeWei, remitL1FeeWei] = await Promise.all([
    chain.l1DataFee(transaction),
    chain.l1DataFee({ ...transaction, ...bounds.call }),
  ])
  const { charges, costWei: remitsWei } = worthwhileOf(ahead.with.remits, { usual, remitL1FeeWei }, bounds)
  const gains = savedBy(
    ahead.without.remits.flatMap((remit) => remit.charges),
    charges,
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

/** What those do that this keeper would send: in their order, up to the first that is not worth it. */
function worthwhileOf(
  remits: readonly RemitAhead[],
  { usual, remitL1FeeWei }: { readonly usual: NodeFees; readonly remitL1FeeWei: bigint },
  { prices, minProfitWei, maxFeeWei }: Bounds,
): { readonly charges: readonly ChargeAhead[]; readonly costWei: bigint } {
  const charges: ChargeAhead[] = []
  let allWei = 0n
  for (const remit of remits) {
    const costWei = remit.gasLimit * usual.nextFeePerGas + remitL1FeeWei
    const { isWorthwhile } = weighRemit({ gains: remit.gains, prices, costWei, minProfitWei })
    if (!isWorthwhile || costWei > maxFeeWei) break
    charges.push(...remit.charges)
    allWei += costWei
  }
  return { charges, costWei: allWei }
}

/** The fees of those who are charged and would have been dropped, a token once. */
function savedBy(before: readonly ChargeAhead[], after: readonly ChargeAhead[]): Gain[] {
  const dropped = new Set(before.flatMap(({ key, fee }) => (fee === undefined ? [key] : [])))
  const saved = new Map<string, Gain>()
  for (const { key, fee } of after) {
    if (fee === undefined || fee.amountRaw === 0n || !dropped.has(key)) continue
    const { token } = fee
    const sum = saved.get(token.address)?.amountRaw ?? 0n
    saved.set(token.address, { token, amountRaw: sum + fee.amountRaw })
  }
  return [...saved.values()]
}
