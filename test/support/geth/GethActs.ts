import { Bytes } from '@remit/engine/schema/hex'
import { HexQuantity } from '@remit/engine/schema/numbers'
import {
  type Address,
  getAddress,
  type Hex,
  hexToNumber,
  isHex,
  keccak256,
  numberToHex,
  parseGwei,
} from 'viem'
import type { LocalAccount } from 'viem/accounts'
import * as z from 'zod'
import { NodeError } from './Engine.ts'
import type { BlockPlan, GethChain } from './GethChain.ts'
import { testAccounts } from './genesis.ts'

const Sent = z.looseObject({
  from: z.string().transform((text) => getAddress(text)),
  to: z
    .string()
    .transform((text) => getAddress(text))
    .optional(),
  data: Bytes.optional(),
  input: Bytes.optional(),
  value: HexQuantity.optional(),
  gas: HexQuantity.optional(),
})

type Sent = z.output<typeof Sent>

/** Seconds, blocks, or a place in a list: as a number, or in hex. */
const Count = z.union([
  z.number(),
  z.custom<Hex>((value) => isHex(value)).transform((hex) => hexToNumber(hex)),
])

/** What a branch holds: a transaction, and in which of its blocks, from 0. */
const Included = z.array(z.tuple([Sent, z.number()]))

type Act = (params: readonly unknown[]) => Promise<unknown>

/** Room for a base fee that rises while a test goes on. */
const MAX_FEE = parseGwei('100')

/**
 * What tests ask of anvil, done on a geth: to send from unlocked accounts, to mine, to go back to a snapshot, to
 * replace blocks. One after the other, as they are asked for.
 */
export class GethActs {
  readonly #chain: GethChain
  readonly #chainId: number
  readonly #signers: ReadonlyMap<Address, LocalAccount>
  /** Signed transactions that wait for a block, in order of arrival, with who sends them. */
  #waiting: { readonly from: Address | undefined; readonly raw: Hex }[] = []
  #minesAtOnce = true
  #nextTimestamp: number | undefined
  readonly #snapshots: bigint[] = []
  #last: Promise<unknown> = Promise.resolve()

  constructor(chain: GethChain, chainId: number) {
    this.#chain = chain
    this.#chainId = chainId
    this.#signers = new Map(testAccounts().map((account) => [account.address, account]))
  }

