import { BlockingToken } from '@remit/contracts/BlockingToken'
import { SurchargeToken } from '@remit/contracts/SurchargeToken'
import { approvedToken } from '@remit/testing/support/chain/approvedToken'
import { contractAt } from '@remit/testing/support/chain/contractAt'
import { Frequency, protocolOn } from '@remit/testing/support/chain/protocolOn'
import { useTestChain } from '@remit/testing/support/chain/useTestChain'
import { lasting, useTestService } from '@remit/testing/support/service/testService'
import { encodeFunctionData, getAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { admin, alice, bob, carol, dave, stranger } = chain.wallets
const blocking = await approvedToken(chain, BlockingToken)
const weekly = await protocol.create()
const monthly = await protocol.create({ frequency: Frequency.MONTHLY, dueDay: 5 })
// 35 USDC for both: after the first charges, that is a week, the month, and another week.
await protocol.join(weekly, alice, { balance: 10n ** 9n, allowance: 35_000_000n })
await protocol.send(alice, 'subscribe', [monthly])
await chain.keep()
const service = await useTestService([chain])
const names = { [weekly.id]: '<weekly>', [monthly.id]: '<monthly>' }

const Raw = z.object({ amountRaw: z.string().transform(BigInt) })
const Lacks = z.object({
  wallet: z.object({
    tokens: z.array(
      z.object({
        token: z.object({ address: z.string().transform((address) => getAddress(address)) }),
        toAdd: z.object({ allowance: Raw, balance: Raw }),
        toAddIs: z.string(),
      }),
    ),
  }),
})

const monthlyOn = (dueDay: number) => protocol.create({ frequency: Frequency.MONTHLY, dueDay })

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
            "toAdd": null,
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
              "toAddIs": "least",
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

  it('lets nobody pay on a day that remit passes before the one on which it stops', async () => {
    const yearly = await protocol.create({ frequency: Frequency.YEARLY, dueDay: 364 })
    await chain.advanceDays(2)
    await protocol.send(carol, 'remit', [])
    const start = { id: yearly.id, subscriptionIndex: 1n, subscriberIndex: 1n, initialized: true }
    await protocol.send(admin, 'setPageStart', [{ ...start, frequency: BigInt(Frequency.YEARLY) }])
    await protocol.send(admin, 'changeMaxRemits', [0n])
    // Remit goes on behind the monthly ones of its first day, and finds nobody else on it.
    expect(await rows(alice, '?days=10')).toEqual([
      '2026-03-05 <monthly> skipped',
      '2026-03-11 <weekly> waits',
    ])
  })

  it('asks for enough where a wallet that is short in two tokens would not see how pages break with it', async () => {
    await protocol.send(admin, 'changeMaxRemits', [2n])
    const { usdc, dai } = chain.tokens
    const first = await protocol.create({ dueDay: 5 })
    const second = await protocol.create({ dueDay: 5, token: dai })
    const [one, other] = [await monthlyOn(13), await monthlyOn(13)]
    await protocol.join(first, dave)
    for (const payer of [carol, bob, alice]) await protocol.join(second, payer)
    await protocol.join(one, bob)
    await protocol.join(other, alice)
    for (const plan of [weekly, monthly]) await protocol.send(alice, 'unsubscribe', [plan])
    for (const token of [usdc, dai]) await protocol.fund(token, alice, { allowance: 0n })
    // It is dropped from the second on the 6th. Without it, the page of the 13th breaks before the second place of each list.
    const { body } = await ask(alice, '?days=14')
    expect(body).toMatchObject({ charges: [{ verdict: 'fails' }, { verdict: 'skipped' }] })
    const { wallet } = Lacks.parse(body)
    expect(wallet.tokens.map(({ toAddIs }) => toAddIs)).toEqual(['enough', 'enough'])
    for (const { token, toAdd } of wallet.tokens) {
      await protocol.fund(token.address, alice, { allowance: toAdd.allowance.amountRaw })
    }
    const added = await ask(alice, '?days=14')
    expect(added.body).toMatchObject({ counts: { pays: 3, fails: 0, skipped: 0 } })
  })

  describe.each([false, true])('in a token that takes a tenth on top, logged: not %s', (isSilent) => {
    it('lets no charge pay with which remit was seen to drop the wallet, and warns', async () => {
      const token = await approvedToken(chain, SurchargeToken)
      const plan = await protocol.create({ token, dueDay: 5 })
      // 31 are left by the first charge, which is four days of seven and a tenth: two charges of eleven, and nine.
      await protocol.join(plan, bob, { balance: 5_714_285n + 571_428n + 31_000_000n })
      await contractAt(chain.client, token, SurchargeToken.abi).send(admin, 'setSilent', [isSilent])
      const { body } = await ask(bob, '?days=27')
      const taken = { taken: { amount: isSilent ? '10' : '11' } }
      const nine = { allowance: { amount: '0' }, balance: { amount: '1' } }
      expect(body).toMatchObject({
        counts: { charges: 3, pays: 2, fails: 1 },
        charges: [
          { verdict: 'pays', ...taken },
          { verdict: 'pays', ...taken },
          { verdict: 'fails', failsBy: isSilent ? null : 'balance', missing: isSilent ? null : nine },
        ],
        wallet: { tokens: [{ toAddIs: 'atLeast', firstFailure: { day: { date: '2026-03-20' } } }] },
        warnings: [{ code: 'TOKEN_TAKES_MORE', token, subscriptionId: plan.id }],
      })
      if (isSilent) return
      const [row] = Lacks.parse(body).wallet.tokens
      await contractAt(chain.client, token, SurchargeToken.abi).send(bob, 'mint', [
        bob,
        row?.toAdd.balance.amountRaw ?? 0n,
      ])
      expect((await ask(bob, '?days=27')).body).toMatchObject({ counts: { charges: 4, pays: 4 } })
    })
  })

  it.each(['days=0', 'days=367', 'first=501', 'after=soon'])('refuses ?%s by name', async (query) => {
    const { status, body } = await ask(alice, `?${query}`)
    expect([status, body]).toMatchObject([400, { issues: [{ path: query.split('=')[0] }] }])
  })
})
