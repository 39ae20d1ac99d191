import { ISubscriptions } from '@remit/contracts/ISubscriptions'
import { type Address, encodeFunctionData } from 'viem'
import type { OrderedCall } from '../simulation/simulateInOrder.ts'

export const REMIT_DATA = encodeFunctionData({ abi: ISubscriptions.abi, functionName: 'remit' })

/** A call of remit() with so much gas. */
export function remitCall(contract: Address, caller: Address, gas: bigint): OrderedCall {
  return { from: caller, to: contract, data: REMIT_DATA, gas }
}
