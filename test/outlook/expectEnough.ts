import { TestToken } from '@remit/contracts/TestToken'
import { type Address, encodeFunctionData } from 'viem'
import { expect } from 'vitest'
import type { Random } from '../differential/random.ts'
import type { World } from '../differential/world.ts'
import { live } from './live.ts'
import type { TestedOutlook } from './outlooksOf.ts'

type Lack = TestedOutlook['wallet']['tokens'][number]

/**
 * Adds what an outlook says must be added, to the last unit, and lets the days pass: remit drops the wallet from nothing.
 * Now and then one unit less is added where the outlook says that this is the least: then remit drops it.
 * @returns what was tried, in a word; `undefined` where nothing has to be added
 */
export async function expectEnough(
  world: World,
  random: Random,
  { account, outlook, days }: { account: Address; outlook: TestedOutlook; days: number },
): Promise<string | undefined> {
  const { tokens } = outlook.wallet
  const short = tokens.filter(isShort)
  if (short.length === 0) return undefined
  const tried = outlook.remit.stop === null && random.oneIn(2) ? short.filter(isLeast(world)) : []
  const least = tried.length === 0 ? undefined : random.pick(tried)
  const { happened, refusal } = await world.aside(async () => {
    for (const lack of short) await add(world, account, lack, lack === least ? random : undefined)
    return live(world, { days, perDay: 3, isAudited: false })
  })
  const own = happened.filter((row) => row.account === account)
  // Whether it takes more than it is asked for, only a charge can show.
  const isHidden = (token: Address) =>
    world.tokenAt(token).takesMore === true &&
    tokens.every((row) => row.token.address !== token || row.toAddIs !== 'atLeast')
  const fallen = own.filter(({ verdict, token }) => verdict === 'fails' && !isHidden(token))
  const others = fallen.filter(({ token }) => token !== least?.token.address)
  expect(
    others.map(({ day, subscriptionId }) => `${day} ${world.nameOf(subscriptionId)}`),
    `${world.nameOf(account)} has added ${JSON.stringify(short, (_, value) => (typeof value === 'bigint' ? `${value}` : value))}`,
  ).toEqual([])
  if (least === undefined) return short.length > 1 ? 'enough in two tokens' : 'enough'
  const hasReceived = own.some((row) => row.token === least.token.address && row.hasReceived)
  if (hasReceived || refusal !== '6') return undefined
  const name = world.nameOf(least.token.address)
  expect(fallen.length, `${world.nameOf(account)} lacks a unit of ${name}`).toBeGreaterThan(0)
  return 'least'
}

function isShort({ toAdd }: Lack): boolean {
  return toAdd.allowance > 0n || toAdd.balance > 0n
}

function isLeast(world: World) {
  return ({ token, toAddIs }: Lack) => toAddIs === 'least' && !world.tokenAt(token.address).takesMore
}

/** @param shortOf takes one unit off one of both, where it is given */
async function add(world: World, account: Address, { token, toAdd }: Lack, shortOf?: Random): Promise<void> {
  const { contract } = world.chain
  const held = (await world.holdings()).allowance(token.address, account)
  const fields = (['allowance', 'balance'] as const).filter((field) => toAdd[field] > 0n)
  const less = shortOf?.pick(fields)
  const of = (field: 'allowance' | 'balance') => toAdd[field] - (field === less ? 1n : 0n)
  const args = [account, of('balance')] as const
  await world.send(account, {
    to: token.address,
    data: encodeFunctionData({ abi: TestToken.abi, functionName: 'mint', args }),
  })
  if (toAdd.allowance === 0n) return
  for (const amount of [0n, held + of('allowance')]) {
    await world.send(account, world.tokenCall(token.address, 'approve', [contract, amount]))
  }
}
