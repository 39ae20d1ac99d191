import { ISubscriptions } from '@remit/contracts/ISubscriptions'
import { LAST_DAY } from '@remit/protocol/calendar'
import { CALLER_FEE, SYSTEM_FEE } from '@remit/protocol/fees'
import { type Address, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { NodeBytes } from '../rpc/quantity.ts'
import { refusalIn } from '../rpc/refusal.ts'
import type { OneNode } from '../rpc/rpc.ts'

/**
 * What each view may answer. The contract bounds both fees. `maxRemits` and `cancelLimit` may be any count that a JavaScript
 * number holds exactly.
 */
const VIEWS = [
  { functionName: 'callerFee', ...CALLER_FEE },
  { functionName: 'systemFee', ...SYSTEM_FEE },
  { functionName: 'maxRemits', least: 0n, most: BigInt(Number.MAX_SAFE_INTEGER) },
  { functionName: 'cancelLimit', least: 0n, most: BigInt(Number.MAX_SAFE_INTEGER) },
  { functionName: 'nextUncheckedDay', least: 0n, most: BigInt(LAST_DAY) },
] as const

type View = (typeof VIEWS)[number]

/**
 * What is wrong with the contract at an address, as the end of a sentence that begins with the address; `undefined` if
 * it has code and answers as the protocol does. Takes one HTTP request.
 *
 * Throws what `OneNode.request` throws if the node does not answer.
 */
export async function inspectContract(one: OneNode, contract: Address): Promise<string | undefined> {
  const [code, ...answers] = await Promise.all([
    one.request('eth_getCode', [contract, 'latest'], NodeBytes),
    ...VIEWS.map((view) => ask(one, contract, view)),
  ])
  if (code === '0x') return 'has no code'
  const faults = VIEWS.map((view, index) => faultOf(view, answers[index]))
  const fault = faults.find((found) => found !== undefined)
  return fault === undefined ? undefined : `is not the protocol: its ${fault}`
}

/** `undefined` if the view reverts. */
async function ask(one: OneNode, contract: Address, { functionName }: View): Promise<Hex | undefined> {
  const data = encodeFunctionData({ abi: ISubscriptions.abi, functionName })
  try {
    return await one.request('eth_call', [{ to: contract, data }, 'latest'], NodeBytes)
  } catch (error) {
    // Only a revert says something about the contract. A refusal is the node's own.
    if (refusalIn(error)?.kind === 'reverted') return undefined
    throw error
  }
}

function faultOf({ functionName, least, most }: View, answer: Hex | undefined): string | undefined {
  if (answer === undefined) return `${functionName}() reverts`
  const value = numberIn(functionName, answer)
  if (value === undefined) return `${functionName}() answers no number`
  if (value >= least && value <= most) return undefined
  return `${functionName}() answers ${value}, and can only be from ${least} to ${most}`
}

function numberIn(functionName: View['functionName'], data: Hex): bigint | undefined {
  try {
    return BigInt(decodeFunctionResult({ abi: ISubscriptions.abi, functionName, data }))
  } catch {
    return undefined
  }
}
