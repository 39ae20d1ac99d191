import { type Address, decodeEventLog, erc20Abi, type Hex, isAddressEqual } from 'viem'
import type { MinedCalls, WalletLog } from './MinedCalls.ts'

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

/**
 * The logs that follow one of the contract's, up to its next one: what tokens did for it. Others' calls may be in the same
 * transaction, where smart accounts are bundled.
 */
export function logsBehind(
  contract: Address,
  transactions: readonly Pick<MinedCalls, 'logs'>[],
  isMeant: (log: WalletLog) => boolean,
): Pick<MinedCalls, 'logs'>[] {
  const isOfContract = ({ address }: WalletLog) => isAddressEqual(address, contract)
  return transactions.flatMap(({ logs }) => {
    const at = logs.findIndex((log) => isOfContract(log) && isMeant(log))
    if (at === -1) return []
    const behind = logs.slice(at + 1)
    const end = behind.findIndex(isOfContract)
    return { logs: end === -1 ? behind : behind.slice(0, end) }
  })
}

function decodeTransfer(data: Hex, topics: [Hex, ...Hex[]]): Transfer | undefined {
  try {
    const { eventName, args } = decodeEventLog({ abi: erc20Abi, data, topics })
    return eventName === 'Transfer' ? args : undefined
  } catch {
    return undefined
  }
}
