import type { GetAccountOutlookAnswer } from '@remit/client'
import { describe, expect, it } from 'vitest'
import type { Membership } from './memberships.ts'
import { failureOf, failWords, laterWords, otherEndOf, verdictOf } from './verdicts.ts'

const TODAY = 20_779
const dayAt = (dayNumber: number) => ({
  dayNumber,
  date: new Date(dayNumber * 86_400_000).toISOString().slice(0, 10),
})
/** 1 is Monday. Day 0 was a Thursday. */
const weekdayOf = (dayNumber: number) => ((dayNumber + 3) % 7) + 1
const NONE = { amount: '0', amountRaw: 0n }
const missing = { balance: { amount: '2.5', amountRaw: 2_500_000n }, allowance: NONE }

type Charge = readonly [verdict: string, day: number, plan?: string]

// Safe: it is all that a verdict is made of.
const outlookOf = (charges: readonly Charge[], all = charges.length) =>
  ({
    today: dayAt(TODAY),
    through: dayAt(TODAY + 92),
    counts: { charges: all },
    wallet: { tokens: [] },
    charges: charges.map(([verdict, day, plan = '0xPLAN']) => ({
      subscriptionId: plan,
      token: '0x',
      verdict,
      day: dayAt(day),
      missing: verdict === 'fails' ? missing : null,
    })),
  }) as unknown as GetAccountOutlookAnswer
const rowOf = (covers: { periods: number | null; failsOn: number | null } | null, tokenPaused = false) =>
  ({
    subscription: { id: '0xPLAN', token: { symbol: 'USDC', address: '0x' } },
    tokenPaused,
    covers:
      covers === null
        ? null
        : {
            ...covers,
            failsOn: covers.failsOn === null ? null : dayAt(covers.failsOn),
            limitedBy: 'balance',
          },
  }) as unknown as Membership

const LASTING = rowOf({ periods: null, failsOn: null })
const told = (row: Membership, outlook?: GetAccountOutlookAnswer) => {
  const { kind, words } = verdictOf(row, outlook, TODAY)
  return `${kind}: ${words}`
}

const whyOf = (outlook: GetAccountOutlookAnswer) => {
  const failure = failureOf(LASTING, outlook)
  return failure && failWords(LASTING, failure, outlook)
}

