import { type Address, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { ISubscriptions } from '../../contracts/generated/ISubscriptions.ts'
import { NodeBytes } from './rpc/quantity.ts'
import { refusalIn } from './rpc/refusal.ts'
import type { OneNode } from './rpc/rpc.ts'

/** The protocol's own bounds of its fees; the others it leaves to its admin. A count is as much as is told exactly. */
const VIEWS = [
  { functionName: 'callerFee', least: 10_000n, most: 10_833n },
  { functionName: 'systemFee', least: 10_000n, most: 19_999n },
  { functionName: 'maxRemits', least: 0n, most: BigInt(Number.MAX_SAFE_INTEGER) },
  { functionName: 'cancelLimit', least: 0n, most: BigInt(Number.MAX_SAFE_INTEGER) },
  // 31 December 9999.
  { functionName: 'nextUncheckedDay', least: 0n, most: 2_932_896n },
] as const

type View = (typeof VIEWS)[number]

/**
 * What is wrong with the contract at an address, in words that follow its address; `undefined` where it has code
 * and answers as the protocol does. One HTTP request.
 *
 * Throws as `OneNode.request` does where the node does not tell.
 */
export async function inspectContract(one: OneNode, contract: Address): Promise<string | undefined> {
  const [code, ...answers] = await Promise.all([
    one.request('eth_getCode', [contract, 'latest'], NodeBytes),
    ...VIEWS.map((view) => ask(one, contract, view)),
  ])
  if (code === '0x') return 'has no code'
  const faults = VIEWS.map((view, place) => faultOf(view, answers[place]))
  const fault = faults.find((found) => found !== undefined)
  return fault === undefined ? undefined : `is not the protocol: its ${fault}`
}

/** `undefined` where the view reverts. */
async function ask(one: OneNode, contract: Address, { functionName }: View): Promise<Hex | undefined> {
  const data = encodeFunctionData({ abi: ISubscriptions.abi, functionName })
  try {
    return await one.request('eth_call', [{ to: contract, data }, 'latest'], NodeBytes)
  } catch (error) {
    // A refusal of the node's own says nothing about the contract.
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
