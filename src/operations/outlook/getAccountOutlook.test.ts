import { encodeFunctionData } from 'viem'
import { describe, expect, it } from 'vitest'
import { BlockingToken } from '../../../contracts/generated/BlockingToken.ts'
import { approvedToken } from '../../../test/support/chain/approvedToken.ts'
import { Frequency, protocolOn } from '../../../test/support/chain/protocolOn.ts'
import { useTestChain } from '../../../test/support/chain/useTestChain.ts'
import { lasting, useTestService } from '../../../test/support/service/testService.ts'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { admin, alice, bob, stranger } = chain.wallets
const blocking = await approvedToken(chain, BlockingToken)
const weekly = await protocol.create()
const monthly = await protocol.create({ frequency: Frequency.MONTHLY, dueDay: 5 })
// 35 USDC for both: after the first charges, that is a week, the month, and another week.
await protocol.join(weekly, alice, { balance: 10n ** 9n, allowance: 35_000_000n })
await protocol.send(alice, 'subscribe', [monthly])
await chain.keep()
const service = await useTestService([chain])
const names = { [weekly.id]: '<weekly>', [monthly.id]: '<monthly>' }

interface Row {
  readonly day: { readonly date: string }
  readonly subscriptionId: string
  readonly verdict: string
}

async function ask(account: string, query = '') {
  await service.caughtUp()
  const answer = await service.get(`/accounts/${account}/outlook${query}`)
  return { status: answer.status, body: lasting(answer.body, names) }
}

async function rows(account: string, query = '') {
  const { body } = await ask(account, query)
  // Safe: only read by the expectations below.
  return (body.charges as Row[]).map((row) => `${row.day.date} ${row.subscriptionId} ${row.verdict}`)
}

