import { type Address, decodeErrorResult, type EstimateGasParameters, type Hash, type Hex } from 'viem'
import { estimateGas } from 'viem/actions'
import type { RevertReason } from '../../errors/RemitError.ts'
import { protocolReverts } from '../../generated/reverts.ts'
import type { OwnCall } from '../check/prepareHere.ts'
import { ChainReadError, WouldRevertError } from '../errors.ts'
import type { Reader } from '../wallet/Wallet.ts'
import { isRevert, revertData } from '../wallet/walletErrors.ts'

/** On which state a call is tried: `latest`, or `pending`, after what waits to be mined. By default it is the node's own choice. */
export type LookBlock = 'latest' | 'pending'

/**
 * Runs a call on the wallet's own node and returns the gas limit for it. Throws WouldRevertError: the service has
 * simulated the call for an earlier block, and the approval before it may have been changed in the wallet.
 *
 * The limit is the node's estimate and a fifth more, because a call that runs out of gas still costs its fee, and remit
 * needs more gas for every subscriber that joins meanwhile. The service's estimates are never used.
 */
export async function lastLook(
  reader: Reader,
  account: Address,
  call: OwnCall,
  block?: LookBlock,
): Promise<bigint> {
  const { functionName, to, data } = call
  try {
    const own = await estimate(reader, { account, to, data, value: 0n }, block)
    return own + own / 5n
  } catch (error) {
    if (!isRevert(error)) throw new ChainReadError(`Whether ${functionName} goes through`, error)
    throw new WouldRevertError(functionName, reasonOf(revertData(error)), error)
  }
}

async function estimate(
  reader: Reader,
  request: Pick<EstimateGasParameters, 'account' | 'to' | 'data' | 'value'>,
  block: LookBlock | undefined,
): Promise<bigint> {
  if (block === undefined) return estimateGas(reader, request)
  try {
    return await estimateGas(reader, { ...request, blockTag: block })
  } catch (error) {
    // Some nodes have no pending block to try it on.
    if (block === 'latest' || isRevert(error)) throw error
    return estimateGas(reader, { ...request, blockTag: 'latest' })
  }
}

/** The contract's revert string with its meaning, or as much as can be read. */
function reasonOf(data: Hex | undefined): RevertReason {
  const text = data === undefined ? undefined : revertText(data)
  const known = protocolReverts.find(({ protocolCode }) => protocolCode === text)
  if (known !== undefined) return { ...known, data: undefined }
  const message = text === undefined ? 'the reason cannot be read.' : `it reverts with "${text}".`
  return { protocolCode: undefined, name: 'ERROR', message, data }
}

function revertText(data: Hex): string | undefined {
  try {
    const { errorName, args } = decodeErrorResult({ abi: [], data })
    return errorName === 'Error' ? String(args?.[0]) : `${errorName}(${(args ?? []).map(String).join(', ')})`
  } catch {
    return undefined
  }
}

/** What a transaction offers for a unit of gas, in wei. */
export interface Fees {
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/**
 * Gas, fees and nonce where the program that holds the key decides on them, as the keeper does, and what it does while nobody mines the
 * transaction. Without it they are the node's.
 */
export interface Pricing {
  readonly nonce: number
  readonly gas: bigint
  readonly fees: Fees
  /** The block on which the call is tried before it is signed. */
  readonly lookAt: LookBlock
  /** `raise` is asked when the transaction was sent so long ago and is not mined. */
  readonly raiseAfterMs: number
  /**
   * Higher fees for a transaction that takes its place, with the same nonce. `undefined` leaves the fees as they are:
   * the same transaction is then sent once more, since the node may have dropped it.
   */
  raise(sent: Fees): Promise<Fees | undefined>
  /** How often to look for the transaction that used the nonce before giving up. */
  readonly mostLooksAfterNonce: number
  onEvent(event: PricingEvent): void
}

/** What happens to a transaction while it is waited for. */
export type PricingEvent =
  /** It was signed again with higher fees; this is its new hash. */
  | { readonly kind: 'raised'; readonly hash: Hash; readonly fees: Fees }
  /** The node does not take this version of it. An earlier one may still be mined. */
  | { readonly kind: 'refused'; readonly hash: Hash; readonly error: unknown }
  /** The node stopped answering. It is asked again, and further failures in a row are not told. */
  | { readonly kind: 'fault'; readonly error: unknown }
