import { ReplayToken } from '@remit/contracts/ReplayToken'
import { Subscriptions } from '@remit/contracts/Subscriptions'
import { type Anvil, startAnvil } from '@remit/devchain/testing/chain/anvil'
import { mineAtOnce } from '@remit/devchain/testing/chain/block'
import { type DevSocket, openSocket } from '@remit/devchain/testing/chain/socket'
import { dayNumberAt, SECONDS_PER_DAY } from '@remit/protocol/calendar'
import { type Checkpoint, dueListsBetween, type RemitBacklog } from '@remit/protocol/remit/remitState'
import { type SubscriptionTerms, subscriptionTerms } from '@remit/protocol/subscription'
import {
  type Abi,
  type Address,
  createTestClient,
  encodeDeployData,
  encodeFunctionData,
  getAddress,
  type Hex,
  publicActions,
  type TransactionReceipt,
  type Transport,
  walletActions,
  zeroAddress,
} from 'viem'

const GAS = 25_000_000n

export const CALLER_FEE = 10_200n

const makeClient = (transport: Transport) =>
  createTestClient({ mode: 'anvil', transport }).extend(publicActions).extend(walletActions)

export interface Call {
  readonly from: Address
  readonly functionName: string
  readonly args?: readonly unknown[]
}

/** The reference contract on a chain of its own, and all that a forecast needs read from its views. */
export class ForecastChain {
  readonly client: ReturnType<typeof makeClient>
  readonly accounts: readonly Address[]
  readonly tokens: Address[] = []
  readonly #anvil: Anvil
  readonly #socket: DevSocket
  contract: Address = zeroAddress
  systemFeeOn = false

  private constructor(anvil: Anvil, socket: DevSocket, accounts: readonly Address[]) {
    this.#anvil = anvil
    this.#socket = socket
    this.client = makeClient(socket.transport)
    this.accounts = accounts
  }

  static async start(startsAt: number): Promise<ForecastChain> {
    const anvil = await startAnvil({ timestamp: startsAt, gasLimit: 60_000_000n })
    const socket = openSocket(anvil.url)
    return new ForecastChain(anvil, socket, await makeClient(socket.transport).getAddresses())
  }

  async stop(): Promise<void> {
    await this.#socket.close()
    await this.#anvil.stop()
  }

  get admin(): Address {
    return this.account(0)
  }

  account(index: number): Address {
    const account = this.accounts[index]
    if (account === undefined) throw new Error(`There is no account ${index}`)
    return account
  }

  async deploy(maxRemits: number, systemFeeOn: boolean, decimals: readonly number[]): Promise<void> {
    this.systemFeeOn = systemFeeOn
    const fees = [CALLER_FEE, 11_000n, BigInt(maxRemits), 5n]
    this.contract = await this.#deploy(Subscriptions, [...fees, systemFeeOn, this.admin, this.admin])
    for (const places of decimals) {
      const token = await this.#deploy(ReplayToken, [places])
      this.tokens.push(token)
      await this.send({ from: this.admin, functionName: 'addERC20Contract', args: [token, 1n, places] })
    }
  }

  /** Moves the clock; the next block has at least this time. */
  async setTime(timestamp: number): Promise<void> {
    await this.client.setNextBlockTimestamp({ timestamp: BigInt(timestamp) })
    await this.client.mine({ blocks: 1 })
  }

  async now(): Promise<number> {
    return Number((await this.client.getBlock()).timestamp)
  }

  /** A call of the protocol's contract. Its receipt may say that it reverted. */
  send({ from, functionName, args = [] }: Call): Promise<TransactionReceipt> {
    return this.#transact(from, this.contract, Subscriptions.abi, functionName, args)
  }

  sendToken({ from, functionName, args = [] }: Call, token: Address): Promise<TransactionReceipt> {
    return this.#transact(from, token, ReplayToken.abi, functionName, args)
  }

