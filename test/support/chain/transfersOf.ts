import { type Address, erc20Abi, parseEventLogs } from 'viem'
import type { TestChain } from './useTestChain.ts'

/** What the tokens' own logs say that an account got of a token in the contract's transactions, less what it gave. */
export async function transfersOf({
  client,
  contract,
}: Pick<TestChain, 'client' | 'contract'>): Promise<(token: Address, account: Address) => bigint> {
  const own = await client.getLogs({ address: contract, fromBlock: 0n })
  const sums = new Map<string, bigint>()
  const keyOf = (token: Address, account: Address) => `${token}:${account}`.toLowerCase()
  const add = (key: string, amount: bigint) => sums.set(key, (sums.get(key) ?? 0n) + amount)
  for (const hash of new Set(own.map(({ transactionHash }) => transactionHash))) {
    const { logs } = await client.getTransactionReceipt({ hash })
    for (const { address, args } of parseEventLogs({ abi: erc20Abi, logs, eventName: 'Transfer' })) {
      add(keyOf(address, args.from), -args.value)
      add(keyOf(address, args.to), args.value)
    }
  }
  return (token, account) => sums.get(keyOf(token, account)) ?? 0n
}
