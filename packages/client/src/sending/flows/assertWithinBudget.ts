import { ChainReads } from '../chain/ChainReads.ts'
import { readSubscription } from '../chain/readSubscription.ts'
import { contractFor } from '../check/findContract.ts'
import type { Sender } from '../check/prepareHere.ts'
import { assertOnChain, connectedAccount, currentChain } from '../wallet/account.ts'
import type { SendOptions, Wallet } from '../wallet/Wallet.ts'
import type { SubscriptionRequest } from './leaving.ts'

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
