import { ISubscriptions } from '@remit/contracts/ISubscriptions'
import { dequal } from 'dequal/lite'
import {
  type Address,
  type ContractFunctionArgs,
  type ContractFunctionName,
  decodeFunctionData,
  encodeFunctionData,
  erc20Abi,
  type Hex,
} from 'viem'
import { InternalError } from '../../../errors/base.ts'
import type { PlannedCall } from '../../../ports/proof.ts'
import type { Warning } from '../../../schema/envelope.ts'

const protocolAbi = ISubscriptions.abi

type WriteName = ContractFunctionName<typeof protocolAbi, 'nonpayable'>

/** Encodes a call of the protocol's contract, and checks that it decodes to the same call. */
export function protocolCall<Name extends WriteName>(
  to: Address,
  functionName: Name,
  args: ContractFunctionArgs<typeof protocolAbi, 'nonpayable', Name>,
  instruction: string,
): PlannedCall {
  // Safe: the generic above already ties name and arguments; viem cannot follow it through a variable.
  const data = encodeFunctionData({ abi: protocolAbi, functionName, args } as Parameters<
    typeof encodeFunctionData
  >[0])
  const decoded = decodeFunctionData({ abi: protocolAbi, data })
  assertSame(
    { functionName, args: args ?? [] },
    { functionName: decoded.functionName, args: decoded.args ?? [] },
  )
  return { to, data, value: 0n, instruction }
}

/** An ERC-20 approval of the protocol's contract. */
export function approveCall(
  token: Address,
  spender: Address,
  amountRaw: bigint,
  instruction: string,
): PlannedCall {
  const args = [spender, amountRaw] as const
  const data: Hex = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args })
  const decoded = decodeFunctionData({ abi: erc20Abi, data })
  assertSame({ functionName: 'approve', args }, { functionName: decoded.functionName, args: decoded.args })
  return { to: token, data, value: 0n, instruction }
}

/**
 * The approvals that raise an allowance, the shortest batch first. Some tokens refuse to change an allowance that is
 * not zero, and only the proof shows which.
 */
export function approvalBatches(change: {
  readonly token: Address
  readonly spender: Address
  readonly current: bigint
  readonly proposed: bigint
  /** How many subscriptions of the wallet draw on this allowance already. */
  readonly sharedWithCount: number
  readonly inWords: (amountRaw: bigint) => string
}): PlannedCall[][] {
  const { token, spender, current, proposed, sharedWithCount, inWords } = change
  const approve = (amountRaw: bigint, words: string) =>
    approveCall(token, spender, amountRaw, `${words} for the protocol ${spender}`)
  const raise = approve(proposed, `approve ${inWords(proposed)}`)
  if (current === 0n) return [[raise]]
  const reset = approve(0n, `reset the allowance of ${inWords(current)} to 0`)
  const warning = sharedWithCount > 0 ? { warning: allowanceReset(token, sharedWithCount) } : {}
  return [[raise], [{ ...reset, ...warning }, raise]]
}

/** Warns that remit may come while the allowance is 0. */
function allowanceReset(token: Address, subscriptionCount: number): Warning {
  const others = subscriptionCount === 1 ? 'a subscription' : `${subscriptionCount} subscriptions`
  return {
    code: 'ALLOWANCE_RESET',
    message:
      `This token lets an allowance be changed only from 0. The wallet pays for ${others} by this allowance: if remit ` +
      'comes between the first two transactions, it drops the wallet for good from whatever is due. Send all in one ' +
      'go where the wallet can, or the second right after the first.',
    token,
    subscriptionCount,
  }
}

function assertSame(asked: unknown, decoded: unknown): void {
  if (!dequal(asked, decoded)) {
    throw new InternalError(new Error('calldata does not decode to what was asked for', { cause: decoded }))
  }
}
