import type { Life, RecordedLog, Step } from '@remit/contracts/testing/life'
import { dayNumberAt } from '@remit/protocol/calendar'
import { subscriptionFee } from '@remit/protocol/fees'
import type { SubscriberCharge, TokenTransfer } from '@remit/protocol/remit/remitState'
import {
  type Checkpoint,
  dueListsBetween,
  type RemitBacklog,
  type RemitState,
} from '@remit/protocol/remit/remitState'
import { parseFrequency, type SubscriptionTerms } from '@remit/protocol/subscription'
import { type Address, getAddress, type Hex, maxUint256, zeroAddress } from 'viem'
import { z } from 'zod'

const SubLogArgs = z.object({
  id: z.string(),
  provider: z.string(),
  subscriber: z.string(),
  amount: z.string().transform(BigInt),
  token: z.string(),
  subScriptEvent: z.number(),
})
const TransferArgs = z.object({
  from: z.string(),
  to: z.string(),
  value: z.string().transform(BigInt),
})
const Tuple = z.object({ id: z.string() })

export const CONTRACT = getAddress('0x00000000000000000000000000000000000c0de0')

/** A subscription as the recorded calls have left it. */
export interface RecordedSubscription {
  terms: SubscriptionTerms
  subscribers: Address[]
  /** The unsubscribed list. */
  listed: Address[]
}

/**
 * The contract's state, rebuilt from what a recording says of every call but remit.
 *
 * Remit is left to the model under test, whose outcome is put in with `applyRemit`.
 */
export class RecordedLife {
  readonly recording: Life
  readonly subscriptions = new Map<Hex, RecordedSubscription>()
  readonly dueLists = new Map<string, Hex[]>()
  readonly feeBalances = new Map<string, bigint>()
  readonly balances = new Map<string, bigint>()
  readonly allowances = new Map<string, bigint>()
  readonly #addresses: ReadonlyMap<string, Address>
  readonly #decimals: ReadonlyMap<Address, number>
  readonly #paused = new Set<Address>()
  nextUncheckedDay: number
  checkpoint: Checkpoint | undefined
  callerFee: bigint
  #maxRemits: number
  #systemFeeOn: boolean

  constructor(recording: Life) {
    this.recording = recording
    const { callerFee, maxRemits, allowSystemFee } = recording.constructor
    const tokens = recording.tokens.map(
      ({ alias }, index) => [alias, getAddress(`0x${(index + 1).toString(16).padStart(40, '7')}`)] as const,
    )
    const accounts = Object.entries(recording.accounts).map(
      ([name, address]) => [name, getAddress(address)] as const,
    )
    this.#addresses = new Map([...tokens, ...accounts, ['contract', CONTRACT], ['zero', zeroAddress]])
    this.#decimals = new Map(recording.tokens.map((token) => [this.address(token.alias), token.decimals]))
    this.nextUncheckedDay = dayNumberAt(recording.deployedAt) - 2
    this.callerFee = BigInt(callerFee)
    this.#maxRemits = Number(maxRemits)
    this.#systemFeeOn = allowSystemFee
    for (const step of recording.setup) this.apply(step)
  }

  address(name: string): Address {
    const address = this.#addresses.get(name)
    if (address === undefined) throw new Error(`The recording names no ${name}`)
    return address
  }

  subscription(id: string): RecordedSubscription {
    const subscription = this.subscriptions.get(hex(id))
    if (subscription === undefined) throw new Error(`The recording has not created ${id}`)
    return subscription
  }

  decimals(token: Address): number {
    const decimals = this.#decimals.get(token)
    if (decimals === undefined) throw new Error(`The recording has no token ${token}`)
    return decimals
  }

  feeBalance(id: Hex, subscriber: Address): bigint {
    return this.feeBalances.get(`${id}:${subscriber}`) ?? 0n
  }

  transfers(step: Step): TokenTransfer[] {
    return logsOf(step)
      .filter(({ event }) => event === 'Transfer')
      .map((log) => {
        const { from, to, value } = TransferArgs.parse(log.args)
        const token = this.address(log.in)
        return { token, from: this.address(from), to: this.address(to), amountRaw: value }
      })
  }

