import { TestToken } from '@remit/contracts/TestToken'
import { callOf, MAX_TRANSACTION_GAS, mineCalls } from '@remit/devchain/testing/chain/block'
import type { DevClient } from '@remit/devchain/testing/chain/client'
import {
  type Abi,
  type Address,
  BaseError,
  type ContractFunctionArgs,
  type ContractFunctionName,
  type ContractFunctionReturnType,
  decodeErrorResult,
  encodeFunctionData,
  type Hex,
  isHex,
  type Log,
  RpcRequestError,
} from 'viem'

type Write = 'nonpayable' | 'payable'
type Args<abi extends Abi, kind extends 'pure' | 'view' | Write, name extends string> =
  name extends ContractFunctionName<abi, kind>
    ? ContractFunctionArgs<abi, kind, name> & readonly unknown[]
    : never

/** A contract as a test speaks to it: who, which function, with what. */
export interface TestContract<abi extends Abi> {
  readonly address: Address
  readonly abi: abi
  /** What a view answers in the latest block. */
  read<name extends ContractFunctionName<abi, 'pure' | 'view'>>(
    functionName: name,
    args: Args<abi, 'pure' | 'view', name>,
  ): Promise<ContractFunctionReturnType<abi, 'pure' | 'view', name>>
  /** Mines the call and returns its logs. Throws with the reason where it reverts. */
  send<name extends ContractFunctionName<abi, Write>>(
    from: Address,
    functionName: name,
    args: Args<abi, Write, name>,
  ): Promise<Log[]>
  /**
   * Why a call would revert: "10", "Panic(17)", "AccessControl…(…)", "empty", or how the EVM was halted;
   * `undefined` where it would not.
   */
  reverts<name extends ContractFunctionName<abi, Write | 'view' | 'pure'>>(
    from: Address,
    functionName: name,
    args: Args<abi, Write | 'view' | 'pure', name>,
  ): Promise<string | undefined>
}

export function contractAt<const abi extends Abi>(
  client: DevClient,
  address: Address,
  abi: abi,
): TestContract<abi> {
  const reasonFor = async (from: Address, data: Hex) => {
    try {
      await client.call({ account: from, to: address, data, gas: MAX_TRANSACTION_GAS })
      return undefined
    } catch (error) {
      return describeRevert(abi, error)
    }
  }
  return {
    address,
    abi,
    read(functionName, args) {
      return client.readContract({ address, abi, functionName, args })
    },
    async send(from, functionName, args) {
      const call = callOf(from, { address, abi }, functionName, args, MAX_TRANSACTION_GAS)
      const [receipt] = await mineCalls(client, [call])
      if (receipt?.status === 'success') return receipt.logs
      // A receipt does not tell why. The call would revert again: of its first time nothing has remained.
      throw new Error(`${functionName} reverts with ${await reasonFor(from, call.data)}`)
    },
    reverts(from, functionName, args) {
      const untyped: { abi: Abi; functionName: string; args: readonly unknown[] } = {
        abi,
        functionName,
        args,
      }
      return reasonFor(from, encodeFunctionData(untyped))
    },
  }
}

/** The revert inside viem's error, in one short word; anything that is no revert is thrown on. */
export function describeRevert(abi: Abi, error: unknown): string {
  const cause = error instanceof BaseError ? error.walk((inner) => inner instanceof RpcRequestError) : null
  if (!(cause instanceof RpcRequestError)) throw error
  if (!isHex(cause.data)) {
    // How anvil words an execution that was halted rather than reverted.
    if (cause.details.startsWith('EVM error')) return cause.details
    throw error
  }
  if (cause.data === '0x') return 'empty'
  // A token's own errors come through the contract as they are.
  const { errorName, args = [] } = decodeErrorResult({ abi: [...abi, ...TestToken.abi], data: cause.data })
  return errorName === 'Error' ? String(args[0]) : `${errorName}(${args.join()})`
}
