import { SmartAccount } from '@remit/contracts/SmartAccount'
import { type Address, concatHex, encodeDeployData, type Hex, parseAbi, toFunctionSelector } from 'viem'
import { entryPoint07Address } from 'viem/account-abstraction'
import type { TestChain } from '../chain/useTestChain.ts'

const factoryAbi = parseAbi(['function accountImplementation() view returns (address)'])
const IS_VALID_SIGNATURE = toFunctionSelector('isValidSignature(bytes32,bytes)')
/** Where the code stands that the accounts had before. */
const BEFORE: Address = `0x${'5a'.repeat(20)}`

/**
 * Gives the accounts of a factory ERC-1271, which SimpleAccount 0.7 lacks and the accounts that people have do not: SmartAccount
 * answers for them, which keeps its owner in the same slot, and the code that they had does all the rest.
 */
export async function letAccountsSign(
  chain: Pick<TestChain, 'client' | 'deploy'>,
  factory: Address,
): Promise<void> {
  const { client } = chain
  const known = { address: factory, abi: factoryAbi, functionName: 'accountImplementation' } as const
  const implementation = await client.readContract(known)
  const code = await client.getCode({ address: implementation })
  if (code === undefined) throw new Error(`the accounts of ${factory} have no code`)
  const signing = await chain.deploy(
    encodeDeployData({ ...SmartAccount, args: [entryPoint07Address, BEFORE] }),
  )
  await client.setCode({ address: BEFORE, bytecode: code })
  await client.setCode({ address: implementation, bytecode: chosenBySelector(signing, BEFORE) })
}

/** Code that runs that of one contract for isValidSignature, and that of another for every other call, in its own storage. */
function chosenBySelector(signing: Address, others: Address): Hex {
  const difference = BigInt(signing) ^ BigInt(others)
  return concatHex([
    // The calldata, to memory; then the answer's place, and the calldata's, for the call.
    '0x365f5f37',
    '0x5f5f365f',
    // others ^ (signing ^ others) * (selector == IS_VALID_SIGNATURE)
    '0x5f3560e01c63',
    IS_VALID_SIGNATURE,
    '0x1473',
    `0x${difference.toString(16).padStart(40, '0')}`,
    '0x0273',
    others,
    '0x18',
    // delegatecall with all gas, and what it answered: returned, or reverted with.
    '0x5af43d5f5f3e604b573d5ffd5b3d5ff3',
  ])
}
