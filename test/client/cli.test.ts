import { decodeFunctionData, type Hex, parseUnits } from 'viem'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { protocolOn } from '../support/chain/protocolOn.ts'
import { useTestChain } from '../support/chain/useTestChain.ts'
import { useTestService } from '../support/service/testService.ts'
import { type Circumstances, runInProcess } from './cliRun.ts'

const chain = await useTestChain()
const { wallets, tokens } = chain
const protocol = protocolOn(chain)
const subscription = await protocol.create({ dueDay: 3 })
await protocol.join(subscription, wallets.alice, { allowance: 35_000_000n })
await protocol.fund(tokens.usdc, wallets.bob, { balance: 100_000_000n })
for (let plan = 0; plan < 11; plan += 1) await protocol.create({ provider: wallets.otherProvider })
await chain.advanceDays(3)
await chain.keep()
const service = await useTestService([chain])
await service.caughtUp()
const { id } = subscription

const remit = (args: readonly string[], { environment = {}, ...more }: Circumstances = {}) =>
  runInProcess(args, { environment: { REMIT_URL: service.url, ...environment }, ...more })

const bodyOf = async (path: string) => (await service.get(path)).body

describe('state', () => {
  it('tells how the protocol stands', async () => {
    const { code, out } = await remit(['state'])
    expect(code).toBe(0)
    expect(out).toContain(`Contract        ${chain.contract}`)
    expect(out).toMatch(/Next unchecked +2026-02-28 \(day \d+\), 5 days behind/)
    expect(out).toMatch(/Index +block \d+, synced, from rpc/)
    expect(out).toContain('Caller’s fee    2 % of each payment')
  })

  it('is with --json the service’s document and nothing else', async () => {
    const { out } = await remit(['state', '--json'])
    expect(JSON.parse(out)).toEqual(await bodyOf('/protocol/state'))
    expect(out.trim().split('\n')).toHaveLength(1)
  })
})

describe('due', () => {
  it('lists what a remit of a day would charge with price and payers, by date or by number', async () => {
    const byDate = await remit(['due', '--date', '2026-03-04'])
    expect(byDate.out).toContain(`${id}  10 USDC       1  weekly, Wed`)
    const byNumber = await remit(['due', '--day', '20516', '--frequency', 'weekly'])
    expect(byNumber.out).toContain(`${id}  10 USDC       1  weekly, Wed`)
  })

  it('says that nothing is due, and why a frequency is skipped', async () => {
    const { out, err } = await remit(['due', '--date', '2026-03-31'])
    expect(out).toBe('Nothing is due on 2026-03-31 (day 20543).\n')
    expect(err).toContain('monthly: ')
  })
})

describe('search', () => {
  it('shows a page, and says that there is more', async () => {
    const { out } = await remit(['search'])
    expect(out).toContain('10 subscriptions shown, and there are more: --all shows every one.')
  })

  it('shows every one with --all: as a table, and one row a line with --json', async () => {
    const table = await remit(['search', '--all'])
    expect(table.out.match(/0x[0-9a-f]{64}/g)).toHaveLength(12)
    expect(table.out).toContain('10 USDC  weekly, Wed')
    const lines = await remit(['search', '--all', '--json', '--first', '5'])
    const rows = lines.out
      .trim()
      .split('\n')
      .map((line) => z.object({ id: z.string() }).parse(JSON.parse(line)).id)
    expect(new Set(rows)).toEqual(new Set(table.out.match(/0x[0-9a-f]{64}/g)))
    expect(rows).toHaveLength(12)
  })

  it('filters by provider', async () => {
    const { out } = await remit(['search', '--provider', wallets.provider])
    expect(out.match(/0x[0-9a-f]{64}/g)).toEqual([id])
  })

  it('fits a narrow terminal, and names the whole ids below so that they can be copied', async () => {
    const { out } = await remit(['search', '--provider', wallets.provider], {
      terminal: { isTty: true, columns: 80 },
    })
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
    expect(out).toContain(`${id.slice(0, 10)}…${id.slice(-4)}`)
    expect(out).toContain(`\n${id}\n`)
  })
})