  /** What a method of anvil's does here; `undefined` for one that is geth's. */
  find(method: string): Act | undefined {
    const act = this.#acts[method]
    return act && ((params) => this.#inTurn(() => act(params)))
  }

  readonly #acts: Readonly<Record<string, Act>> = {
    eth_accounts: async () => [...this.#signers.keys()],
    eth_sendTransaction: ([sent]) => this.#send(sent),
    // Each transaction has a block of its own at once, so there is nothing to wait for.
    eth_sendTransactionSync: async ([sent]) => ({ transactionHash: await this.#send(sent) }),
    eth_sendRawTransaction: ([raw]) => this.#accept({ from: undefined, raw: Bytes.parse(raw) }),
    // Not behind anybody's back: a transaction is answered when its block is made and the pool is done with it.
    anvil_getAutomine: async () => false,
    evm_setAutomine: async ([isOn]) => {
      this.#minesAtOnce = z.boolean().parse(isOn)
    },
    evm_setNextBlockTimestamp: async ([timestamp]) => {
      this.#nextTimestamp = Count.parse(timestamp)
    },
    anvil_mine: async ([count, interval]) => {
      const [blocks, seconds] = [Count.parse(count ?? 1), Count.parse(interval ?? 1)]
      for (let made = 0; made < blocks; made += 1) await this.#mine(made === 0 ? 1 : seconds)
    },
    evm_snapshot: async () => {
      const { number } = await this.#chain.header()
      return numberToHex(this.#snapshots.push(number) - 1)
    },
    evm_revert: async ([id]) => {
      const number = this.#snapshots[Count.parse(id)]
      if (number === undefined) throw new Error('There is no such snapshot')
      this.#waiting = []
      this.#nextTimestamp = undefined
      await this.#chain.goBackTo(number)
      return true
    },
    // The genesis has what tests need; geth lays code nowhere afterwards.
    anvil_setCode: async ([address, code]) => {
      const there = await this.#chain.ask('eth_getCode', [address, 'latest'])
      if (there !== code) throw new Error('The code of an account stands in the genesis of a geth')
    },
    anvil_reorg: async ([depth, included]) => this.#reorganise(Count.parse(depth), Included.parse(included)),
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work, work)
    this.#last = turn.catch(() => undefined)
    return turn
  }

  async #send(sent: unknown): Promise<Hex> {
    const transaction = Sent.parse(sent)
    const raw = await this.#sign(transaction)
    return this.#accept({ from: transaction.from, raw })
  }

  async #accept(sent: { readonly from: Address | undefined; readonly raw: Hex }): Promise<Hex> {
    if (!this.#minesAtOnce) await this.#show(sent.raw)
    this.#waiting.push(sent)
    if (this.#minesAtOnce) {
      try {
        await this.#mine(1)
      } catch (error) {
        this.#waiting.pop()
        throw error
      }
    }
    return keccak256(sent.raw)
  }

  /**
   * Puts a transaction into geth's pool, where others see it. Blocks are not made from there: a reorg puts what it
   * has dropped back into the pool, and that may stand in the way.
   */
  async #show(raw: Hex): Promise<void> {
    try {
      await this.#chain.ask('eth_sendRawTransaction', [raw])
    } catch (error) {
      if (!(error instanceof NodeError) || !/replacement|already known/.test(error.message)) throw error
    }
  }

  async #mine(seconds: number): Promise<void> {
    const { timestamp } = await this.#chain.header()
    const transactions = this.#waiting.map(({ raw }) => raw)
    await this.#chain.mine({ timestamp: this.#nextTimestamp ?? Number(timestamp) + seconds, transactions })
    this.#nextTimestamp = undefined
    this.#waiting = []
  }

  /** Has a branch replace the newest blocks: as many, of the same times, with these transactions and no others. */
  async #reorganise(depth: number, included: z.output<typeof Included>): Promise<void> {
    const { number } = await this.#chain.header()
    const ancestor = numberToHex(number - BigInt(depth))
    const nonces = new Map<Address, number>()
    const branch: BlockPlan[] = []
    for (let index = 0; index < depth; index += 1) {
      const { timestamp } = await this.#chain.header(number - BigInt(depth - 1 - index))
      const transactions: Hex[] = []
      for (const [sent] of included.filter(([, block]) => block === index)) {
        const nonce = nonces.get(sent.from) ?? (await this.#minedBy(sent.from, ancestor))
        nonces.set(sent.from, nonce + 1)
        transactions.push(await this.#sign(sent, nonce))
      }
      branch.push({ timestamp: Number(timestamp), transactions })
    }
    await this.#chain.reorganise(depth, branch)
  }

  async #sign(sent: Sent, nonce?: number): Promise<Hex> {
    const signer = this.#signers.get(sent.from)
    if (signer?.signTransaction === undefined) throw new Error(`${sent.from} is no unlocked account here`)
    const { to, value = 0n, data = sent.input ?? '0x' } = sent
    const call = { from: sent.from, ...(to && { to }), data, value: numberToHex(value) }
    const gas = sent.gas ?? HexQuantity.parse(await this.#chain.ask('eth_estimateGas', [call]))
    return signer.signTransaction({
      type: 'eip1559',
      chainId: this.#chainId,
      nonce: nonce ?? (await this.#nonceOf(sent.from)),
      ...(to && { to }),
      data,
      value,
      gas,
      maxFeePerGas: MAX_FEE,
      maxPriorityFeePerGas: 1n,
    })
  }

  async #nonceOf(from: Address): Promise<number> {
    const waiting = this.#waiting.filter((sent) => sent.from === from).length
    return waiting + (await this.#minedBy(from, 'latest'))
  }

  async #minedBy(from: Address, block: string): Promise<number> {
    return Number(HexQuantity.parse(await this.#chain.ask('eth_getTransactionCount', [from, block])))
  }
}
