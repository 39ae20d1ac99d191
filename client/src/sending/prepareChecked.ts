import type { Account, Address } from 'viem'
import type { Api } from '../generated/api.ts'
import type { OwnWrites } from '../request/OwnWrites.ts'
import { bringToChain } from './account.ts'
import { ChainReads } from './ChainReads.ts'
import { type CheckedCall, checkPrepared, type PreparedBatch } from './checkPrepared.ts'
import { UnsafeTransactionError } from './errors.ts'
import { findContract } from './findContract.ts'
import type { Expected, Plan } from './Plan.ts'
import { stepOptions } from './stepOptions.ts'
import type { SendOptions, Wallet } from './Wallet.ts'

/** What flows are sent with. */
export interface Sender {
  readonly api: Api
  readonly contracts?: Readonly<Record<number, Address>> | undefined
  readonly ownWrites: OwnWrites
}

/** What may be signed, and how it is to be read afterwards. */
export interface Ready<Result> {
  readonly chainId: number
  readonly contract: Address
  readonly reads: ChainReads
  readonly calls: readonly CheckedCall[]
  readonly expected: Expected<Result>
  /** Unix time by the chain's clock from which on another day's charge holds. */
  readonly validUntil: number
}

/** Prepares a flow and checks all that was prepared; once more where the day has ended in between. Throws UnsafeTransactionError. */
export async function prepareChecked<Prepared extends PreparedBatch, Result, Told>(
  sender: Sender,
  plan: Plan<Prepared, Result, Told>,
  wallet: Wallet,
  account: Account,
  options: SendOptions,
): Promise<Ready<Result>> {
  const { onProgress, switchChain = false, publicClient, maxApproval } = options
  if (plan.chainId !== undefined) await bringToChain(wallet, plan.chainId, switchChain)
  const reader = publicClient ?? wallet
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    const prepared = await plan.prepare(account.address, stepOptions(options))
    const of = prepared.unsignedTransactions?.length ?? 0
    onProgress?.({ kind: 'prepared', step: 0, of, warnings: prepared.warnings })
    const chainId = plan.chainId ?? prepared.chainId
    await bringToChain(wallet, chainId, switchChain)
    const contract = await contractOn(sender, chainId)
    const reads = new ChainReads(reader, contract)
    if (publicClient !== undefined) await reads.assertChain(chainId)

    const standing = { account: account.address, contract, reads, maxApproval }
    const expected = await plan.expect(standing, prepared)
    const { call, approval = null } = expected
    const calls = checkPrepared(prepared, { chainId, account: account.address, call, approval })
    const { validUntil } = prepared
    if (typeof validUntil !== 'number')
      throw new UnsafeTransactionError('it does not say until when it holds')
    if ((await reads.timestamp()) >= validUntil) continue
    const functions = calls.map(({ functionName }) => functionName)
    onProgress?.({ kind: 'checked', step: 0, of, functions })
    return { chainId, contract, reads, calls, expected, validUntil }
  }
  throw new UnsafeTransactionError('by the clock of the chain it holds no longer, also after a second try')
}

/** The pinned contract; on a chain that nobody has pinned, the one that the service names. */
async function contractOn({ api, contracts }: Sender, chainId: number): Promise<Address> {
  return findContract(chainId, contracts) ?? (await api.getProtocolState({ chainId })).contractAddress
}
