import { TrialLens } from '@remit/contracts/TrialLens'
import { type Address, decodeFunctionResult, encodeFunctionData, type Hex, size } from 'viem'
import { UpstreamError } from '../../../errors/chain.ts'
import type { ChainView } from '../../../ports/chains.ts'

const { abi, deployedBytecode } = TrialLens

/** The chain that is asked, at the view's block. */
export type Asked = Pick<ChainView, 'chainId'> & { readonly read: Pick<ChainView['read'], 'lend'> }

/** What became of a call that was tried. */
export interface Trial {
  readonly succeeded: boolean
  /** What it returned or reverted with, cut at 1,024 bytes. */
  readonly answer: Hex
}

/**
 * Runs calls on a foreign contract in one eth_call: each sees what those before it changed, and nothing of it stays.
 * @param account whose size of code is read beside them, in bytes: it tells a contract wallet from a key's
 */
export async function tryCalls(
  { read, chainId }: Asked,
  target: Address,
  account: Address,
  calls: readonly Hex[],
): Promise<{ codeSize: bigint; trials: readonly Trial[] }> {
  const question = encodeFunctionData({ abi, functionName: 'tryCalls', args: [target, account, calls] })
  const answer = await read.lend(deployedBytecode, question)
  try {
    const [, codeSize, trials] = decodeFunctionResult({ abi, functionName: 'tryCalls', data: answer })
    if (trials.length === calls.length) return { codeSize, trials }
  } catch (cause) {
    throw new UpstreamError(chainId, { cause })
  }
  throw new UpstreamError(chainId, { cause: new RangeError('another number of answers than of calls') })
}

/** The one word that a call returned; `undefined` where it failed or returned anything else. */
export function wordOf(trial: Trial | undefined): Hex | undefined {
  return trial?.succeeded === true && size(trial.answer) === 32 ? trial.answer : undefined
}

/**
 * Whether a function that was called in vain is there. A token without it does not say why it refuses, or does not refuse at all
 * (wrapped ether takes any call).
 */
export function saysWhy(probe: Trial | undefined): boolean {
  return probe?.succeeded === false && size(probe.answer) > 0
}

/** The code of an account that has delegated itself to a contract (EIP-7702). Its key signs on. */
const DELEGATION_BYTES = 23n

/** Whether an account is a contract, which has no key, by the size of its code. */
export function isContract(codeSize: bigint): boolean {
  return codeSize !== 0n && codeSize !== DELEGATION_BYTES
}
