import { BlockingToken } from '@remit/contracts/BlockingToken'
import { FeeOnTransferToken } from '@remit/contracts/FeeOnTransferToken'
import { StubbornAllowanceToken } from '@remit/contracts/StubbornAllowanceToken'
import { Subscriptions } from '@remit/contracts/Subscriptions'
import { SurchargeToken } from '@remit/contracts/SurchargeToken'
import { MULTICALL3_ADDRESS } from '@remit/devchain/testing/chain/deploy'
import {
  type Abi,
  type Address,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  type Hex,
  type LocalAccount,
  type Log,
  parseEventLogs,
  type TransactionReceipt,
} from 'viem'
import * as z from 'zod'
import { approvedToken } from '../support/chain/approvedToken.ts'
import { describeRevert } from '../support/chain/contractAt.ts'
import { minedReceipt } from '../support/chain/minedReceipt.ts'
import type { Subscription } from '../support/chain/protocolOn.ts'
import { revertTo } from '../support/chain/revertTo.ts'
import { signerOf, type TestChain } from '../support/chain/useTestChain.ts'

/** More than any call here takes, so that one which reverts is mined and not only estimated. */
const ENOUGH_GAS = 8_000_000n

export interface WorldToken {
  readonly name: string
  readonly address: Address
  readonly decimals: number
  /** Whether it takes more than it is asked for, without a part of the allowance. */
  readonly takesMore?: true
}

/** A call to send as it is. */
export interface HandCall {
  readonly to: Address
  readonly data: Hex
}

/** What every account holds and lets the protocol take, in the tokens' smallest units. */
export interface Holdings {
  readonly accounts: readonly Address[]
  balance(token: Address, account: Address): bigint
  allowance(token: Address, account: Address): bigint
}

/** The chain on which a run happens, and what the run knows of it. */
export interface World {
  readonly chain: TestChain
  readonly tokens: readonly WorldToken[]
  readonly blocking: Address
  /** Everybody who may act, by name. */
  readonly people: ReadonlyMap<string, Address>
  /** What was created in this run, in order; named S0, S1 and so on. */
  readonly subscriptions: Subscription[]
  /** Who has subscribed to what in this run, whether or not it still does. */
  readonly joined: { readonly account: Address; readonly subscription: Subscription }[]
  /** The codes with which the last remit was refused; none where it was prepared. */
  remitRefusal: readonly string[]
  nameOf(thing: string): string
  tokenAt(address: Address): WorldToken
  signerFor(account: Address): LocalAccount
  /** The call of the protocol's contract by its ABI. */
  protocolCall(functionName: string, args: readonly unknown[]): HandCall
  tokenCall(token: Address, functionName: 'approve' | 'transfer', args: readonly [Address, bigint]): HandCall
  /** Mines the call, whatever becomes of it. */
  send(from: Address, call: HandCall): Promise<TransactionReceipt>
  /** Why the call would revert now, in one short word; `undefined` where it would not. */
  reasonFor(from: Address, call: HandCall): Promise<string | undefined>
  holdings(): Promise<Holdings>
  /** Runs what must leave no trace. */
  aside<Result>(use: () => Promise<Result>): Promise<Result>
}

const abi: Abi = [...Subscriptions.abi, ...erc20Abi]

/**
 * Tokens of 6 and 18 decimals, a stubborn one, one that takes fees, one that can block its payers.
 * @param options.takesMore with one that takes a tenth more than it is asked for
 */
