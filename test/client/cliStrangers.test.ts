import { once } from 'node:events'
import { createServer } from 'node:http'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { serve } from '../support/service/serve.ts'
import { runInProcess } from './cliRun.ts'

const USDC = '0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512'
const PROVIDER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const id = `0x${'12'.repeat(32)}`

describe('untrusted text', () => {
  const EVIL = '\u001b[2J\u001b]0;owned\u0007\u009b31mred\u202e\r\nremit: all is well\u2028x'

  it('cannot move the cursor, colour, or forge a line, in tables, errors or JSON', async () => {
    const server = createServer((request, response) => {
      const isDetails = request.url?.includes('/details') === true
      const isList = request.url?.includes('/subscribers') === true
      const asOf = { blockNumber: 1, blockHash: `0x${'00'.repeat(32)}`, timestamp: 1 }
      const index = { blockNumber: 1, timestamp: 1, lagSeconds: 0, synced: true }
      const token = { address: USDC, symbol: EVIL, name: EVIL, decimals: 6 }
      const terms = {
        id,
        provider: PROVIDER,
        token,
        cancelled: false,
        frequency: 0,
        dueDay: 3,
        nextDue: null,
        overdue: [],
        overdueCount: 0,
      }
      const providerIdentity = { domain: null, chainName: EVIL }
      const amount = { frequencyLabel: 'WEEKLY', amount: '1', amountRaw: '1000000', tokenDecimals: 6 }
      const time = { updatedAt: 1, formattedUpdatedAt: '1970-01-01T00:00:01Z', transactionHash: id }
      const shared = { chainId: 1, asOf, warnings: [{ code: 'X', message: EVIL }] }
      const body = isDetails
        ? {
            ...shared,
            subscriptionId: id,
            index,
            providerIdentity,
            details: { url: EVIL, description: EVIL, ...time },
          }
        : isList
          ? {
              ...shared,
              subscriptionId: id,
              token,
              subscribers: [],
              count: 0,
              hasMore: false,
              nextCursor: null,
            }
          : { ...shared, subscription: { ...terms, ...amount } }
      const isError = request.url?.includes('/accounts/') === true
      const error = {
        error: EVIL,
        code: 'NOT_FOUND',
        requestId: 'r',
        issues: [{ message: EVIL }, { message: EVIL }],
      }
      // Characters beyond ASCII stay as they are here, as another service might send them.
      response.writeHead(isError ? 404 : 200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(isError ? error : body))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    try {
      const address = server.address()
      const url = typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}` : ''
      const shown = await runInProcess(['show', id, '--url', url])
      const failed = await runInProcess(['show', PROVIDER, '--url', url])
      const json = await runInProcess(['show', id, '--json', '--url', url])
      expect([shown.code, failed.code, json.code]).toEqual([0, 1, 0])
      for (const written of [shown.out, shown.err, failed.err, json.out]) {
        expect(written).not.toMatch(/(?!\n)[\p{Cc}\u2028\u202e]/u)
        expect(written).not.toMatch(/^remit: all is well/m)
      }
      expect(shown.out).toContain('remit: all is well')
      const parsed = z
        .object({ subscription: z.object({ token: z.object({ symbol: z.string() }) }) })
        .parse(JSON.parse(json.out))
      expect(parsed.subscription.token.symbol).toBe(EVIL)
    } finally {
      server.close()
    }
  })
})

describe('what a service answers to each command', () => {
  const EVIL = '\u001b[2J\u001b]0;owned\u0007\r\nremit: all is well'
  const asOf = { blockNumber: 1, blockHash: `0x${'00'.repeat(32)}`, timestamp: 1 }
  const index = { blockNumber: 1, timestamp: 1, lagSeconds: 0, synced: true }
  const day = { dayNumber: 20_000, date: EVIL }
  const amount = { amount: EVIL, amountRaw: '1', tokenDecimals: 6 }
  const token = { address: USDC, symbol: EVIL, name: EVIL, decimals: 6 }
  const due = {
    ...day,
    daysBehind: 0,
    results: [
      {
        frequency: 1,
        frequencyLabel: EVIL,
        dueDay: 29,
        skipped: true,
        skipReason: EVIL,
        subscriptionIds: [],
      },
    ],
  }
  const earned = {
    from: day,
    to: day,
    complete: true,
    payments: 1,
    failures: 0,
    arrived: amount,
    received: amount,
    feeBalancesReceived: amount,
    keptByCallers: amount,
    keptBySystem: amount,
    charged: amount,
    intoFeeBalances: amount,
    refunds: amount,
    subscribers: { new: 1, left: 0, removed: 0, dropped: 0, cancelled: 0, activeAtEnd: 1 },
    mrrAtEnd: { ...amount, numerator: '1', denominator: '1' },
  }
  const tokenCheck = { check: 'agrees', checkedAtBlock: 1 }
  const revenue = {
    index,
    provider: PROVIDER,
    from: day,
    to: day,
    interval: 'month',
    tokens: [{ tokenCheck, token, total: earned, intervals: [] }],
  }
  const events = [
    {
      id: EVIL,
      sequence: 1,
      type: EVIL,
      version: 1,
      time: '1970-01-01T00:00:01Z',
      finality: EVIL,
      chainId: 1,
      block: { number: 1, hash: id, timestamp: 1 },
      transactionHash: null,
      logIndex: null,
      subject: { subscriptionId: null, provider: null, account: null, token: null },
      data: {},
    },
  ]
  const log = { index, count: 1, events, next: 1, last: 1, hasMore: false }

  it.each([
    { args: ['due'], answer: due },
    { args: ['revenue', PROVIDER, '--from', '2026-01-01', '--to', '2026-02-01'], answer: revenue },
    { args: ['events'], answer: log },
    { args: ['events', '--json'], answer: log },
  ])('cannot reach the terminal by $args.0', async ({ args, answer }) => {
    const url = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ chainId: 1, asOf, warnings: [{ code: 'X', message: EVIL }], ...answer }))
    })
    const { code, out, err } = await runInProcess([...args, '--url', url])
    expect(code, err).toBe(0)
    expect(out + err).toContain('remit: all is well')
    expect(out + err).not.toMatch(/(?!\n)\p{Cc}/u)
    expect(out + err).not.toMatch(/^remit: all is well/m)
  })
})
