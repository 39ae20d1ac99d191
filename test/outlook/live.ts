import { decodeLogs } from '@remit/protocol/logs/events'
import {
  type Address,
  getAddress,
  type Hex,
  isAddressEqual,
  type Log,
  maxUint256,
  numberToHex,
  parseAbi,
  zeroAddress,
} from 'viem'
import * as z from 'zod'
import type { Holdings, World } from '../differential/world.ts'

/** The most gas that a transaction may have, here as in the service. */
const REMIT_GAS = 2n ** 24n

/** Blocks of remits after the last day, before something is wrong. */
const MOST_MORE = 300

/** Something that the contract did to one payer. */
export interface Happened {
  readonly day: number
  readonly subscriptionId: Hex
  readonly account: Address
  readonly token: Address
  readonly verdict: 'pays' | 'fails'
  /** What left the wallet. */
  readonly taken: bigint
  /** What the wallet had just before, for a charge that fails. */
  readonly held: { readonly allowance: bigint; readonly balance: bigint } | null
  /** Whether money of this token had reached the wallet since the state was frozen. */
  readonly hasReceived: boolean
}

export interface Life {
  readonly happened: readonly Happened[]
  readonly nextUncheckedDay: number
  /** How remit reverts in the end: "6" where nothing is due any more. */
  readonly refusal: string | undefined
}

/**
 * Lets day after day pass, with as many remits on each as it takes, and tells what the contract did.
 * @param options.strideDays how late remit may be: on the days between nobody calls it
 */
export async function live(
  world: World,
  {
    days,
    perDay,
    isAudited,
    strideDays = 1,
  }: { days: number; perDay: number; isAudited: boolean; strideDays?: number },
): Promise<Life> {
  const { client, contract, wallets } = world.chain
  const frozen = await client.getBlock()
  const ledger = new Ledger(await world.holdings())
  const today = Math.floor(Number(frozen.timestamp) / 86_400)
  const read = (functionName: 'maxRemits' | 'nextUncheckedDay') =>
    client.readContract({ address: contract, abi: SETTINGS, functionName })
  const call = world.protocolCall('remit', [])
  const transaction = { from: wallets.keeper, ...call, gas: numberToHex(REMIT_GAS) }
  const remits = Array.from({ length: perDay }, () => ['eth_sendTransaction', [transaction]] as const)
  // The remits are all alike, so their order in the pool does not matter.
  const mine = async (timestamp?: number) => {
    await post(world.chain.url, remits)
    await post(world.chain.url, [['evm_mine', timestamp === undefined ? [] : [{ timestamp }]]])
  }
  await client.setAutomine(false)
  try {
    await mine()
    for (let day = 0; day < days; ) {
      day = Math.min(day + strideDays, days)
      await mine((today + day) * 86_400 + 43_200)
    }
    // With few subscribers in a call, a long backlog takes more calls than the days had.
    for (let more = 0; (await world.reasonFor(wallets.keeper, call)) === undefined; more += 1) {
      // Then remit breaks off before the first subscriber, each time.
      if ((await read('maxRemits')) === 0n) break
      if (more === MOST_MORE) throw new Error('Remit finds something to do again and again')
      await mine()
    }
  } finally {
    await client.setAutomine(true)
  }
  const logs = await client.getLogs({ fromBlock: frozen.number + 1n, toBlock: 'latest' })
  const nextUncheckedDay = await read('nextUncheckedDay')
  const happened = tell(world, logs, ledger)
  // What the logs say is what the tokens did: looked at now and then, because it takes long.
  if (isAudited) ledger.expectAgrees(world, await world.holdings())
  return {
    happened,
    nextUncheckedDay: Number(nextUncheckedDay),
    refusal: await world.reasonFor(wallets.keeper, call),
  }
}

const Answers = z.array(z.object({ result: z.unknown().optional(), error: z.undefined().optional() }))

/** Requests in one HTTP request, without a client: there are thousands. */
async function post(
  url: string,
  requests: readonly (readonly [string, readonly unknown[]])[],
): Promise<void> {
  const body = requests.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params }))
  const headers = { 'Content-Type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  Answers.parse(await response.json())
}