describe('the one verdict on a plan', () => {
  it.each<[readonly Charge[], string]>([
    [
      [
        ['pays', TODAY - 7],
        ['fails', TODAY],
      ],
      'bad: About to end',
    ],
    [
      [
        ['pays', TODAY - 7],
        ['waits', TODAY],
      ],
      'mind: Waits',
    ],
    [
      [
        ['skipped', TODAY],
        ['pays', TODAY + 7],
      ],
      'mind: Passed over',
    ],
    [
      [
        ['pays', TODAY],
        ['fails', TODAY, '0xOTHER'],
      ],
      'good: Will be paid',
    ],
    [
      [
        ['pays', TODAY],
        ['fails', TODAY + 14],
      ],
      'bad: Ends on 6 Dec',
    ],
    // It is the next one, however far ahead.
    [[['fails', TODAY + 30]], 'bad: Ends on 22 Dec'],
    [
      [
        ['pays', TODAY + 8],
        ['fails', TODAY + 15],
      ],
      'good: Covered through 6 Dec 2026',
    ],
  ])('is the worst of its charges: %j', (charges, words) => {
    expect(told(LASTING, outlookOf(charges))).toBe(words)
  })

  it('says of a charge behind those listed what the money says, as far as the outlook goes', () => {
    const listed: readonly Charge[] = [['pays', TODAY]]
    const soon = rowOf({ periods: 3, failsOn: TODAY + 21 })
    expect(told(soon, outlookOf(listed, 4))).toBe('good: Covered through 12 Dec 2026')
    expect(told(rowOf({ periods: 30, failsOn: TODAY + 210 }), outlookOf(listed, 4))).toBe(
      'good: Covered through 19 Jun 2027',
    )
    // All charges are listed, and they were tried out.
    expect(told(soon, outlookOf([['waits', TODAY]]))).toBe('mind: Waits')
  })

  it.each([
    [112, 'good: Covered through 13 Mar 2027'],
    [100_000, 'good: Covered for over 10 years'],
  ])(
    'is through the day before the first payment that would fail, with the year: %i days',
    (ahead, words) => {
      const row = rowOf({ periods: 3, failsOn: TODAY + ahead })
      expect(told(row, outlookOf([['pays', TODAY]]))).toBe(words)
    },
  )

  it.each([
    [rowOf({ periods: 0, failsOn: TODAY + 200 }), 'bad: Ends on 10 Jun'],
    [rowOf({ periods: 1, failsOn: TODAY + 200 }), 'good: Covered through 9 Jun 2027'],
    [rowOf(null, true), 'mind: Passed over'],
  ])('is by its money alone where no charge of it is listed', (row, words) => {
    expect(told(row, outlookOf([]))).toBe(words)
    expect(told(row)).toBe(words)
  })

  it('comes with what is missing for the charge that fails, and until when there is time', () => {
    const soon = outlookOf([
      ['pays', TODAY],
      ['fails', TODAY + 7],
    ])
    expect(whyOf(soon)).toBe(
      'For the payment of Sun, 29 Nov 2026 the wallet holds 2.50 USDC too little. Add money before that day begins (in UTC).',
    )
    expect(failureOf(LASTING, soon)).toEqual({
      day: dayAt(TODAY + 7),
      before: [],
      money: missing.balance,
      permission: undefined,
      lacksPermission: false,
    })
    const late = outlookOf([
      ['pays', TODAY - 14],
      ['fails', TODAY - 7],
    ])
    expect(whyOf(late)).toMatch(/Add money at once: the payment is tried as soon as somebody collects/)
    expect(failureOf(LASTING, outlookOf([['pays', TODAY]]))).toBeUndefined()
  })

  it('names what fails before it, and what it then lacks by itself', () => {
    const earlier: Charge = ['fails', TODAY + 5, '0xOTHER']
    const failure = failureOf(LASTING, outlookOf([earlier, ['pays', TODAY + 6], ['fails', TODAY + 7]]))
    expect(failure).toMatchObject({ money: missing.balance, before: [{ subscriptionId: '0xOTHER' }] })
    expect(failure && laterWords(LASTING, failure)).toBe('2.50 USDC for its payment of Sun, 29 Nov 2026')
  })

  it('names another plan whose end it counts on, and none that ends after its own last payment', () => {
    const outlook = outlookOf([
      ['pays', TODAY + 1],
      ['fails', TODAY + 5, '0xOTHER'],
    ])
    // Due on the same weekday as the other one.
    const row = (failsOn: number | null) => {
      const found = Object(rowOf({ periods: 3, failsOn }))
      return { ...found, subscription: { ...found.subscription, frequency: 0, dueDay: weekdayOf(TODAY + 5) } }
    }
    expect(otherEndOf(row(TODAY + 12), outlook)).toMatchObject({ subscriptionId: '0xOTHER' })
    expect(otherEndOf(row(TODAY + 5), outlook)).toBeUndefined()
    expect(otherEndOf(row(null), outlook)).toMatchObject({ subscriptionId: '0xOTHER' })
  })

  it('says of a permission that was taken back that the payment cannot be taken', () => {
    const taken = Object(outlookOf([['fails', TODAY + 7]]))
    taken.wallet = { tokens: [{ token: { address: '0x' }, allowance: NONE }] }
    expect(whyOf(taken)).toMatch(
      /^For the payment of Sun, 29 Nov 2026 the wallet holds 2.50 USDC too little, and there is no permission any more, so it cannot be taken\./,
    )
  })
})