describe('GET /accounts/:address/outlook', () => {
  it('tells every charge in order until remit drops the wallet, and what to add', async () => {
    const { status, body } = await ask(alice, '?days=20&first=1')
    expect(status).toBe(200)
    expect(body).toMatchInlineSnapshot(`
      {
        "account": "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
        "chainId": 31337,
        "charges": [
          {
            "amount": "10",
            "amountRaw": "10000000",
            "blockedBy": null,
            "day": {
              "date": "2026-03-04",
              "dayNumber": 20516,
            },
            "failsBy": null,
            "missing": null,
            "provider": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
            "skippedBecause": null,
            "subscriptionId": "<weekly>",
            "taken": {
              "amount": "10",
              "amountRaw": "10000000",
              "tokenDecimals": 6,
            },
            "token": "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512",
            "tokenDecimals": 6,
            "verdict": "pays",
          },
        ],
        "count": 1,
        "counts": {
          "charges": 4,
          "fails": 1,
          "pays": 3,
          "skipped": 0,
          "waits": 0,
        },
        "hasMore": true,
        "moneyToCome": "notCounted",
        "nextCursor": "20516_<weekly>",
        "remit": {
          "nextUncheckedDay": {
            "date": "2026-02-28",
            "dayNumber": 20512,
          },
          "seen": {
            "calls": 4,
            "through": {
              "date": "2026-03-22",
              "dayNumber": 20534,
            },
          },
          "stop": null,
        },
        "through": {
          "date": "2026-03-22",
          "dayNumber": 20534,
        },
        "today": {
          "date": "2026-03-02",
          "dayNumber": 20514,
        },
        "wallet": {
          "tokens": [
            {
              "allowance": {
                "amount": "31.156557",
                "amountRaw": "31156557",
                "tokenDecimals": 6,
              },
              "balance": {
                "amount": "996.156557",
                "amountRaw": "996156557",
                "tokenDecimals": 6,
              },
              "firstFailure": {
                "day": {
                  "date": "2026-03-18",
                  "dayNumber": 20530,
                },
                "subscriptionId": "<weekly>",
              },
              "paused": false,
              "toAdd": {
                "allowance": {
                  "amount": "8.843443",
                  "amountRaw": "8843443",
                  "tokenDecimals": 6,
                },
                "balance": {
                  "amount": "0",
                  "amountRaw": "0",
                  "tokenDecimals": 6,
                },
              },
              "token": {
                "address": "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512",
                "decimals": 6,
                "name": "USD Coin (dev chain)",
                "symbol": "USDC",
              },
            },
          ],
        },
      }
    `)
    expect(await rows(alice, '?days=20')).toEqual([
      '2026-03-04 <weekly> pays',
      '2026-03-05 <monthly> pays',
      '2026-03-11 <weekly> pays',
      '2026-03-18 <weekly> fails',
    ])
  })

  it('pages, with counts of the whole', async () => {
    const first = await ask(alice, '?days=20&first=3')
    expect(first.body).toMatchObject({ counts: { charges: 4 }, count: 3, hasMore: true })
    expect(
      await rows(
        alice,
        `?days=20&first=3&after=${String(first.body.nextCursor).replace('<weekly>', weekly.id)}`,
      ),
    ).toEqual(['2026-03-18 <weekly> fails'])
  })

  it('lets everybody wait from the day on which a token refuses somebody else’s payment', async () => {
    const blocked = await protocol.create({ token: blocking, dueDay: 5 })
    await protocol.join(blocked, bob)
    const data = encodeFunctionData({ abi: BlockingToken.abi, functionName: 'setRefusal', args: [bob, 1] })
    const hash = await chain.client.sendTransaction({ account: bob, chain: null, to: blocking, data })
    await chain.client.waitForTransactionReceipt({ hash })
    expect(await rows(alice, '?days=20')).toEqual(
      [
        '2026-03-04 <weekly> pays',
        '2026-03-05 <monthly> pays',
        '2026-03-11 <weekly> pays',
        '2026-03-18 <weekly> fails',
      ]
        .map((row) => (row < '2026-03-06' ? row : row.replace(/ \w+$/, ' waits')))
        .slice(0, 4),
    )
    const { body } = await ask(alice, '?days=20')
    expect(body).toMatchObject({
      remit: {
        seen: { through: { date: '2026-03-05' } },
        stop: {
          day: { date: '2026-03-06' },
          blockedBy: 'transfer',
          issues: [{ code: 'REMIT_BLOCKED_BY_TRANSFER', subscriber: bob, token: blocking }],
        },
      },
    })
  })

  it('skips a paused token, and has nothing to tell of an account that never was here', async () => {
    await protocol.send(admin, 'pauseToken', [chain.tokens.usdc, true])
    expect(new Set((await rows(alice, '?days=9')).map((row) => row.split(' ').at(-1)))).toEqual(
      new Set(['skipped']),
    )
    expect((await ask(stranger)).body).toMatchObject({
      counts: { charges: 0 },
      charges: [],
      wallet: { tokens: [] },
    })
  })

  it('says where more empty days than one remit can walk lie before the next charge', async () => {
    const yearly = await protocol.create({ frequency: Frequency.YEARLY, dueDay: 364 })
    await protocol.send(alice, 'unsubscribe', [weekly])
    await protocol.send(alice, 'unsubscribe', [monthly])
    await protocol.fund(chain.tokens.usdc, alice, { allowance: 10n ** 9n })
    await protocol.send(alice, 'subscribe', [yearly])
    const { body } = await ask(alice, '?days=366')
    expect(body).toMatchObject({
      counts: { charges: 1, waits: 1 },
      remit: { stop: { day: { date: '2026-12-30' }, blockedBy: 'emptyDays' } },
    })
  })

  it.each(['days=0', 'days=367', 'first=501', 'after=soon'])('refuses ?%s by name', async (query) => {
    const { status, body } = await ask(alice, `?${query}`)
    expect([status, body]).toMatchObject([400, { issues: [{ path: query.split('=')[0] }] }])
  })
})
