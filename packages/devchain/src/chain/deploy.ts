import { Multicall3 } from '@remit/contracts/Multicall3'
import { Subscriptions } from '@remit/contracts/Subscriptions'
import { TestToken } from '@remit/contracts/TestToken'
import { UsdcLikeToken } from '@remit/contracts/UsdcLikeToken'
import { type Address, encodeDeployData, getContractAddress, type Hex } from 'viem'
import { type Call, callOf, MAX_TRANSACTION_GAS, mineBlock } from './block.ts'
import type { DevClient } from './client.ts'

/** The address of Multicall3 on any chain. */
export const MULTICALL3_ADDRESS: Address = '0xcA11bde05977b3631167028862bE2a173976CA11'

/** The parameters of the deployment. A fee is written as 10000 plus its hundredths of a percent: 10200 is 2 %. */
export interface ProtocolTerms {
  /** What remit's caller earns of each payment. */
  readonly callerFee: bigint
  /** The system's share of what the caller earns, where `allowSystemFee` has switched it on. */
  readonly systemFee: bigint
  /** The most subscribers that one call of remit goes through. */
  readonly maxRemits: bigint
  /** The most subscribers that one clean-up of a cancelled subscription takes out. */
  readonly cancelLimit: bigint
  readonly allowSystemFee: boolean
}

export const DEFAULT_TERMS: ProtocolTerms = {
  callerFee: 10_200n,
  systemFee: 11_000n,
  maxRemits: 25n,
  cancelLimit: 25n,
  allowSystemFee: false,
}

/** The two test tokens: USDC takes signatures, DAI does not. Both are approved. A subscription costs at least `minimum`, in protocol units. */
const TOKENS = {
  usdc: {
    bytecode: UsdcLikeToken.bytecode,
    name: 'USD Coin (dev chain)',
    symbol: 'USDC',
    decimals: 6,
    minimum: 10n ** 16n,
  },
  dai: {
    bytecode: TestToken.bytecode,
    name: 'Dai Stablecoin (dev chain)',
    symbol: 'DAI',
    decimals: 18,
    minimum: 10n ** 16n,
  },
} as const

export interface Deployment {
  readonly contract: Address
  readonly tokens: { readonly usdc: Address; readonly dai: Address }
  /** The block with all deployments. */
  readonly firstBlock: number
}

export interface DeployOptions {
  readonly admin: Address
  readonly janitor: Address
  readonly terms?: Partial<ProtocolTerms>
  /** The block's unix time. */
  readonly timestamp?: number
}

/**
 * Deploys the protocol, its tokens and Multicall3 on a new chain, in one block.
 *
 * The addresses depend only on the admin and its nonce, so they are the same on every dev chain.
 */
export async function deployProtocol(client: DevClient, options: DeployOptions): Promise<Deployment> {
  const { admin, janitor } = options
  const terms = { ...DEFAULT_TERMS, ...options.terms }
  const nonce = await client.getTransactionCount({ address: admin })
  const addressAt = (index: number) => getContractAddress({ from: admin, nonce: BigInt(nonce + index) })

  const contract = addressAt(0)
  const tokens = { usdc: addressAt(1), dai: addressAt(2) }
  const approve = (token: 'usdc' | 'dai') =>
    callOf(admin, { address: contract, abi: Subscriptions.abi }, 'addERC20Contract', [
      tokens[token],
      TOKENS[token].minimum,
      TOKENS[token].decimals,
    ])
  const calls = [
    deployment(admin, 'the contract', contractCode(terms, admin, janitor), MAX_TRANSACTION_GAS),
    deployment(admin, 'USDC', tokenCode('usdc')),
    deployment(admin, 'DAI', tokenCode('dai')),
    approve('usdc'),
    approve('dai'),
  ]
  await client.setCode({ address: MULTICALL3_ADDRESS, bytecode: Multicall3.deployedBytecode })
  const [receipt] = await mineBlock(client, calls, options.timestamp)
  return { contract, tokens, firstBlock: Number(receipt?.blockNumber) }
}

function contractCode(terms: ProtocolTerms, admin: Address, janitor: Address): Hex {
  const { callerFee, systemFee, maxRemits, cancelLimit, allowSystemFee } = terms
  return encodeDeployData({
    ...Subscriptions,
    args: [callerFee, systemFee, maxRemits, cancelLimit, allowSystemFee, admin, janitor],
  })
}

function tokenCode(token: 'usdc' | 'dai'): Hex {
  const { bytecode, name, symbol, decimals } = TOKENS[token]
  return encodeDeployData({ abi: TestToken.abi, bytecode, args: [name, symbol, decimals] })
}

function deployment(from: Address, label: string, data: Hex, gas = 2_000_000n): Call {
  return { from, data, gas, label: `the deployment of ${label}` }
}
