import { Subscriptions } from '@remit/contracts/Subscriptions'
import { TestToken } from '@remit/contracts/TestToken'
import { type Call, callOf, MAX_TRANSACTION_GAS } from '@remit/devchain/testing/chain/block'
import { type Address, type Hex, maxUint256, parseEventLogs, type TransactionReceipt } from 'viem'
import type { Random } from '../../differential/random.ts'
import { tupleOf, units } from './protocolOn.ts'
import type { TestChain } from './useTestChain.ts'

/** A protocol in use: every kind of event that history keeps, at random, and some transactions that revert. */
export interface BusyLife {
  /** The subscriptions that were created; those of reorganised blocks may be gone. */
  readonly ids: readonly Hex[]
  readonly people: readonly Address[]
  /** Mines a block with up to `most` transactions. */
  mine(most: number): Promise<void>
  /** Mines a block on the next day and lets remit() charge what is due. */
  nextDay(): Promise<void>
  /** Has remit() charge all that is due, in as many calls as that takes, or until it no longer can. */
  remitAll(): Promise<void>
}

/** Plans that are not cancelled. Without a bound, every answer would take longer from hour to hour. */
const MOST_OPEN_PLANS = 60
/** Of remit, where it gets no further. */
const MOST_CALLS = 50

/** Gives everybody tokens and allowances, in one block, and returns what may then happen. */
export async function beginBusyLife(chain: TestChain, random: Random): Promise<BusyLife> {
  const { client, wallets, tokens, contract } = chain
  const people = [
    wallets.provider,
    wallets.otherProvider,
    wallets.alice,
    wallets.bob,
    wallets.carol,
    wallets.dave,
  ]
  const target = { address: contract, abi: Subscriptions.abi }
  const ids: Hex[] = []
  const open = new Set<Hex>()
  let texts = 0

  async function mineCalls(calls: readonly Call[]): Promise<void> {
    await client.setAutomine(false)
    try {
      // One by one: sent at once, two of one account can be given the same nonce.
      const hashes: Hex[] = []
      for (const { from, to, data, gas = MAX_TRANSACTION_GAS } of calls) {
        hashes.push(
          await client.sendTransaction({ account: from, chain: null, data, gas, ...(to && { to }) }),
        )
      }
      await client.mine({ blocks: 1 })
      for (const hash of hashes) note(await client.getTransactionReceipt({ hash }))
    } finally {
      await client.setAutomine(true)
    }
  }

  function note({ logs }: TransactionReceipt): void {
    for (const { args } of parseEventLogs({ abi: Subscriptions.abi, logs, eventName: 'SubLog' })) {
      if (args.subScriptEvent === 0) {
        ids.push(args.id)
        open.add(args.id)
      }
      if (args.subScriptEvent === 1) open.delete(args.id)
    }
  }

  function something(): Call {
    const who = random.pick(people)
    const mayCreate = open.size < MOST_OPEN_PLANS
    const id = (mayCreate && random.oneIn(6)) || ids.length === 0 ? undefined : random.pick(ids)
    if (id === undefined) {
      const token = random.pick([tokens.usdc, tokens.dai])
      const details = { url: '', description: `Plan ${++texts}` }
      const amount = units(String(1 + random.below(50)))
      return callOf(who, target, 'createSubscription', [
        amount,
        token,
        details,
        random.below(4),
        1 + random.below(7),
      ])
    }
    switch (random.weighted({ subscribe: 8, unsubscribe: 4, cancel: 1, edit: 2, profile: 1 })) {
      case 'subscribe':
        return callOf(who, target, 'subscribe', [tupleOf(id)])
      case 'unsubscribe':
        return callOf(who, target, 'unsubscribe', [tupleOf(id)])
      case 'cancel':
        return callOf(who, target, 'cancelSubscription', [tupleOf(id)])
      case 'edit':
        return callOf(who, target, 'editDetails', [{ url: '', description: `Edit ${++texts}` }, id])
      case 'profile': {
        const profile = {
          description: '',
          company: `Company ${++texts}`,
          url: '',
          domain: '',
          email: '',
          misc: '',
        }
        return callOf(who, target, 'editProvDetails', [profile])
      }
    }
  }

  const means = people.flatMap((person) =>
    [tokens.usdc, tokens.dai].flatMap((address) => [
      callOf(person, { address, abi: TestToken.abi }, 'mint', [person, 10n ** 30n]),
      callOf(person, { address, abi: TestToken.abi }, 'approve', [contract, maxUint256]),
    ]),
  )
  await mineCalls(means.map((call) => ({ ...call, gas: 200_000n })))

  return {
    ids,
    people,
    mine: (most) =>
      mineCalls(Array.from({ length: 1 + random.below(most) }, () => ({ ...something(), gas: 1_500_000n }))),
    async nextDay() {
      await chain.advanceDays(1)
      await mineCalls([callOf(wallets.keeper, target, 'remit', [])])
    },
    async remitAll() {
      const { timestamp } = await client.getBlock()
      const today = Math.floor(Number(timestamp) / 86_400)
      const firstDue = () => client.readContract({ ...target, functionName: 'nextUncheckedDay' })
      for (let calls = 0; calls < MOST_CALLS && (await firstDue()) <= today; calls += 1) {
        await mineCalls([callOf(wallets.keeper, target, 'remit', [])])
      }
    },
  }
}
