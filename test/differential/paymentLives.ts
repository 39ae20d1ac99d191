import { TestToken } from '@remit/contracts/TestToken'
import { type Address, encodeFunctionData, parseUnits } from 'viem'
import { contractAt } from '../support/chain/contractAt.ts'
import { DETAILS, tupleOf, units } from '../support/chain/protocolOn.ts'
import type { TestChain } from '../support/chain/useTestChain.ts'
import { act } from './acts.ts'
import { type Random, randomOf } from './random.ts'
import { createdIn, noteCreated, openWorld, type World } from './world.ts'

const MINT = { abi: TestToken.abi, functionName: 'mint' } as const
const STEPS = 120

export interface PaymentLives {
  readonly world: World
  readonly payers: readonly Address[]
  readonly providers: readonly Address[]
  /** Lets people subscribe, pay, fail, leave and be removed, in every token. Two of one seed are the same. */
  live(seed: number): Promise<void>
}

/** Random lives in which much is paid, on a chain that each life finds as this leaves it. */
export async function openPaymentLives(chain: TestChain): Promise<PaymentLives> {
  const world = await openWorld(chain)
  const { alice, bob, carol, dave, provider, otherProvider } = chain.wallets
  const payers = [alice, bob, carol, dave]
  const providers = [provider, otherProvider]
  for (const { address, decimals } of world.tokens) {
    for (const account of payers) {
      const token = contractAt(chain.client, address, TestToken.abi)
      await token.send(account, 'mint', [account, parseUnits('400', decimals)])
    }
  }
  return {
    world,
    payers,
    providers,
    async live(seed) {
      const random = randomOf(seed)
      world.subscriptions.length = 0
      for (let step = 0; step < STEPS; step += 1) {
        if (random.oneIn(3)) await act(world, random)
        else await deal(world, random, { payers, providers })
      }
    },
  }
}

/** What people do with the protocol by hand, beside what happens to them. */
async function deal(
  world: World,
  random: Random,
  { payers, providers }: Pick<PaymentLives, 'payers' | 'providers'>,
): Promise<void> {
  const { protocolCall, tokenCall, send, subscriptions, chain } = world
  const { wallets } = chain
  const subscription = random.oneIn(5) ? undefined : subscriptions.at(random.below(subscriptions.length))
  if (subscription === undefined) {
    const { address } = random.pick(world.tokens)
    const args = [units(String(3 + random.below(9))), address, DETAILS, random.below(4), 1 + random.below(7)]
    const { logs } = await send(random.pick(providers), protocolCall('createSubscription', args))
    const id = createdIn(world, logs)
    if (id !== undefined) await noteCreated(world, id)
    return
  }
  const { id, token, provider } = subscription
  const who = random.pick(payers)
  const subscribe = async () => {
    const raw = parseUnits(String(random.pick([12, 30, 90])), world.tokenAt(token).decimals)
    await send(who, { to: token, data: encodeFunctionData({ ...MINT, args: [who, raw] }) })
    await send(who, tokenCall(token, 'approve', [chain.contract, 0n]))
    await send(who, tokenCall(token, 'approve', [chain.contract, raw]))
    await send(who, protocolCall('subscribe', [tupleOf(id)]))
  }
  const ways = {
    subscribe,
    remit: () => send(wallets.keeper, protocolCall('remit', [])),
    unsubscribe: () => send(who, protocolCall('unsubscribe', [tupleOf(id)])),
    remove: () => send(provider, protocolCall('unsubscribeByProvider', [tupleOf(id), who])),
    async spend() {
      const held = (await world.holdings()).balance(token, who)
      await send(who, tokenCall(token, 'transfer', [wallets.stranger, held]))
      if (random.oneIn(2)) await send(who, tokenCall(token, 'approve', [chain.contract, 0n]))
    },
    cancel: () => send(provider, protocolCall('cancelSubscription', [tupleOf(id)])),
  }
  await ways[random.weighted({ subscribe: 8, remit: 10, unsubscribe: 2, remove: 1, spend: 3, cancel: 1 })]()
}
