import { Subscriptions } from '@remit/contracts/Subscriptions'
import { type Address, encodeDeployData, type Hex } from 'viem'
import { contractAt } from './contractAt.ts'
import type { TestChain } from './useTestChain.ts'

/** The awkward tokens take their decimals and nothing else. */
const CONSTRUCTOR = [
  { type: 'constructor', stateMutability: 'nonpayable', inputs: [{ name: 'decimals', type: 'uint8' }] },
] as const

export interface ApprovedTokenOptions {
  /** What the token says of itself. */
  readonly decimals?: number
  /** What the admin enters, where that differs. */
  readonly enteredDecimals?: number
  /** In protocol units. */
  readonly minimum?: bigint
}

/** Deploys one of the awkward tokens and has the admin approve it. */
export async function approvedToken(
  chain: TestChain,
  artifact: { readonly bytecode: Hex },
  options: ApprovedTokenOptions = {},
): Promise<Address> {
  const { decimals = 6, enteredDecimals = decimals, minimum = 10n ** 16n } = options
  const data = encodeDeployData({ abi: CONSTRUCTOR, bytecode: artifact.bytecode, args: [decimals] })
  const token = await chain.deploy(data)
  const contract = contractAt(chain.client, chain.contract, Subscriptions.abi)
  await contract.send(chain.wallets.admin, 'addERC20Contract', [token, minimum, enteredDecimals])
  return token
}
