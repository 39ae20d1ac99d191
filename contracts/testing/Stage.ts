import { formatUnits, maxUint256, parseUnits } from 'viem'
import { z } from 'zod'
import { revertTo } from '../../test/support/chain/revertTo.ts'
import { ReplayToken } from '../generated/ReplayToken.ts'
import { Subscriptions } from '../generated/Subscriptions.ts'
import type { Recorded, RecordedLog } from './life.ts'
import { NamedChain } from './NamedChain.ts'

const accounts = ['admin', 'janitor', 'caller', 'provider', 'stranger', 'ann', 'ben', 'cid', 'dot', 'eve']
const payers = ['ann', 'ben', 'cid', 'dot', 'eve']
const tokens = { token18: 18, token6: 6, token20: 20 }
const events = [
  'CREATE',
  'CANCEL',
  'PROVPAID',
  'FAILED',
  'PROVREFUND',
  'SUBPAID',
  'SUBSCRIBED',
  'UNSUBSCRIBED',
  'FEEFILL',
  'SUBREFUND',
]
const frequencies = ['WEEKLY', 'MONTHLY', 'QUARTERLY', 'YEARLY'] as const

export type Terms = {
  frequency: (typeof frequencies)[number]
  dueDay: number
  /** In whole tokens. */
  amount?: string
  token?: keyof typeof tokens
  provider?: string
}

export type Setting = {
  callerFee?: bigint
  systemFee?: bigint
  maxRemits?: bigint
  cancelLimit?: bigint
  allowSystemFee?: boolean
}

export const zeroId = `0x${'00'.repeat(32)}`

export const dayNumber = (date: string) => Date.parse(`${date}T00:00:00Z`) / 86_400_000

/**
 * A few accounts on a fresh chain, with more funds and allowances than they need. Subscriptions have one-letter names.
 *
 * The caller's fee is 2 %, and the first day is the Monday of 2 March 2026 with no unchecked day before it.
 */
export class Stage {
  readonly chain: NamedChain
  readonly #ids = new Map<string, { id: string; tuple: Record<string, Recorded> }>()
  #clock: number
  #saved = { snapshot: '0x0' as `0x${string}`, clock: 0 }

  private constructor(chain: NamedChain, clock: number) {
    this.chain = chain
    this.#clock = clock
  }

