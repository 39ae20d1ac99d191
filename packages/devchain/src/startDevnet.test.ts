import { existsSync } from 'node:fs'
import { Multicall3 } from '@remit/contracts/Multicall3'
import { Subscriptions } from '@remit/contracts/Subscriptions'
import { UsdcLikeToken } from '@remit/contracts/UsdcLikeToken'
import { type Address, domainSeparator, erc20Abi, parseEventLogs, parseUnits } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDevClient, type DevClient } from './chain/client.ts'
import { MULTICALL3_ADDRESS } from './chain/deploy.ts'
import { type Devnet, startDevnet } from './startDevnet.ts'
import type { PlanName } from './story/cast.ts'

const EVENTS =
  'CREATE CANCEL PROVPAID FAILED PROVREFUND SUBPAID SUBSCRIBED UNSUBSCRIBED FEEFILL SUBREFUND'.split(' ')

const DATES = [
  ['the wall clock’s present', undefined],
  ['a leap day', '2028-02-29T12:00:00Z'],
  ['the day after a leap day', '2028-03-01T12:00:00Z'],
  ['the last day of a short month', '2027-02-28T12:00:00Z'],
  ['a 31st', '2027-07-31T12:00:00Z'],
  ['a 92nd day of a quarter', '2027-09-30T12:00:00Z'],
  ['a 366th day of a year', '2028-12-31T12:00:00Z'],
  ['the first second of a year', '2027-01-01T00:00:00Z'],
  ['the last second of a day', '2027-06-16T23:59:59Z'],
] as const

