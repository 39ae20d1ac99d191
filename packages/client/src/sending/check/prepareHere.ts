import { type Abi, type Account, type Address, decodeFunctionData, erc20Abi, type Hex } from 'viem'
import { BlockNotSeenError, UpstreamError } from '../../errors/RemitError.ts'
import { subscriptionsAbi } from '../../generated/abi.ts'
import type { Api, Eip5792, UnsignedTransaction } from '../../generated/api.ts'
import type { OwnWrites } from '../../request/freshCaller.ts'
import { ChainReads } from '../ChainReads.ts'
import { ChainReadError, UnsafeTransactionError } from '../errors.ts'
import type { Conclusion, PreparedBatch, RequestedFlow } from '../send/FlowDefinition.ts'
import type { SignedPermits } from '../signed/SignedPermits.ts'
import { assertOnChain, type SendOptions, stepOptions, type Wallet } from '../wallet/Wallet.ts'
import { assertAsShown } from './assertAsShown.ts'
import type { Budget } from './Budget.ts'

/** What all flows of one client share. */
export interface Sender {
  /** Answers `readiness` and `prepare` of a flow. For `send` it is asked only where the contract is, if the caller trusts it with that. */
  readonly api: Api
  readonly contracts?: Readonly<Record<number, Address>> | undefined
  readonly trustServiceForContracts?: boolean | undefined
  readonly ownWrites: OwnWrites
  readonly signedPermits: SignedPermits
  /** What its wallets may be committed to; `undefined` for no limit. */
  readonly budget: Budget | undefined
}

/** Who signs, where, and how. */
export interface Signing {
  readonly wallet: Wallet
  readonly account: Account
  readonly chainId: number
  /** The protocol's, on this chain. */
  readonly contract: Address
  /** The operations at the node that the wallet reads by. */
  readonly here: Api
  readonly options: SendOptions
}

/** An answer of the wallet's own node, whose failures become ChainReadError. */
export function atOwnNode<Answer>(answer: Promise<Answer>): Promise<Answer> {
  return answer.catch((error: unknown) => {
    const isOfNode = error instanceof UpstreamError || error instanceof BlockNotSeenError
    throw isOfNode ? new ChainReadError('What is to be signed', error) : error
  })
}

/** A transaction that may be signed. It sends no ether. */
export interface OwnCall {
  readonly functionName: string
  readonly to: Address
  readonly data: Hex
}

/** EIP-5792's, as far as any are used here: whom the wallet may ask to pay the network's fee. */
export type Capabilities = Eip5792['capabilities']

/** What may be signed. */
export interface Ready<Result> {
  readonly reads: ChainReads
  /** None where nothing is left to send. */
  readonly calls: readonly OwnCall[]
  /** What a wallet that has `wallet_sendCalls` is told beside the calls. */
  readonly capabilities: Capabilities
  /** Unix time, by the chain's clock, of the end of the day that the charge is for. */
  readonly validUntil: number
  readonly conclusion: Conclusion<Result>
}

/**
 * Prepares a flow at the wallet's own node. What is signed is what comes of it, whatever anybody else has prepared.
 * @param shown what the caller has had prepared and looked at before: it has to come to the same transactions
 * @throws UnsafeTransactionError, PreparedExpiredError where that day has ended; and whatever preparing throws
 */
export async function prepareHere<Prepared extends PreparedBatch, Result, Told>(
  { ownWrites }: Pick<Sender, 'ownWrites'>,
  requested: RequestedFlow<Prepared, Result, Told>,
  { wallet, account, chainId, contract, here, options }: Signing,
  shown?: Prepared,
): Promise<Ready<Result>> {
  const { publicClient, onProgress } = options
  const reads = new ChainReads(publicClient ?? wallet, contract)
  if (publicClient !== undefined) await reads.assertChain(chainId)
  const definition = requested.on(here, chainId)
  const prepared = await atOwnNode(definition.prepare(account.address, stepOptions(options)))
  const { unsignedTransactions = [], validUntil, warnings } = prepared
  onProgress?.({ kind: 'prepared', step: 0, of: unsignedTransactions.length, warnings })
  await assertOnChain(wallet, chainId)
  if (shown !== undefined) {
    // If it is refused, what is prepared next to be shown is of this block or a later one.
    ownWrites.note(chainId, prepared.asOf.blockNumber)
    assertAsShown(shown, prepared)
  }
  // Such as a permit that somebody has carried already: there is nothing to sign, and that is a success.
  const isDone = definition.isDone?.(prepared) === true
  const calls = unsignedTransactions.map((call) => ownCall(call, definition.abi))
  if (!isDone && (calls.length === 0 || validUntil === undefined)) {
    throw new UnsafeTransactionError('nothing was prepared that could be signed')
  }
  for (const { data } of calls) assertWithin(approvalIn(data)?.amount ?? 0n, options)
  const conclusion = await definition.conclusion({ account: account.address, contract, reads }, prepared)
  const functions = calls.map(({ functionName }) => functionName)
  onProgress?.({ kind: 'checked', step: 0, of: calls.length, functions })
  return {
    reads,
    calls,
    capabilities: prepared.eip5792?.capabilities,
    validUntil: validUntil ?? 0,
    conclusion,
  }
}

/** @param more the ABI of what the flow calls beside the protocol's contract and ERC-20 */
function ownCall({ to, data }: UnsignedTransaction, more: Abi = []): OwnCall {
  return {
    functionName: decodeFunctionData({ abi: [...subscriptionsAbi, ...erc20Abi, ...more], data }).functionName,
    to,
    data,
  }
}

/** Throws UnsafeTransactionError for more than the caller lets be approved. */
export function assertWithin(amount: bigint, { maxApproval }: Pick<SendOptions, 'maxApproval'>): void {
  if (maxApproval === undefined || amount <= maxApproval) return
  throw new UnsafeTransactionError(
    `it takes an approval of ${amount}, and ${maxApproval} is the most allowed`,
  )
}

/** What an approval allows whom; `undefined` for another call. */
export function approvalIn(data: Hex): { readonly spender: Address; readonly amount: bigint } | undefined {
  try {
    const { functionName, args } = decodeFunctionData({ abi: erc20Abi, data })
    return functionName === 'approve' ? { spender: args[0], amount: args[1] } : undefined
  } catch {
    return undefined
  }
}
