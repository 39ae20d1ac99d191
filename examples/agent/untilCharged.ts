import { type Address, createTestClient, createWalletClient, http, parseAbi, publicActions } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import type { Subscription } from './answers.ts'

const DEV_CHAIN_ID = 31337
const SECONDS_PER_DAY = 86_400

const abi = parseAbi(['function nextUncheckedDay() view returns (uint40)', 'function remit()'])

/**
 * On the development chain, brings about what an agent elsewhere waits for: the plan's due day comes, and somebody calls
 * remit until that day is done. Returns the block of the last call.
 */
export async function untilCharged(
  { nextDue }: Subscription,
  { rpcUrl, contract }: { readonly rpcUrl: string; readonly contract: Address },
): Promise<number> {
  const chain = createTestClient({ mode: 'anvil', transport: http(rpcUrl) }).extend(publicActions)
  if ((await chain.getChainId()) !== DEV_CHAIN_ID)
    throw new Error('Only a development chain’s days can be made to pass.')
  if (nextDue === null) throw new Error('Nothing is due any more.')
  const { timestamp } = await chain.getBlock()
  const seconds = nextDue.dayNumber * SECONDS_PER_DAY - Number(timestamp)
  if (seconds > 0) {
    await chain.increaseTime({ seconds })
    await chain.mine({ blocks: 1 })
  }
  // The keeper of the development chain, whose key is public.
  const keeper = createWalletClient({
    account: mnemonicToAccount('test test test test test test test test test test test junk', {
      addressIndex: 9,
    }),
    transport: http(rpcUrl),
  })
  let blockNumber = 0n
  while (
    (await chain.readContract({ address: contract, abi, functionName: 'nextUncheckedDay' })) <=
    nextDue.dayNumber
  ) {
    const hash = await keeper.writeContract({ chain: null, address: contract, abi, functionName: 'remit' })
    const receipt = await chain.waitForTransactionReceipt({ hash })
    if (receipt.status !== 'success') throw new Error(`remit reverted in ${hash}.`)
    blockNumber = receipt.blockNumber
  }
  return Number(blockNumber)
}
