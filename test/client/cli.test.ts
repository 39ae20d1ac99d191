import { decodeFunctionData, type Hex, parseUnits } from 'viem'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { protocolOn } from '../support/chain/protocolOn.ts'
import { useTestChain } from '../support/chain/useTestChain.ts'
import { indexed } from '../support/service/indexed.ts'
import { startTestService, useTestService } from '../support/service/testService.ts'
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
  it('prints the state of the protocol', async () => {
    await indexed(service, chain)
    const { code, out } = await remit(['state'])
    expect(code).toBe(0)
    expect(out).toContain(`Contract        ${chain.contract}`)
    expect(out).toMatch(/Next unchecked +2026-02-28 \(day \d+\), 5 days behind/)
    expect(out).toMatch(/Index +block \d+, synced, from rpc/)
    expect(out).toContain('Caller’s fee    2 % of each payment')
  })

  it('prints only the service’s document with --json', async () => {
    const { out } = await remit(['state', '--json'])
    expect(JSON.parse(out)).toEqual(await bodyOf('/protocol/state'))
    expect(out.trim().split('\n')).toHaveLength(1)
  })
})

describe('doctor', () => {
  it('tells that a service is well, and with --json what the service says', async () => {
    const { code, out } = await remit(['doctor'])
    expect({ code, out }).toMatchObject({
      code: 0,
      out: expect.stringMatching(/Chain 31337 +block \d+, answered in/),
    })
    expect(out).toMatch(/index +block \d+, synced/)
    expect(JSON.parse((await remit(['doctor', '--json'])).out)).toMatchObject({ status: 'ok' })
  })

  it('tells what is wrong, and to whom', async () => {
    const lost = await startTestService([{ ...chain, contract: wallets.alice }])
    try {
      const ask = () => remit(['doctor'], { environment: { REMIT_URL: lost.url } })
      await expect.poll(async () => (await ask()).out).toMatch(/is not served: CONTRACT_ADDRESS_31337/)
      expect((await ask()).code).toBe(1)
    } finally {
      await lost.close()
    }
  })
})

describe('due', () => {
  it('lists what a remit of a day would charge, with price and payers, by date or by day number', async () => {
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
    expect(out).toContain('10 subscriptions shown, and there are more: --all shows them all.')
  })

  it('shows all of them with --all: as a table, or with --json as one row per line', async () => {
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

  it('fits a narrow terminal, and lists the full ids below it', async () => {
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

  it('shows an account as subscriber and as provider, and how long its allowance lasts', async () => {
    const subscriber = await remit(['show', wallets.alice])
    expect(subscriber.out).toMatch(/active +10 USDC +weekly, Wed .*3 periods, until 2026-03-18/)
    expect(subscriber.out).toContain('Created nothing.')
    const provider = await remit(['show', wallets.provider])
    expect(provider.out).toContain('Subscribed to nothing.')
    expect(provider.out).toContain('SUBSCRIBERS')
  })

  it('exits with 1 and a sentence if there is no such subscription', async () => {
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
    const events = [...out.matchAll(/Z {2}(\w+) .* subscriber /g)].map(([, event]) => event)
    expect(events).toEqual(['FeeFilled', 'Subscribed', 'APPROVAL'])
    expect(out).toContain(id)
  })
})

describe('revenue', () => {
  it('shows what came in as a table with bars, by interval', async () => {
    for (let calls = 0; calls < 8; calls += 1) {
      await protocol.send(wallets.keeper, 'remit', []).catch(() => undefined)
    }
    await indexed(service, chain)
    const { code, out } = await remit([
      'revenue',
      wallets.provider,
      '--from',
      '2026-02-23',
      '--interval',
      'week',
    ])
    expect(code).toBe(0)
    expect(out).toContain('From 2026-02-23 to before 2026-03-06:')
    const [, nothing, week] = out.split('\n').slice(2)
    expect(nothing).toMatch(/^2026-02-23 +0 +0 +0 +0 +0 +0 +0$/)
    expect(week).toMatch(/^2026-03-02 \* +10 +█{24} +2 +0 +1 +0 +1 +43\.48125$/)
    expect(out).toContain('10 USDC in 2 payments; callers kept 0.2, the protocol 0.')
  })

  it('is of one subscription where its id is given, and says that there is nothing', async () => {
    const { out } = await remit(['revenue', id, '--from', '2025-01-01', '--to', '2025-02-01'])
    expect(out).toBe('From 2025-01-01 to before 2025-02-01: nothing.\n')
    const json = await remit(['revenue', id, '--from', '2026-03-01', '--to', '2026-04-01', '--json'])
    expect(JSON.parse(json.out)).toMatchObject({ subscriptionId: id, interval: 'month' })
  })

  it.each([
    ['--interval', 'year'],
    ['--token', 'USDC'],
  ])('refuses %s %s in a sentence', async (option, value) => {
    const { code, err } = await remit(['revenue', id, option, value])
    expect([code, err]).toEqual([2, expect.stringContaining(option)])
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

  it('prints the whole answer with --json, in any order of options', async () => {
    const { out } = await remit(['--json', 'prepare', '--from', wallets.bob, 'remit'])
    const { unsignedTransactions } = z
      .object({
        unsignedTransactions: z.array(z.object({ to: z.string(), data: z.string(), value: z.string() })),
      })
      .parse(JSON.parse(out))
    expect(unsignedTransactions).toEqual([expect.objectContaining({ to: chain.contract, value: '0x0' })])
  })

  it('takes the whole input as JSON, and single options override it', async () => {
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

  it('prints readiness, and exits with 1 if it is not ready', async () => {
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

  it('exits with 1 and every reason if it is not ready', async () => {
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

  it('exits with 2 if the service refuses the input', async () => {
    const { code, err } = await remit(['prepare', 'subscribe_by_id', '--id', id])
    expect([code, err]).toEqual([2, 'remit: --from is required\n'])
  })
})