const SETTINGS = parseAbi([
  'function maxRemits() view returns (uint256)',
  'function nextUncheckedDay() view returns (uint256)',
])

/** What the logs say, in their order. */
function tell(world: World, logs: readonly Log[], ledger: Ledger): Happened[] {
  const happened: Happened[] = []
  for (const transaction of byTransaction(logs)) {
    const events = decodeLogs(transaction, world.chain.contract)
    const day = events.filter((event) => event.type === 'CallerLog').at(-1)?.checkedDay
    if (day === undefined) throw new Error('A remit has no CallerLog')
    let paying: (Omit<Happened, 'taken'> & { taken: bigint }) | undefined
    for (const event of events) {
      if (event.type === 'SubLog' && event.subscriber !== undefined) {
        const { eventName, id, subscriber, token } = event
        const { allowance, balance, hasReceived } = ledger.of(token, subscriber)
        const row = { day, subscriptionId: id, account: subscriber, token, taken: 0n, hasReceived }
        if (eventName === 'Failed') happened.push({ ...row, verdict: 'fails', held: { allowance, balance } })
        if (eventName === 'SubscriberPaid' || eventName === 'FeeFilled') {
          paying = { ...row, verdict: 'pays', held: null }
          happened.push(paying)
        }
      }
      if (event.type !== 'Transfer') continue
      const isCharge = !isAddressEqual(event.from, world.chain.contract)
      const isOnTop = world.tokenAt(event.log.address).takesMore && isAddressEqual(event.to, zeroAddress)
      ledger.move(event.log.address, event, isCharge && !isOnTop)
      // Fees of the token itself are burnt out of what the receiver got.
      if (isCharge && paying !== undefined && isAddressEqual(event.from, paying.account)) {
        paying.taken += event.amountRaw
      }
    }
  }
  return happened
}

function byTransaction(logs: readonly Log[]): Log[][] {
  const transactions = new Map<string, Log[]>()
  for (const log of logs) {
    const key = log.transactionHash ?? 'none'
    transactions.set(key, [...(transactions.get(key) ?? []), log])
  }
  return [...transactions.values()]
}

interface Held {
  allowance: bigint
  balance: bigint
  hasReceived: boolean
}

/** What everybody holds, followed from log to log. */
class Ledger {
  readonly #held = new Map<string, Held>()
  readonly #start: Holdings

  constructor(start: Holdings) {
    this.#start = start
  }

  of(token: Address, account: Address): Held {
    const key = `${getAddress(token)}:${getAddress(account)}`
    const isKnown = this.#start.accounts.includes(getAddress(account))
    const held = this.#held.get(key) ?? {
      allowance: isKnown ? this.#start.allowance(token, account) : 0n,
      balance: isKnown ? this.#start.balance(token, account) : 0n,
      hasReceived: false,
    }
    this.#held.set(key, held)
    return held
  }

  move(token: Address, { from, to, amountRaw }: Transfer, byAllowance: boolean): void {
    const [sender, receiver] = [this.of(token, from), this.of(token, to)]
    sender.balance -= amountRaw
    receiver.balance += amountRaw
    if (amountRaw > 0n) receiver.hasReceived = true
    if (byAllowance && sender.allowance !== maxUint256) sender.allowance -= amountRaw
  }

  /** A token with fees of its own burns them without the payer's allowance. Everything else must add up. */
  expectAgrees(world: World, end: Holdings): void {
    for (const key of this.#held.keys()) {
      const [token, account] = key.split(':').map((part) => getAddress(part))
      if (token === undefined || account === undefined || !end.accounts.includes(account)) continue
      const followed = this.of(token, account).balance
      if (followed !== end.balance(token, account)) {
        throw new Error(`${world.nameOf(account)} holds other ${world.nameOf(token)} than its logs say`)
      }
    }
  }
}

interface Transfer {
  readonly from: Address
  readonly to: Address
  readonly amountRaw: bigint
}
