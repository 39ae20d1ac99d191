import {
  type Address,
  decodeFunctionData,
  encodeFunctionData,
  getAddress,
  type Hex,
  type PublicClient,
  parseAbi,
} from 'viem'
import { Refused } from './Refused.ts'
import type { UserOperation } from './UserOperation.ts'

/** One call that an account makes. */
export interface Call {
  readonly to: Address
  readonly value: bigint
  readonly data: Hex
}

/** How SimpleAccount 0.7 makes calls. */
export const accountAbi = parseAbi([
  'function execute(address dest, uint256 value, bytes func)',
  'function executeBatch(address[] dest, uint256[] value, bytes[] func)',
])

/** The calls that an account's calldata makes. Throws Refused for calldata that does anything else. */
export function accountCalls(callData: Hex): readonly Call[] {
  const calls = decode(callData)
  if (calls === undefined) throw new Refused('the account does something else than making calls')
  return calls
}

function decode(callData: Hex): readonly Call[] | undefined {
  try {
    const { functionName, args } = decodeFunctionData({ abi: accountAbi, data: callData })
    // Calldata has many forms that mean the same, or more: only the usual one is taken.
    if (encodeFunctionData({ abi: accountAbi, functionName, args } as never) !== callData.toLowerCase())
      return undefined
    if (functionName === 'execute') {
      const [to, value, data] = args
      return [{ to, value, data }]
    }
    const [targets, values, datas] = args
    // Without values, the account sends none.
    if (datas.length !== targets.length || ![0, targets.length].includes(values.length)) return undefined
    return targets.map((to, index) => ({ to, value: values[index] ?? 0n, data: datas[index] ?? '0x' }))
  } catch {
    return undefined
  }
}

/** ERC-1967: where a proxy keeps the address of its code. */
const IMPLEMENTATION_SLOT = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc' as const

const factoryAbi = parseAbi(['function accountImplementation() view returns (address)'])

/** The accounts of one factory, whose calldata means what it says. */
export interface KnownAccounts {
  readonly factory: Address
  /** The code that all of them have in front of their implementation. */
  readonly proxyCode: Hex
}

/** Throws Refused where the sender is no account of the factory's: another one's calldata could mean anything. */
export async function assertKnownAccount(
  chain: PublicClient,
  { factory, proxyCode }: KnownAccounts,
  { sender, factory: deployedBy }: Pick<UserOperation, 'sender' | 'factory'>,
): Promise<void> {
  const code = await chain.getCode({ address: sender })
  if (code === undefined) {
    // EntryPoint sees to it that what the factory deploys is the sender.
    if (deployedBy !== factory) throw new Refused('the account is not deployed by a known factory')
    return
  }
  const [slot, implementation] = await Promise.all([
    chain.getStorageAt({ address: sender, slot: IMPLEMENTATION_SLOT }),
    chain.readContract({ address: factory, abi: factoryAbi, functionName: 'accountImplementation' }),
  ])
  const isKnown = code === proxyCode && getAddress(`0x${(slot ?? '').slice(-40)}`) === implementation
  if (!isKnown) throw new Refused('the account has other code than the known ones')
}