  async terms(id: Hex): Promise<SubscriptionTerms> {
    const [, amount, provider, token, cancelled, frequency, dueDay] = await this.client.readContract({
      address: this.contract,
      abi: Subscriptions.abi,
      functionName: 'idSubMap',
      args: [id],
    })
    return subscriptionTerms({ id, amount, provider, token, cancelled, frequency, dueDay })
  }

  async nextUncheckedDay(): Promise<number> {
    const contract = { address: this.contract, abi: Subscriptions.abi } as const
    return this.client.readContract({ ...contract, functionName: 'nextUncheckedDay' })
  }

  async backlog(caller: Address, checkpoint: Checkpoint | undefined): Promise<RemitBacklog> {
    const contract = { address: this.contract, abi: Subscriptions.abi } as const
    const [nextUncheckedDay, maxRemits, callerFee, systemFee] = await Promise.all([
      this.nextUncheckedDay(),
      this.client.readContract({ ...contract, functionName: 'maxRemits' }),
      this.client.readContract({ ...contract, functionName: 'callerFee' }),
      this.client.readContract({ ...contract, functionName: 'systemFee' }),
    ])
    const currentDay = dayNumberAt(await this.now())
    const lists = await Promise.all(
      dueListsBetween(nextUncheckedDay, currentDay).map(async ({ frequency, dueDay }) => {
        const args = [BigInt(frequency), dueDay] as const
        const ids = await this.client.readContract({ ...contract, functionName: 'getIdByTime', args })
        return { frequency, dueDay, entries: await Promise.all(ids.map((id) => this.#entry(id))) }
      }),
    )
    return {
      currentDay,
      nextUncheckedDay,
      maxRemits: Number(maxRemits),
      callerFee,
      systemFee: this.systemFeeOn ? systemFee : undefined,
      lists,
      funds: await this.#funds(),
      ...(checkpoint === undefined ? {} : { checkpoint }),
      accounts: { contract: this.contract, caller, systemFeeReceiver: this.admin },
    }
  }

  async #entry(id: Hex) {
    const contract = { address: this.contract, abi: Subscriptions.abi } as const
    const [terms, subscribers] = await Promise.all([
      this.terms(id),
      this.client.readContract({ ...contract, functionName: 'getSubscribersById', args: [id] }),
    ])
    const [, decimals, paused] = await this.client.readContract({
      ...contract,
      functionName: 'approvedERC20',
      args: [terms.token],
    })
    const members = subscribers.map(({ subscriber, feeBalance }) => ({ address: subscriber, feeBalance }))
    return { terms, paused, decimals, subscribers: members }
  }

  #funds() {
    const owners = [...this.accounts, this.contract]
    const reads = this.tokens.flatMap((token) =>
      owners.map(async (account) => {
        const erc20 = { address: token, abi: ReplayToken.abi } as const
        const [balance, allowance] = await Promise.all([
          this.client.readContract({ ...erc20, functionName: 'balanceOf', args: [account] }),
          this.client.readContract({ ...erc20, functionName: 'allowance', args: [account, this.contract] }),
        ])
        return { token, account, balance, allowance }
      }),
    )
    return Promise.all(reads)
  }

  async #deploy({ abi, bytecode }: { abi: Abi; bytecode: Hex }, args: readonly unknown[]): Promise<Address> {
    const data = encodeDeployData({ abi, bytecode, args })
    const { contractAddress } = await this.#mine({ from: this.admin, data })
    if (!contractAddress) throw new Error('A contract could not be deployed')
    return getAddress(contractAddress)
  }

  async #transact(from: Address, to: Address, abi: Abi, functionName: string, args: readonly unknown[]) {
    const data = encodeFunctionData({ abi, functionName, args })
    return this.#mine({ from, to, data })
  }

  // Each transaction is a block one second after the last, so that no clock but ours is in the test.
  async #mine(transaction: { from: Address; to?: Address; data: Hex }): Promise<TransactionReceipt> {
    await this.client.setNextBlockTimestamp({ timestamp: BigInt((await this.now()) + 1) })
    return mineAtOnce(this.client, { ...transaction, gas: GAS })
  }
}

export const days = (count: number): number => count * SECONDS_PER_DAY