  /** The step's SubLogs, their names turned into addresses. */
  subLogs(step: Step) {
    return logsOf(step)
      .filter(({ event }) => event === 'SubLog')
      .map(({ args }) => {
        const { id, subscriber, ...log } = SubLogArgs.parse(args)
        return { ...log, id: hex(id), subscriber: this.address(subscriber) }
      })
  }

  /** What remit would find in this step's block. */
  backlog(step: Step): RemitBacklog {
    const currentDay = dayNumberAt(step.at)
    const tokens = [...this.#decimals.keys()]
    const accounts = [...this.#addresses.values()]
    return {
      currentDay,
      nextUncheckedDay: this.nextUncheckedDay,
      maxRemits: this.#maxRemits,
      callerFee: this.callerFee,
      systemFee: this.#systemFeeOn ? BigInt(this.recording.constructor.systemFee) : undefined,
      lists: dueListsBetween(this.nextUncheckedDay, currentDay).map((list) => ({
        ...list,
        entries: this.#dueList(list.frequency, list.dueDay).map((id) => {
          const { terms, subscribers, listed } = this.subscription(id)
          return {
            terms,
            paused: this.#paused.has(terms.token),
            decimals: this.decimals(terms.token),
            subscribers: subscribers.map((address) => ({
              address,
              feeBalance: this.feeBalance(id, address),
              isUnsubscribed: listed.includes(address),
            })),
            unsubscribedCount: listed.length,
          }
        }),
      })),
      funds: tokens.flatMap((token) =>
        accounts.map((account) => ({
          token,
          account,
          balance: this.balances.get(`${token}:${account}`) ?? 0n,
          allowance: this.allowances.get(`${token}:${account}`) ?? 0n,
        })),
      ),
      ...(this.checkpoint === undefined ? {} : { checkpoint: this.checkpoint }),
      accounts: {
        contract: CONTRACT,
        caller: this.address(step.from),
        systemFeeReceiver: this.address('admin'),
      },
    }
  }

  /** Follows a step that is not a remit. */
  apply(step: Step): void {
    if (step.status === 'revert') return
    this.applyTransfers(step)
    const [first, second] = step.args
    switch (step.call) {
      case 'createSubscription':
        this.#create(step)
        break
      case 'subscribe':
        this.#subscribe(step)
        break
      case 'unsubscribe':
        this.#unsubscribe(step, this.address(step.from))
        break
      case 'unsubscribeByProvider':
        this.#unsubscribe(step, this.address(z.string().parse(second)))
        break
      case 'cancelSubscription': {
        const subscription = this.subscription(Tuple.parse(first).id)
        subscription.terms = { ...subscription.terms, cancelled: true }
        break
      }
      case 'cleanupCancelledSubscribers':
        this.#cleanUp(step)
        break
      case 'cleanUnsubscribeList':
        this.#cleanList(hex(z.string().parse(first)))
        break
      case 'approve': {
        const [, amount] = z.tuple([z.literal('contract'), z.string()]).parse(step.args)
        this.allowances.set(`${this.address(step.in)}:${this.address(step.from)}`, BigInt(amount))
        break
      }
      case 'pauseToken': {
        const token = this.address(z.string().parse(first))
        if (second === true) this.#paused.add(token)
        else this.#paused.delete(token)
        break
      }
      case 'changeMaxRemits':
        this.#maxRemits = Number(first)
        break
      case 'changeCallerFee':
        this.callerFee = BigInt(z.string().parse(first))
        break
      case 'systemFeeActivate':
        this.#systemFeeOn = first === true
        break
      case 'addERC20Contract':
      case 'editDetails':
      case 'editProvDetails':
      case 'mint':
      case 'transfer':
        break
      default:
        throw new Error(`${step.call} is not followed`)
    }
  }

