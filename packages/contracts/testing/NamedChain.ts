import { type Anvil, startAnvil } from '@remit/devchain/testing/chain/anvil'
import { mineAtOnce } from '@remit/devchain/testing/chain/block'
import { type DevSocket, openSocket } from '@remit/devchain/testing/chain/socket'
import {
  type Abi,
  type Address,
  BaseError,
  createTestClient,
  encodeDeployData,
  type Hex,
  isHex,
  publicActions,
  RpcRequestError,
  type Transport,
  walletActions,
} from 'viem'
import type { Recorded, RecordedLog } from './life.ts'
import { decodeAnswer, describeLog, describeRevert, encodeCall, Names } from './recordedValues.ts'

/** A call as the recordings write it, with names in place of addresses. */
export interface NamedCall {
  from: string
  in: string
  call: string
  args: readonly Recorded[]
}

interface Artifact {
  abi: Abi
  bytecode: Hex
}

/** Gas of one transaction: enough for all of them, so that nothing has to be estimated. */
const GAS = 16_000_000n

const makeClient = (transport: Transport) =>
  createTestClient({ mode: 'anvil', transport }).extend(publicActions).extend(walletActions)

/** A fresh chain with names for accounts and contracts. Every transaction has its own block and time. */
export class NamedChain {
  readonly names = new Names()
  readonly #abis = new Map<string, Abi>()
  readonly #anvil: Anvil
  readonly #socket: DevSocket
  readonly client: ReturnType<typeof makeClient>

  private constructor(anvil: Anvil) {
    this.#anvil = anvil
    this.#socket = openSocket(anvil.url)
    this.client = makeClient(this.#socket.transport)
  }

  /** @param startsAt unix time before that of the first transaction */
  static async start(startsAt: number): Promise<NamedChain> {
    return new NamedChain(await startAnvil({ timestamp: startsAt }))
  }

  async stop(): Promise<void> {
    await this.#socket.close()
    await this.#anvil.stop()
  }

  async deploy(name: string, artifact: Artifact, args: readonly unknown[], at: number): Promise<void> {
    const data = encodeDeployData({ abi: artifact.abi, bytecode: artifact.bytecode, args })
    const { contractAddress } = await this.#mine({ from: this.names.addressOf('admin'), data }, at)
    if (!contractAddress) throw new Error(`${name} could not be deployed.`)
    this.names.add(name, contractAddress)
    this.#abis.set(name, artifact.abi)
  }

  /** What the call would return in a block of that time, or the reason of its revert. */
  async probe(call: NamedCall, at?: number): Promise<{ returned: Recorded } | { revert: string }> {
    const abi = this.#abiOf(call.in)
    try {
      const { data } = await this.client.call({
        account: this.names.addressOf(call.from),
        to: this.names.addressOf(call.in),
        data: encodeCall(abi, call.call, call.args, this.names),
        gas: GAS,
        ...(at && { blockOverrides: { time: BigInt(at) } }),
      })
      return { returned: decodeAnswer(abi, call.call, data ?? '0x', this.names) }
    } catch (error) {
      return { revert: this.#reasonOf(error, abi) }
    }
  }

  /** Mines the call and returns what it logged. */
  async send(
    call: NamedCall,
    at: number,
  ): Promise<{ status: 'success' | 'reverted'; logs: RecordedLog[]; gasUsed: bigint }> {
    const { status, logs, gasUsed } = await this.#mine(
      {
        from: this.names.addressOf(call.from),
        to: this.names.addressOf(call.in),
        data: encodeCall(this.#abiOf(call.in), call.call, call.args, this.names),
      },
      at,
    )
    const described = logs.map((log) =>
      describeLog(this.#abiOf(this.names.nameOf(log.address)), log, this.names),
    )
    return { status, logs: described, gasUsed }
  }

  /** A view's answer, or `{ revert: reason }`. */
  async view(contract: string, call: string, args: readonly Recorded[]): Promise<Recorded> {
    const answer = await this.probe({ from: 'zero', in: contract, call, args })
    return 'revert' in answer ? answer : answer.returned
  }

  async #mine(transaction: { from: Address; to?: Address; data: Hex }, at: number) {
    await this.client.setNextBlockTimestamp({ timestamp: BigInt(at) })
    const receipt = await mineAtOnce(this.client, { gas: GAS, ...transaction })
    const block = await this.client.getBlock({ blockHash: receipt.blockHash })
    if (receipt.blockNumber !== block.number || block.timestamp !== BigInt(at)) {
      throw new Error(`The node put the transaction of ${at} into a block of ${block.timestamp}.`)
    }
    return receipt
  }

  /** Throws what is not a revert. */
  #reasonOf(error: unknown, abi: Abi): string {
    const cause = error instanceof BaseError ? error.walk((e) => e instanceof RpcRequestError) : null
    if (!(cause instanceof RpcRequestError)) throw error
    // A revert without data, after a stack overflow for example, has only the node's text.
    return isHex(cause.data) ? describeRevert(abi, cause.data, this.names) : cause.details
  }

  #abiOf(name: string): Abi {
    const abi = this.#abis.get(name)
    if (abi === undefined) throw new Error(`No contract is called ${name} here.`)
    return abi
  }
}