describe('show', () => {
  it('shows a subscription with its details and its subscribers', async () => {
    const { out } = await remit(['show', id])
    expect(out).toContain('Amount        10 USDC')
    expect(out).toContain('Description   A plan')
    expect(out).toMatch(new RegExp(`${wallets.alice} +[\\d.]+ USDC`))
  })

  it('shows an account with both sides, and how far its allowance carries', async () => {
    const subscriber = await remit(['show', wallets.alice])
    expect(subscriber.out).toMatch(/active +10 USDC +weekly, Wed .*3 periods, until 2026-03-18/)
    expect(subscriber.out).toContain('Created nothing.')
    const provider = await remit(['show', wallets.provider])
    expect(provider.out).toContain('Subscribed to nothing.')
    expect(provider.out).toContain('SUBSCRIBERS')
  })

  it('ends with 1 and a sentence where there is no such subscription', async () => {
    const { code, out, err } = await remit(['show', `0x${'ab'.repeat(32)}`])
    expect([code, out]).toEqual([1, ''])
    expect(err).toMatch(/^remit: There is no subscription 0x(ab){32} on chain \d+\./)
  })
})

describe('history', () => {
  it('shows what happened to a subscription, newest first', async () => {
    const { out } = await remit(['history', id])
    const events = out
      .split('\n')
      .slice(1)
      .flatMap((line) => line.match(/Z {2}(\w+)/)?.[1] ?? [])
    expect(events).toEqual(['FeeFilled', 'Subscribed', 'Created'])
  })

  it('shows an account’s activity with its roles, page after page', async () => {
    const { out } = await remit(['history', wallets.alice, '--all', '--first', '1'])
    expect(out.match(/ subscriber /g)).toHaveLength(2)
    expect(out).toContain(id)
  })
})

describe('prepare', () => {
  it('prints what to do, what moves, what it costs and what to sign, and signs nothing', async () => {
    const { code, out } = await remit(['prepare', 'subscribe_by_id', '--from', wallets.bob, '--id', id])
    expect(code).toBe(0)
    expect(out).toMatch(/1\. Connect the wallet 0x/)
    expect(out).toContain(`${wallets.bob}`)
    expect(out).toMatch(/Costs about +0\.\d+ ETH/)
    expect(out.match(/^Data +0x/gm)).toHaveLength(2)
  })

  it('prints the whole answer with --json, whatever the order of its words', async () => {
    const { out } = await remit(['--json', 'prepare', '--from', wallets.bob, 'remit'])
    const { unsignedTransactions } = z
      .object({
        unsignedTransactions: z.array(z.object({ to: z.string(), data: z.string(), value: z.string() })),
      })
      .parse(JSON.parse(out))
    expect(unsignedTransactions).toEqual([expect.objectContaining({ to: chain.contract, value: '0x0' })])
  })

  it('takes the whole input as JSON, and single options over it', async () => {
    const input = {
      from: wallets.provider,
      amount: '1',
      token: tokens.usdc,
      details: { url: '', description: 'x' },
    }
    const { code, out, err } = await remit([
      ...['prepare', 'create_subscription', '--json', '--input', JSON.stringify(input)],
      ...['--frequency', '1', '--due-day', '15', '--details-url', 'https://a.example', '--amount', '12.5'],
    ])
    expect([code, err]).toEqual([0, ''])
    const [{ data }] = z
      .object({ unsignedTransactions: z.tuple([z.object({ data: z.custom<Hex>() })]) })
      .parse(JSON.parse(out)).unsignedTransactions
    expect(decodeFunctionData({ abi: protocol.abi, data })).toEqual({
      functionName: 'createSubscription',
      args: [parseUnits('12.5', 18), tokens.usdc, { url: 'https://a.example', description: 'x' }, 1, 15],
    })
  })

  it('tells readiness, and ends with 1 where something stands against it', async () => {
    const ready = await remit([
      'prepare',
      'subscribe_by_id',
      '--from',
      wallets.bob,
      '--id',
      id,
      '--readiness',
    ])
    expect([ready.code, ready.out.split('\n')[0]]).toEqual([0, 'subscribe: ready.'])
    const not = await remit([
      'prepare',
      'subscribe_by_id',
      '--from',
      wallets.alice,
      '--id',
      id,
      '--readiness',
    ])
    expect([not.code, not.out.split('\n')[0]]).toEqual([1, 'subscribe: not ready.'])
  })

  it('ends with 1 and every reason where it is not ready', async () => {
    const { code, err } = await remit([
      'prepare',
      'cancel_subscription_by_id',
      '--from',
      wallets.bob,
      '--id',
      id,
    ])
    expect(code).toBe(1)
    expect(err).toContain('Only the provider')
  })

  it('ends with 2 where the service cannot mean the input', async () => {
    const { code, err } = await remit(['prepare', 'subscribe_by_id', '--id', id])
    expect([code, err]).toEqual([2, 'remit: --from is required\n'])
  })
})
