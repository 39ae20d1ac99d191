import fc from 'fast-check'
import { getAddress, type Hex, numberToHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { dayNumberOf } from '../calendar.ts'
import type { SeenCharge } from '../charges/ChargeSchedule.ts'
import type { Means } from '../charges/decideCharge.ts'
import { outlookOf, type PayerOutlookInput, type PayerSubscription } from './outlook.ts'

const usdc = getAddress(numberToHex(0xc0, { size: 20 }))
const dai = getAddress(numberToHex(0xda, { size: 20 }))
const idOf = (number: number): Hex => numberToHex(number, { size: 32 })
const day = (date: string) => dayNumberOf(date) ?? expect.fail(`no date: ${date}`)

/** Never short of a fee, so that each charge takes a full period. */
const monthly = (number: number, dueDay: number, token = usdc, units = 10n) => ({
  id: idOf(number),
  amount: units * 10n ** 12n,
  frequency: 1 as const,
  dueDay,
  feeBalance: 10n ** 40n,
  token,
})

const input = (
  others: Partial<PayerOutlookInput<string>> & Pick<PayerOutlookInput<string>, 'subscriptions'>,
): PayerOutlookInput<string> => ({
  tokens: [
    { token: usdc, decimals: 6, paused: false, means: { allowance: 100n, balance: 25n } },
    { token: dai, decimals: 6, paused: false, means: { allowance: 5n, balance: 7n } },
  ],
  callerFee: 10_200n,
  nextUncheckedDay: day('2025-01-10'),
  throughDay: day('2025-03-20'),
  ...others,
})

/** Charges as a simulation has shown them. */
const seen = (...numbers: number[]) => numbers.map((number) => ({ id: idOf(number), hasFailed: false }))
const seenTaking = (number: number, taken: bigint) => ({ id: idOf(number), hasFailed: false, taken })
const dropped = (number: number) => ({ id: idOf(number), hasFailed: true })

/** What a simulation has shown, by days counted from 1 January 2025, and nothing of others. */
const shownOn = (days: Readonly<Record<number, readonly SeenCharge[]>>) => ({
  chargesOn: (dayNumber: number) => days[dayNumber - day('2025-01-01') + 1],
})

/** The outlook of the token, with an allowance that is enough. */
const usdcOutlook = (
  subscriptions: readonly PayerSubscription[],
  balance: bigint,
  remit: PayerOutlookInput<string>['remit'] = {},
  last = '2025-03-20',
) => {
  const tokens = [{ token: usdc, decimals: 6, paused: false, means: { allowance: 1_000n, balance } }]
  return outlookOf(input({ subscriptions, tokens, remit, throughDay: day(last) })).tokens[0]
}

const rows = (of: PayerOutlookInput<string>) =>
  outlookOf(of).charges.map(({ id, dayNumber, taken, verdict }) => {
    const why = verdict.kind === 'fails' ? verdict.reason : ''
    const stop = verdict.kind === 'waits' ? verdict.blockedBy : ''
    const skip = verdict.kind === 'skipped' ? verdict.because : ''
    return `${Number(id)} ${dayNumber - day('2025-01-01') + 1} ${taken} ${verdict.kind} ${why}${stop}${skip}`.trim()
  })

describe('an outlook', () => {
  it('tells of every charge in remit’s order until the one that fails, each token by itself', () => {
    expect(
      rows(input({ subscriptions: [monthly(1, 15), monthly(2, 12, dai), monthly(3, 15, dai, 5n)] })),
    ).toEqual([
      '2 12 0 fails both',
      '1 15 10 pays',
      '3 15 5 pays',
      '1 46 10 pays',
      '3 46 0 fails both',
      '1 74 0 fails balance',
    ])
  })

  it('has the charges of one day as remit was seen to make them, then the rest by frequency and as given', () => {
    const weekly = { ...monthly(1, 3), frequency: 0 as const }
    const subscriptions = [monthly(3, 15, dai, 1n), weekly, monthly(2, 15)]
    const firstOfDay = (remit?: PayerOutlookInput<string>['remit']) =>
      outlookOf(input({ subscriptions, throughDay: day('2025-01-15'), ...(remit && { remit }) })).charges.map(
        ({ id }) => Number(id),
      )
    expect(firstOfDay()).toEqual([1, 3, 2])
    expect(firstOfDay({ chargesOn: () => seen(2, 3) })).toEqual([2, 3, 1])
    expect(firstOfDay({ chargesOn: () => seen(3) })).toEqual([3, 1, 2])
    expect(firstOfDay({ chargesOn: () => undefined })).toEqual([1, 3, 2])
  })

  it('names the first day that fails, and the least to add so that all of it pays', () => {
    const { tokens } = outlookOf(input({ subscriptions: [monthly(1, 15), monthly(2, 12, dai)] }))
    expect(tokens).toMatchObject([
      { token: usdc, firstFailure: { dayNumber: day('2025-03-15') }, toAdd: { allowance: 0n, balance: 5n } },
      { token: dai, firstFailure: { dayNumber: day('2025-01-12') }, toAdd: { allowance: 25n, balance: 23n } },
    ])
    const means = { allowance: 100n, balance: 30n }
    const raised = [{ token: usdc, decimals: 6, paused: false, means }]
    expect(outlookOf(input({ subscriptions: [monthly(1, 15)], tokens: raised })).tokens).toMatchObject([
      { firstFailure: undefined, toAdd: { allowance: 0n, balance: 0n } },
    ])
  })

  it('asks for exactly what is missing: with it nothing fails, and with one unit less something does', () => {
    const some = fc.record({
      rows: fc.array(
        fc.record({
          units: fc.bigInt({ min: 1n, max: 40n }),
          dueDay: fc.integer({ min: 1, max: 28 }),
          frequency: fc.constantFrom(0 as const, 1 as const),
          feeBalance: fc.bigInt({ min: 0n, max: 3n * 10n ** 12n }),
        }),
        { minLength: 1, maxLength: 5 },
      ),
      allowance: fc.bigInt({ min: 0n, max: 300n }),
      balance: fc.bigInt({ min: 0n, max: 300n }),
    })
    const verify = fc.property(some, ({ rows: plans, allowance, balance }) => {
      const subscriptions = plans.map(({ units, dueDay, frequency, feeBalance }, index) => {
        const due = frequency === 0 ? (dueDay % 7) + 1 : dueDay
        return { ...monthly(index, due, usdc, units), frequency, feeBalance }
      })
      const outlook = (means: Means, remit?: PayerOutlookInput<string>['remit']) => {
        const tokens = [{ token: usdc, decimals: 6, paused: false, means }]
        return outlookOf(input({ subscriptions, tokens, ...(remit && { remit }) }))
      }
      const tokenWith = (...asked: Parameters<typeof outlook>) => outlook(...asked).tokens[0]
      const shown = (means: Means) => {
        const { charges } = outlook(means)
        const chargesOn = (on: number) =>
          charges
            .filter(({ dayNumber }) => dayNumber === on)
            .map(({ id, verdict }) => ({ id, hasFailed: verdict.kind === 'fails' }))
        return { chargesOn, mayBreak: () => false }
      }
      for (const { id, dayNumber, toAdd } of outlook({ allowance, balance }).charges) {
        if (toAdd === undefined) continue
        // With it, this charge pays and all before it; with one unit less, one of them fails.
        const pays = (lessAllowance: bigint, lessBalance: bigint) => {
          const { charges } = outlook({
            allowance: allowance + toAdd.allowance - lessAllowance,
            balance: balance + toAdd.balance - lessBalance,
          })
          const place = charges.findIndex((one) => one.id === id && one.dayNumber === dayNumber)
          return place >= 0 && charges.slice(0, place + 1).every(({ verdict }) => verdict.kind === 'pays')
        }
        expect(pays(0n, 0n)).toBe(true)
        if (toAdd.allowance > 0n) expect(pays(1n, 0n)).toBe(false)
        if (toAdd.balance > 0n) expect(pays(0n, 1n)).toBe(false)
      }
      const missing = tokenWith({ allowance, balance })?.toAdd ?? expect.fail('one token')
      // A simulation shows nothing of a wallet after it was dropped. It needs as much all the same.
      const told = tokenWith({ allowance, balance }, shown({ allowance, balance }))
      expect(told).toMatchObject({ toAdd: missing, toAddIs: 'least' })
      const enough = { allowance: allowance + missing.allowance, balance: balance + missing.balance }
      expect(tokenWith(enough)?.firstFailure).toBeUndefined()
      for (const field of ['allowance', 'balance'] as const) {
        if (missing[field] === 0n) continue
        expect(tokenWith({ ...enough, [field]: enough[field] - 1n })?.firstFailure).toBeDefined()
      }
    })
    fc.assert(verify, { numRuns: 200 })
  })

  it('lets everything wait from the day on which remit stops, and asks for the money all the same', () => {
    const remit = {
      chargesOn: (dayNumber: number) => (dayNumber === day('2025-02-15') ? seen(2) : undefined),
      stop: { dayNumber: day('2025-02-15'), blockedBy: 'carol' },
    }
    const stopped = input({ subscriptions: [monthly(1, 15), monthly(2, 15, usdc, 5n)], remit })
    expect(rows(stopped)).toEqual([
      '1 15 10 pays',
      '2 15 5 pays',
      '2 46 5 pays',
      '1 46 0 waits carol',
      '1 74 0 waits carol',
      '2 74 0 waits carol',
    ])
    expect(outlookOf(stopped).tokens[0]?.toAdd).toEqual({ allowance: 0n, balance: 20n })
  })

  it('lets charges wait behind a stop where nothing else was seen', () => {
    const remit = { stop: { dayNumber: day('2025-02-15'), blockedBy: 'carol' } }
    expect(rows(input({ subscriptions: [monthly(1, 15)], remit }))).toEqual([
      '1 15 10 pays',
      '1 46 0 waits carol',
      '1 74 0 waits carol',
    ])
  })

  it.each([
    ['least', 'on a day that was seen, up to the failure', 5n, { 15: [dropped(1)] }],
    ['enough', 'on a day that was not seen', 5n, {}],
    ['least', 'where nothing is missing', 10n, {}],
  ] as const)('calls what to add “%s” %s, if pages may break on every day', (toAddIs, _, balance, days) => {
    const remit = { ...shownOn(days), mayBreak: () => true }
    const toAdd = { allowance: 0n, balance: 10n - balance }
    expect(usdcOutlook([monthly(1, 15)], balance, remit, '2025-01-20')).toMatchObject({ toAdd, toAddIs })
  })

  it('skips what a page break or a paused token passes over, for good', () => {
    const remit = { chargesOn: (dayNumber: number) => (dayNumber < day('2025-02-01') ? [] : undefined) }
    const tokens = [
      { token: usdc, decimals: 6, paused: false, means: { allowance: 100n, balance: 25n } },
      { token: dai, decimals: 6, paused: true, means: { allowance: 5n, balance: 7n } },
    ]
    const skipping = input({ subscriptions: [monthly(1, 15), monthly(2, 12, dai)], remit, tokens })
    expect(rows(skipping)).toEqual([
      '2 12 0 skipped tokenPaused',
      '1 15 0 skipped pageBreak',
      '2 43 0 skipped tokenPaused',
      '1 46 10 pays',
      '2 71 0 skipped tokenPaused',
      '1 74 10 pays',
    ])
    expect(outlookOf(skipping).tokens.map(({ toAdd }) => toAdd)).toEqual([
      { allowance: 0n, balance: 0n },
      { allowance: 0n, balance: 0n },
    ])
  })

  it('takes what is due together in the order that was seen', () => {
    const chargesOn = (dayNumber: number) => (dayNumber === day('2025-01-15') ? seen(3, 1, 2) : undefined)
    const three = [monthly(1, 15), monthly(2, 15), monthly(3, 15)]
    const short = input({ subscriptions: three, remit: { chargesOn }, throughDay: day('2025-01-15') })
    expect(rows(short)).toEqual(['3 15 10 pays', '1 15 10 pays', '2 15 0 fails balance'])
  })

  it('believes nothing of what was seen after the wallet failed in any token: pages broke without it', () => {
    // USDC is short from 15 February on, and DAI on 12 January. What was seen skips the USDC charge of February.
    const subscriptions = [monthly(1, 15), monthly(2, 12, dai)]
    const chargesOn = (on: number) =>
      on === day('2025-01-12')
        ? [{ id: idOf(2), hasFailed: true }]
        : on === day('2025-01-15')
          ? seen(1)
          : on < day('2025-03-01')
            ? []
            : undefined
    const tokens = [
      { token: usdc, decimals: 6, paused: false, means: { allowance: 15n, balance: null } },
      { token: dai, decimals: 6, paused: false, means: { allowance: 0n, balance: null } },
    ]
    const told = (mayBreak?: (on: number, more: number) => boolean) =>
      outlookOf(
        input({ subscriptions, tokens, remit: { chargesOn, ...(mayBreak && { mayBreak }) } }),
      ).tokens.map(({ toAdd, toAddIs }) => `${toAdd.allowance} ${toAddIs}`)
    expect(told()).toEqual(['15 enough', '30 enough'])
    expect(told(() => false)).toEqual(['15 least', '30 least'])
    // One charge is due on each of those days, beside those of others.
    expect(told((on, more) => on === day('2025-02-15') && more >= 1)).toEqual(['15 enough', '30 least'])
    expect(told((_, more) => more >= 2)).toEqual(['15 least', '30 least'])
  })
})

describe('a token that takes more than it is asked for', () => {
  const one = (means: Means) => ({
    subscriptions: [monthly(1, 15)],
    tokens: [{ token: usdc, decimals: 6, paused: false, means }],
  })
  const until = (last: string, charge: object) => ({
    chargesOn: (on: number) =>
      on === day('2025-01-15') || on === day('2025-02-15')
        ? [
            {
              id: idOf(1),
              ...(on === day(last) ? { hasFailed: true, taken: 0n } : { hasFailed: false, ...charge }),
            },
          ]
        : [],
  })

  it('is counted with what it was seen to take, until remit drops the wallet', () => {
    const remit = until('2025-02-15', { taken: 11n })
    const short = input({ ...one({ allowance: 100n, balance: 20n }), remit })
    expect(rows(short)).toEqual(['1 15 11 pays', '1 46 0 fails balance'])
    const { tokens, charges } = outlookOf(short)
    expect(charges.at(-1)?.verdict).toMatchObject({ missing: { allowance: 0n, balance: 1n } })
    expect(tokens).toMatchObject([
      {
        toAddIs: 'atLeast',
        surcharge: { dayNumber: day('2025-01-15'), asked: 10n, taken: 11n },
      },
    ])
  })

  it('is counted in proportion where it was not seen, and as much as must be added', () => {
    const chargesOn = (on: number) =>
      on === day('2025-01-15') ? [{ id: idOf(1), hasFailed: false, taken: 11n }] : undefined
    const short = input({ ...one({ allowance: 100n, balance: 31n }), remit: { chargesOn } })
    expect(rows(short)).toEqual(['1 15 11 pays', '1 46 11 pays', '1 74 0 fails balance'])
    const [token] = outlookOf(short).tokens
    expect(token).toMatchObject({ toAddIs: 'atLeast', firstFailure: { dayNumber: day('2025-03-15') } })
    const balance = 31n + (token?.toAdd.balance ?? 0n)
    const added = input({ ...one({ allowance: 100n, balance }), remit: { chargesOn } })
    expect(outlookOf(added).tokens).toMatchObject([{ firstFailure: undefined, toAdd: { balance: 0n } }])
  })

  it('never says that a charge pays with which remit was seen to drop the wallet, even where no log tells why', () => {
    const silent = input({
      ...one({ allowance: 100n, balance: 20n }),
      remit: until('2025-02-15', { taken: 10n }),
    })
    expect(rows(silent)).toEqual(['1 15 10 pays', '1 46 0 fails unexplained'])
    expect(outlookOf(silent).tokens).toMatchObject([
      {
        firstFailure: { dayNumber: day('2025-02-15') },
        toAddIs: 'atLeast',
        surcharge: { dayNumber: day('2025-02-15'), taken: undefined },
      },
    ])
  })

  it('is not suspected where money came in, which is not counted', () => {
    const two = [monthly(1, 15), monthly(2, 16)]
    const chargesOn = (on: number) =>
      on === day('2025-01-15') ? seen(1) : on === day('2025-01-16') ? [{ id: idOf(2), hasFailed: true }] : []
    const tokens = [
      {
        token: usdc,
        decimals: 6,
        paused: false,
        means: { allowance: 100n, balance: 5n },
      },
    ]
    const paid = outlookOf(input({ subscriptions: two, tokens, remit: { chargesOn } }))
    expect(paid.charges.map(({ verdict }) => verdict.kind)).toEqual(['fails', 'fails'])
    expect(paid.tokens).toMatchObject([{ surcharge: undefined }])
  })

  it.each([
    // Each of two transfers may have been rounded down, and what is to come up: where it took 11 for 10, up to 14.
    [
      'as much as rounding allows, in what was not seen',
      [monthly(1, 15)],
      { 15: [seenTaking(1, 11n)] },
      11n + 14n + 14n,
    ],
    [
      'in proportion, in a charge of another size',
      [monthly(1, 15, usdc, 30n), monthly(2, 16)],
      { 15: [seenTaking(1, 31n)] },
      31n + 12n + 34n + 12n + 34n + 12n,
    ],
    [
      'to the unit in what was seen',
      [monthly(1, 15)],
      { 15: [seenTaking(1, 11n)], 46: [seenTaking(1, 11n)], 74: [seenTaking(1, 12n)] },
      11n + 11n + 12n,
    ],
    [
      'in the charge that failed beside one that paid',
      [monthly(1, 15), monthly(2, 15)],
      { 15: [seenTaking(1, 11n), dropped(2)] },
      11n + 14n + 4n * 14n,
    ],
    [
      'by the first charge of more than nothing',
      [monthly(1, 15), monthly(2, 14, usdc, 0n)],
      { 14: [seenTaking(2, 1n)], 15: [seenTaking(1, 11n)] },
      1n + 11n + 11n + 11n,
    ],
  ] as const)('needs its surcharge too: %s', (_, subscriptions, days, needed) => {
    const token = usdcOutlook(subscriptions, 21n, shownOn(days))
    expect(token).toMatchObject({ toAdd: { allowance: 0n, balance: needed - 21n }, toAddIs: 'atLeast' })
  })

  const three = [monthly(1, 15, usdc, 30n), monthly(2, 16), monthly(3, 15, usdc, 5n)]
  it.each([
    [
      'by a charge after a failure for want of money',
      { 15: [dropped(1)], 16: [seenTaking(2, 11n)] },
      { id: idOf(2), dayNumber: day('2025-01-16'), asked: 10n, taken: 11n },
    ],
    [
      'by a drop that want of money leaves unexplained, whoever else paid',
      { 15: [...seen(3), dropped(1)], 16: [dropped(2)] },
      { id: idOf(2), dayNumber: day('2025-01-16'), asked: 0n, taken: undefined },
    ],
    [
      'by a charge that paid because money came in',
      { 15: [seenTaking(1, 33n)] },
      { id: idOf(1), dayNumber: day('2025-01-15'), asked: 30n, taken: 33n },
    ],
    ['by no drop after money came in, which is not counted', { 15: seen(1), 16: [dropped(2)] }, undefined],
  ] as const)('is noticed %s', (_, days, surcharge) => {
    expect(usdcOutlook(three, 25n, shownOn(days))?.surcharge).toEqual(surcharge)
  })
})
