import { type Address, decodeEventLog, erc20Abi, type Hex, isAddressEqual } from 'viem'
import type { MinedCalls } from '../wait/MinedCalls.ts'

/** What moved of a token, in its smallest unit. */
export interface Transfer {
  readonly from: Address
  readonly to: Address
  readonly value: bigint
}

/** A token's own logs of what moved in mined transactions, in order. */
export function transfersOf(token: Address, transactions: readonly Pick<MinedCalls, 'logs'>[]): Transfer[] {
  return transactions.flatMap(({ logs }) =>
    logs.flatMap(({ address, data, topics: [signature, ...indexed] }) => {
      if (signature === undefined || !isAddressEqual(address, token)) return []
      const transfer = decodeTransfer(data, [signature, ...indexed])
      return transfer === undefined ? [] : [transfer]
    }),
  )
}

function decodeTransfer(data: Hex, topics: [Hex, ...Hex[]]): Transfer | undefined {
  try {
    const { eventName, args } = decodeEventLog({ abi: erc20Abi, data, topics })
    return eventName === 'Transfer' ? args : undefined
  } catch {
    return undefined
  }
}
