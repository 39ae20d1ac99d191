import type { Address } from 'viem'
import { feesEarned } from '../../../sending/flows/remit.ts'
import { decodeEvents } from '../../../sending/wait/decodeEvents.ts'
import type { WalletLog } from '../../../sending/wait/MinedCalls.ts'
import type { Gain } from '../decide/weighRemit.ts'
import type { TokenReads } from './TokenReads.ts'

const NO_HASH = '0x'

/**
 * What a remit pays its caller by the logs of its run: the protocol's transfers to the caller, a token once, without
 * the caller's refunds as a provider.
 */
export async function remitEarnings(
  logs: readonly WalletLog[],
  { contract, caller, tokens }: { contract: Address; caller: Address; tokens: TokenReads },
): Promise<Gain[]> {
  const transactions = [{ hash: NO_HASH, logs }] as const
  const events = await decodeEvents(contract, transactions, (token) => tokens.entryDecimals(token))
  const payments = events.filter((event) => event.event === 'SubLog')
  const fees = feesEarned(contract, caller, payments, transactions).filter(({ amountRaw }) => amountRaw > 0n)
  return Promise.all(
    fees.map(async ({ token, amountRaw }) => ({ token: await tokens.token(token), amountRaw })),
  )
}