export async function openWorld(
  chain: TestChain,
  { takesMore = false }: { takesMore?: boolean } = {},
): Promise<World> {
  const { client, contract, wallets } = chain
  const stubborn = await approvedToken(chain, StubbornAllowanceToken, { decimals: 18 })
  const feeOnTransfer = await approvedToken(chain, FeeOnTransferToken)
  const blocking = await approvedToken(chain, BlockingToken)
  const tokens: WorldToken[] = [
    { name: 'USDC', address: getAddress(chain.tokens.usdc), decimals: 6 },
    { name: 'DAI', address: getAddress(chain.tokens.dai), decimals: 18 },
    { name: 'STUBBORN', address: stubborn, decimals: 18 },
    { name: 'FEE', address: feeOnTransfer, decimals: 6 },
    { name: 'BLOCKING', address: blocking, decimals: 6 },
  ]
  if (takesMore) {
    const address = await approvedToken(chain, SurchargeToken)
    tokens.push({ name: 'MORE', address, decimals: 6, takesMore })
  }
  const accounts = [...new Set([...Object.values(wallets), contract])].map((account) => getAddress(account))
  const people = new Map<string, Address>(Object.entries(wallets))
  const signers = new Map(
    Array.from({ length: 12 }, (_, index) => [signerOf(index).address, signerOf(index)] as const),
  )
  const subscriptions: Subscription[] = []

  const nameOf = (thing: string) => {
    const same = (other: string) => other.toLowerCase() === thing.toLowerCase()
    if (same(contract)) return 'contract'
    const index = subscriptions.findIndex(({ id }) => same(id))
    if (index >= 0) return `S${index}`
    const person = [...people].find(([, address]) => same(address))?.[0]
    return person ?? tokens.find(({ address }) => same(address))?.name ?? thing
  }

  return {
    chain,
    tokens,
    blocking,
    people,
    subscriptions,
    joined: [],
    remitRefusal: [],
    nameOf,
    tokenAt(address) {
      const token = tokens.find((one) => one.address === getAddress(address))
      if (token === undefined) throw new Error(`${address} is no token of this world`)
      return token
    },
    signerFor(account) {
      const signer = signers.get(getAddress(account))
      if (signer === undefined) throw new Error(`Nobody here has the key of ${account}`)
      return signer
    },
    protocolCall: (functionName, args) => ({
      to: contract,
      data: encodeFunctionData({ abi, functionName, args }),
    }),
    tokenCall: (token, functionName, args) => ({
      to: token,
      data: encodeFunctionData({ abi, functionName, args }),
    }),
    async send(from, { to, data }) {
      const hash = await client.sendTransaction({ account: from, chain: null, to, data, gas: ENOUGH_GAS })
      return minedReceipt(client, hash)
    },
    async reasonFor(from, { to, data }) {
      try {
        await client.call({ account: from, to, data, gas: ENOUGH_GAS })
        return undefined
      } catch (error) {
        return describeRevert(abi, error)
      }
    },
    async holdings() {
      const contracts = tokens.flatMap(({ address }) =>
        accounts.flatMap((account) => [
          { address, abi: erc20Abi, functionName: 'balanceOf', args: [account] } as const,
          { address, abi: erc20Abi, functionName: 'allowance', args: [account, contract] } as const,
        ]),
      )
      const answers = await client.multicall({
        contracts,
        multicallAddress: MULTICALL3_ADDRESS,
        allowFailure: false,
        batchSize: 0,
      })
      const at = (token: Address, account: Address, offset: 0 | 1) => {
        const row = tokens.findIndex(({ address }) => address === getAddress(token)) * accounts.length
        const amount = answers[2 * (row + accounts.indexOf(getAddress(account))) + offset]
        if (amount === undefined) throw new Error(`${account} is nobody here, or ${token} no token`)
        return amount
      }
      return {
        accounts,
        balance: (token, account) => at(token, account, 0),
        allowance: (token, account) => at(token, account, 1),
      }
    },
    async aside(use) {
      const id = await client.snapshot()
      try {
        return await use()
      } finally {
        await revertTo(client, id)
      }
    },
  }
}

/** The subscription that a receipt's logs say was created. */
export function createdIn(world: World, logs: readonly Log[]): Hex | undefined {
  const contract = world.chain.contract.toLowerCase()
  const fromContract = logs.filter(({ address }) => address.toLowerCase() === contract)
  const events = parseEventLogs({ abi: Subscriptions.abi, logs: fromContract, eventName: 'SubLog' })
  return events.find(({ args }) => args.subScriptEvent === 0)?.args.id
}

/** Keeps what was created, as the contract has it. */
export async function noteCreated(world: World, id: Hex): Promise<void> {
  const { client, contract } = world.chain
  const terms = await client.readContract({
    address: contract,
    abi: Subscriptions.abi,
    functionName: 'idSubMap',
    args: [id],
  })
  const [, amount, provider, token, cancelled, frequency, dueDay] = terms
  world.subscriptions.push({
    id,
    amount,
    provider,
    token,
    cancelled,
    frequency: KnownFrequency.parse(frequency),
    dueDay,
  })
}

const KnownFrequency = z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)])