  /** Follows a remit, by what the model under test has made of it. */
  applyRemit(step: Step, state: RemitState, charges: readonly SubscriberCharge[]): void {
    this.applyTransfers(step)
    this.nextUncheckedDay = state.nextUncheckedDay
    this.checkpoint = state.checkpoint
    for (const { id, subscriber, outcome } of charges) {
      if (outcome !== 'failed') continue
      const fee = subscriptionFee(this.subscription(id).terms.amount, this.callerFee)
      if (this.feeBalance(id, subscriber) > fee) this.feeBalances.set(`${id}:${subscriber}`, 0n)
    }
    for (const [key, list] of state.lists) {
      this.dueLists.set(
        key,
        list.map(({ terms }) => terms.id),
      )
      for (const { terms, subscribers } of list) {
        this.subscription(terms.id).subscribers = subscribers.map(({ address }) => address)
        for (const { address, feeBalance } of subscribers) {
          this.feeBalances.set(`${terms.id}:${address}`, feeBalance)
        }
      }
    }
  }

  applyTransfers(step: Step): void {
    for (const { token, from, to, amountRaw } of this.transfers(step)) {
      this.#add(this.balances, `${token}:${from}`, -amountRaw)
      this.#add(this.balances, `${token}:${to}`, amountRaw)
      const allowance = this.allowances.get(`${token}:${from}`)
      const byContract = step.in === 'contract' && from !== CONTRACT
      if (byContract && allowance !== undefined && allowance !== maxUint256) {
        this.allowances.set(`${token}:${from}`, allowance - amountRaw)
      }
    }
  }

  #create(step: Step): void {
    const frequency = parseFrequency(z.number().parse(step.args[3]))
    const dueDay = z.number().parse(step.args[4])
    for (const { id, amount, provider, token } of this.subLogs(step)) {
      this.subscriptions.set(id, {
        terms: {
          id,
          amount,
          provider: this.address(provider),
          token: this.address(token),
          cancelled: false,
          frequency,
          dueDay,
        },
        subscribers: [],
        listed: [],
      })
    }
  }

  #subscribe(step: Step): void {
    const subscriber = this.address(step.from)
    const { terms, subscribers, listed } = this.subscription(Tuple.parse(step.args[0]).id)
    const list = this.#dueList(terms.frequency, terms.dueDay)
    if (subscribers.length === 0 && !list.includes(terms.id)) list.push(terms.id)
    remove(listed, subscriber)
    if (!subscribers.includes(subscriber)) subscribers.push(subscriber)
    for (const { subScriptEvent, amount } of this.subLogs(step)) {
      if (subScriptEvent === 8) this.#add(this.feeBalances, `${terms.id}:${subscriber}`, amount)
    }
  }

  #unsubscribe(step: Step, subscriber: Address): void {
    const { id } = Tuple.parse(step.args[0])
    const { subscribers, listed } = this.subscription(id)
    if (this.checkpoint?.id !== id) remove(subscribers, subscriber)
    else if (!listed.includes(subscriber)) listed.push(subscriber)
    this.feeBalances.set(`${id}:${subscriber}`, 0n)
  }

  #cleanUp(step: Step): void {
    const { id } = Tuple.parse(step.args[0])
    const { subscribers, listed } = this.subscription(id)
    for (const subscriber of subscribers.splice(-Number(this.recording.constructor.cancelLimit))) {
      if (!listed.includes(subscriber)) this.feeBalances.set(`${id}:${subscriber}`, 0n)
    }
  }

  #cleanList(id: Hex): void {
    const { subscribers, listed } = this.subscription(id)
    for (const subscriber of listed.splice(-Number(this.recording.constructor.cancelLimit))) {
      remove(subscribers, subscriber)
    }
  }

  #dueList(frequency: number, dueDay: number): Hex[] {
    const key = `${frequency}:${dueDay}`
    const list = this.dueLists.get(key) ?? []
    this.dueLists.set(key, list)
    return list
  }

  #add(amounts: Map<string, bigint>, key: string, amount: bigint): void {
    amounts.set(key, (amounts.get(key) ?? 0n) + amount)
  }
}

export function logsOf(step: Step): readonly RecordedLog[] {
  return step.status === 'ok' ? step.logs : []
}

/** As the contract's sets remove: the last element moves into the gap. */
function remove(list: Address[], element: Address): void {
  const index = list.indexOf(element)
  if (index === -1) return
  const last = list.pop()
  if (last !== undefined && index < list.length) list[index] = last
}

function hex(text: string): Hex {
  return `0x${text.slice(2)}`
}
