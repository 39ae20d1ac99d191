import { ChainReads, readSubscription } from '../ChainReads.ts'
import type { SubscriptionRequest } from '../flows/leaving.ts'
import {
  assertOnChain,
  connectedAccount,
  currentChain,
  type SendOptions,
  type Wallet,
} from '../wallet/Wallet.ts'
import { contractFor } from './findContract.ts'
import type { Sender } from './prepareHere.ts'

/**
 * Throws OverBudgetError where subscribing would commit the wallet to more than the budget, as `send` does, for those
 * who sign by themselves. Nothing is held: two at once would each be told that there is room.
 */
export async function assertWithinBudget(
  sender: Sender,
  { id, chainId: named, terms }: SubscriptionRequest,
  wallet: Wallet,
  { publicClient, signal }: Pick<SendOptions, 'publicClient' | 'signal'> = {},
): Promise<void> {
  const { budget, ownWrites } = sender
  if (budget === undefined) throw new TypeError('The client has no budget: createClient({ budget: [ … ] })')
  const { address } = await connectedAccount(wallet)
  const chainId = named ?? (await currentChain(wallet))
  await assertOnChain(wallet, chainId)
  const reads = new ChainReads(publicClient ?? wallet, await contractFor(sender, chainId))
  if (publicClient !== undefined) await reads.assertChain(chainId)
  const room = budget.roomFor(await readSubscription(reads, id, terms), {
    chainId,
    account: address,
    reads,
    lastBlock: () => ownWrites.minBlock(chainId),
    pollingIntervalMs: wallet.pollingInterval,
    signal,
  })
  await room.take(() => {})
  room.release()
}