  static async open(setting: Setting = {}): Promise<Stage> {
    const monday = Date.parse('2026-03-02T12:00:00Z') / 1000
    const chain = await NamedChain.start(monday - 3600)
    const stage = new Stage(chain, monday - 60)
    const addresses = await chain.client.getAddresses()
    for (const [index, name] of accounts.entries()) {
      const address = addresses[index]
      if (address === undefined) throw new Error(`anvil has no account ${index}`)
      chain.names.add(name, address)
    }
    for (const [name, decimals] of Object.entries(tokens)) {
      await chain.deploy(name, ReplayToken, [decimals], stage.#tick())
    }
    const { callerFee = 10200n, systemFee = 11000n, maxRemits = 100n, cancelLimit = 100n } = setting
    const roles = [chain.names.addressOf('admin'), chain.names.addressOf('janitor')]
    const numbers = [callerFee, systemFee, maxRemits, cancelLimit]
    await chain.deploy(
      'contract',
      Subscriptions,
      [...numbers, setting.allowSystemFee ?? false, ...roles],
      stage.#tick(),
    )
    for (const [name, decimals] of Object.entries(tokens)) {
      await stage.does('admin', 'addERC20Contract', name, '0', decimals)
      for (const payer of [...payers, 'provider']) {
        await stage.token(name, payer, 'approve', 'contract', maxUint256.toString())
        await stage.token(name, payer, 'mint', payer, parseUnits('1000000', decimals).toString())
      }
    }
    await stage.uncheckedFrom('2026-03-02')
    return stage
  }

  async save(): Promise<void> {
    this.#saved = { snapshot: await this.chain.client.snapshot(), clock: this.#clock }
  }

  /** Restores the saved state. Names given to subscriptions since then are free again. */
  async restore(): Promise<void> {
    await revertTo(this.chain.client, this.#saved.snapshot)
    this.#clock = this.#saved.clock
    this.#ids.clear()
  }

  /** Moves the clock to noon of that day. */
  travel(date: string): void {
    this.#clock = Date.parse(`${date}T12:00:00Z`) / 1000
  }

  /** Sends the call and returns its logs, one line each. */
  async does(from: string, call: string, ...args: Recorded[]): Promise<string[]> {
    return (await this.sends(from, call, ...args)).logs
  }

  async sends(from: string, call: string, ...args: Recorded[]): Promise<{ logs: string[]; gasUsed: bigint }> {
    const named = { from, in: 'contract', call, args }
    const probed = await this.chain.probe(named, this.#clock + 1)
    if ('revert' in probed) throw new Error(`${call} by ${from} reverts: ${probed.revert}`)
    const { logs, gasUsed } = await this.chain.send(named, this.#tick())
    return { logs: logs.map((log) => this.#line(log)), gasUsed }
  }

  /** Why the call reverts, or `succeeds`. It is not sent. */
  async fails(from: string, call: string, ...args: Recorded[]): Promise<string> {
    const probed = await this.chain.probe({ from, in: 'contract', call, args }, this.#clock + 1)
    return 'revert' in probed ? probed.revert : 'succeeds'
  }

  async token(token: string, from: string, call: string, ...args: Recorded[]): Promise<void> {
    await this.chain.send({ from, in: token, call, args }, this.#tick())
  }

  async view(call: string, ...args: Recorded[]): Promise<Recorded> {
    return this.chain.view('contract', call, args)
  }

  /** In whole tokens. */
  async balance(token: keyof typeof tokens, name: string): Promise<string> {
    const raw = z.string().parse(await this.chain.view(token, 'balanceOf', [name]))
    return formatUnits(BigInt(raw), tokens[token])
  }

  async feeBalance(name: string, account: string): Promise<string> {
    return formatUnits(BigInt(z.string().parse(await this.view('feeBalance', this.id(name), account))), 18)
  }

  async create(name: string, terms: Terms): Promise<void> {
    const { provider = 'provider', token = 'token18', amount = '100', dueDay } = terms
    const units = parseUnits(amount, 18).toString()
    const frequency = frequencies.indexOf(terms.frequency)
    const details = { url: '', description: name }
    await this.does(provider, 'createSubscription', units, token, details, frequency, dueDay)
    const id = (await this.#createdBy(provider)).at(-1)?.subscription.id ?? zeroId
    const tuple = { id, amount: units, provider, token, cancelled: false, frequency, dueDay }
    this.#ids.set(name, { id, tuple })
  }

  id(name: string): string {
    return this.#known(name).id
  }

  /** The struct as calls take it; `changed` replaces fields of it. */
  tuple(name: string, changed: Record<string, Recorded> = {}): Recorded {
    return { ...this.#known(name).tuple, ...changed }
  }

  async subscribe(name: string, ...subscribers: string[]): Promise<void> {
    for (const subscriber of subscribers) await this.does(subscriber, 'subscribe', this.tuple(name))
  }

  async unsubscribe(name: string, ...subscribers: string[]): Promise<void> {
    for (const subscriber of subscribers) await this.does(subscriber, 'unsubscribe', this.tuple(name))
  }

  async remit(): Promise<string[]> {
    return this.does('caller', 'remit')
  }

  async uncheckedFrom(date: string): Promise<void> {
    await this.does('admin', 'setNextUncheckedDay', dayNumber(date))
  }

  async maxRemits(limit: number): Promise<void> {
    await this.does('admin', 'changeMaxRemits', limit)
  }

  /** The names on the due list of a frequency, in its order. */
  async due(frequency: Terms['frequency'], dueDay: number): Promise<string> {
    const ids = z
      .array(z.string())
      .parse(await this.view('getIdByTime', frequencies.indexOf(frequency), dueDay))
    return ids.map((id) => this.#nameOf(id)).join(' ')
  }

  /** Of the subscriber set, listed accounts included. */
  async setSize(name: string): Promise<number> {
    const { id, tuple } = this.#known(name)
    const created = await this.#createdBy(z.string().parse(tuple.provider))
    return Number(created.find(({ subscription }) => subscription.id === id)?.totalSubscribers)
  }

  /** Who pays whom in a list of log lines, without the rest of it. */
  static transfers(lines: string[]): string[] {
    return lines.filter((line) => line.includes(' -> '))
  }

  async #createdBy(provider: string) {
    return z
      .array(z.object({ subscription: z.object({ id: z.string() }), totalSubscribers: z.string() }))
      .parse(await this.view('getAccountSubscriptions', false, provider))
  }

  #tick(): number {
    this.#clock += 1
    return this.#clock
  }

  #known(name: string) {
    const known = this.#ids.get(name)
    if (known === undefined) throw new Error(`No subscription is called ${name}.`)
    return known
  }

  #nameOf(id: Recorded | undefined): string {
    return [...this.#ids].find(([, known]) => known.id === id)?.[0] ?? 'new'
  }

  #line({ in: place, event, args }: RecordedLog): string {
    const whole = (value: Recorded | undefined, decimals: number) =>
      formatUnits(BigInt(z.string().parse(value)), decimals)
    const { subscriber } = args
    switch (event) {
      case 'Transfer': {
        const decimals = Object.entries(tokens).find(([name]) => name === place)?.[1] ?? 18
        return `${args.from} -> ${args.to} ${whole(args.value, decimals)} ${place}`
      }
      case 'SubLog':
        return `${this.#nameOf(args.id)} ${events[Number(args.subScriptEvent)]} ${subscriber} ${whole(args.amount, 18)}`
      case 'UList':
        return `${this.#nameOf(args.id)} UList ${subscriber}`
      case 'Coordinates':
        return `${this.#nameOf(args.id)} at ${args.subscriptionIndex}:${args.subscriberIndex} of ${frequencies[Number(args.frequency)]}`
      case 'CallerLog':
        return `day ${args.checkedDay} ${args.isFinished ? 'finished' : 'broken off'}`
      default:
        return event
    }
  }
}