describe.each(DATES)('a dev chain on %s', (_, date) => {
  let devnet: Devnet
  let client: DevClient
  let today = 0
  beforeAll(async () => {
    const now = date === undefined ? undefined : Date.parse(date) / 1000
    devnet = await startDevnet(now === undefined ? {} : { now })
    client = createDevClient(devnet.url)
    today = Math.floor((now ?? Number((await client.getBlock()).timestamp)) / 86_400)
  })
  afterAll(() => devnet.stop())

  const contract = () => ({ address: devnet.contractAddress, abi: Subscriptions.abi })
  const subscribersOf = async (plan: PlanName) => {
    const args = [devnet.cast[plan].id] as const
    const rows = await client.readContract({ ...contract(), functionName: 'getSubscribersById', args })
    return rows.map(({ subscriber }) => subscriber)
  }
  const allLogs = async () =>
    parseEventLogs({
      abi: Subscriptions.abi,
      logs: await client.getLogs({ address: devnet.contractAddress, fromBlock: 0n }),
    })
  const subLogs = async () =>
    (await allLogs()).flatMap((log) =>
      log.eventName === 'SubLog' ? [{ ...log.args, event: EVENTS[log.args.subScriptEvent] }] : [],
    )
  const weekDay = () => new Date(today * 86_400_000).getUTCDay() || 7

  test('has its clock at that time, after a history of few blocks', async () => {
    const { timestamp, number } = await client.getBlock()
    const now = date === undefined ? Date.now() / 1000 : Date.parse(date) / 1000
    expect(Math.abs(Number(timestamp) - now)).toBeLessThan(date === undefined ? 30 : 1)
    expect(number).toBeLessThan(60n)
    const { timestamp: first } = await client.getBlock({ blockNumber: BigInt(devnet.firstBlock) })
    expect(Math.floor(Number(first) / 86_400)).toBe(today - 42)
  })

  test('has the same addresses as on any other date, and Multicall3 in its usual place', async () => {
    expect(devnet.chainId).toBe(31_337)
    expect(await client.getChainId()).toBe(31_337)
    expect([devnet.contractAddress, devnet.tokens.usdc, devnet.tokens.dai]).toEqual([
      '0x5FbDB2315678afecb367f032d93F642f64180aa3',
      '0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512',
      '0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0',
    ])
    expect(await client.getCode({ address: MULTICALL3_ADDRESS })).toBe(Multicall3.deployedBytecode)
  })

  test('has a USDC that takes permits as the live one does, in a domain of its own name', async () => {
    const token = { address: devnet.tokens.usdc, abi: UsdcLikeToken.abi } as const
    const domain = {
      name: 'USD Coin (dev chain)',
      version: '2',
      chainId: devnet.chainId,
      verifyingContract: devnet.tokens.usdc,
    }
    expect(await client.readContract({ ...token, functionName: 'DOMAIN_SEPARATOR' })).toBe(
      domainSeparator({ domain }),
    )
    const args = [devnet.wallets.newcomer] as const
    expect(await client.readContract({ ...token, functionName: 'nonces', args })).toBe(0n)
  })

  test('has remitted every day before today, and something is due today', async () => {
    expect(await client.readContract({ ...contract(), functionName: 'nextUncheckedDay' })).toBe(today)
    const args = [0n, weekDay()] as const
    const due = await client.readContract({ ...contract(), functionName: 'getIdByTime', args })
    expect(due).toContain(devnet.cast.coffeeWeekly.id)
    const { ada, ben, cleo, keeper } = devnet.wallets
    expect(await subscribersOf('coffeeWeekly')).toEqual([ada, ben, cleo])
    await client.simulateContract({ ...contract(), account: keeper, functionName: 'remit' })
  })

  test('has subscriptions of all frequencies, each with subscribers and charged by remit', async () => {
    const { coffeeWeekly, newsMonthly, serverQuarterly, archiveYearly } = devnet.cast
    const plans = { coffeeWeekly, newsMonthly, serverQuarterly, archiveYearly }
    const logs = await subLogs()
    for (const [name, { id, frequency }] of Object.entries(plans)) {
      const paid = logs.filter((log) => log.id === id && log.event === 'SUBPAID')
      expect(paid.length, name).toBeGreaterThan(0)
      const args = [id] as const
      const record = await client.readContract({ ...contract(), functionName: 'idSubMap', args })
      expect(record[5]).toBe(frequency)
    }
    const frequencies = Object.values(plans).map(({ frequency }) => frequency)
    expect(frequencies).toEqual([0, 1, 2, 3])
    expect(await subscribersOf('newsMonthly')).toEqual([devnet.wallets.ada])
  })

  test('has logged every kind of event, edited details and provider profiles', async () => {
    const kinds = new Set((await subLogs()).map(({ event }) => event))
    expect([...kinds].sort()).toEqual([...EVENTS].sort())
    const logs = await allLogs()
    const details = logs.filter(
      (log) => log.eventName === 'DetailsLog' && log.args.id === devnet.cast.newsMonthly.id,
    )
    expect(details).toHaveLength(3)
    const profiles = logs.flatMap((log) => (log.eventName === 'ProvDetailsLog' ? [log.args.company] : []))
    expect(profiles).toEqual(['Coffee House', 'The Morning Paper', 'Coffee House'])
  })

  test('has dropped dan for a failed payment, cleo has unsubscribed, and eve was removed', async () => {
    const { dan, cleo, eve } = devnet.wallets
    const { beansWeekly, newsMonthly } = devnet.cast
    const logs = await subLogs()
    const failed = logs.filter(({ event }) => event === 'FAILED')
    expect(failed.map(({ id, subscriber }) => [id, subscriber])).toEqual([[beansWeekly.id, dan]])
    expect(await statusOf(dan, beansWeekly.id)).toBe(2)
    expect(await statusOf(cleo, newsMonthly.id)).toBe(2)
    expect(await statusOf(eve, newsMonthly.id)).toBe(2)
  })

  test('has a cancelled subscription that the janitor has refunded', async () => {
    const { id } = devnet.cast.podcastWeekly
    const record = await client.readContract({ ...contract(), functionName: 'idSubMap', args: [id] })
    expect(record[4]).toBe(true)
    expect(await statusOf(devnet.wallets.eve, id)).toBe(1)
    expect(await subscribersOf('podcastWeekly')).toEqual([])
  })

  test.each(['newcomer', 'beginner'] as const)(
    'has a %s with ether and tokens but no allowance',
    async (name) => {
      const { [name]: newcomer, mnemonic, addresses } = devnet.wallets
      expect(mnemonic).toBe('test test test test test test test test test test test junk')
      expect(addresses).toContain(newcomer)
      expect(await client.getBalance({ address: newcomer })).toBeGreaterThan(10n ** 18n)
      const token = { address: devnet.tokens.usdc, abi: erc20Abi } as const
      const balance = await client.readContract({ ...token, functionName: 'balanceOf', args: [newcomer] })
      expect(balance).toBe(parseUnits('10000', 6))
      const args = [newcomer, devnet.contractAddress] as const
      expect(await client.readContract({ ...token, functionName: 'allowance', args })).toBe(0n)
    },
  )

  async function statusOf(account: Address, id: `0x${string}`): Promise<number | undefined> {
    const { subscriptions } = await client.readContract({
      ...contract(),
      functionName: 'getAccount',
      args: [account],
    })
    return subscriptions.find((row) => row.id === id)?.status
  }
})

describe('dev chains', () => {
  test('run side by side, and leave nothing behind', async () => {
    const [one, two] = await Promise.all([startDevnet(), startDevnet()])
    expect(one.port).not.toBe(two.port)
    expect(one.contractAddress).toBe(two.contractAddress)
    await Promise.all([one.stop(), two.stop()])
    expect([one, two].some(({ cachePath }) => existsSync(cachePath))).toBe(false)
    expect(await one.exited).toBeUndefined()
  })

  test('refuse a port that is taken', async () => {
    const { port, stop } = await startDevnet()
    await expect(startDevnet({ port })).rejects.toThrow(/address already in use/i)
    await stop()
  })
})
