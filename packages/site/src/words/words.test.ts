import { RateLimitedError, UnexpectedAnswerError } from '@remit/client'
import { LaneLimits } from '@remit/engine/declare/lanes'
import { ChainUrl } from '@remit/engine/schema/text'
import { describe, expect, it } from 'vitest'
import { chainText, clipBytes, domainProblem, emailProblem, linkProblem } from './chainText.ts'
import { nextDueDays } from './dueDays.ts'
import { errorWords } from './errors.ts'
import { amountWords, isEndless, moneyWords, shortAmountWords, symbolOf } from './money.ts'
import { firstWords, furtherWords, planName } from './planName.ts'
import { ordinal, scheduleWords } from './schedule.ts'
import { strangersLink, strangersText } from './strangersText.ts'
import { atMostWords, daysAwayWords, dayWords, durationWords } from './time.ts'

const token = { symbol: 'USDC', address: '0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512' }

describe('an amount', () => {
  it.each([
    ['12.5', '12.50'],
    ['3', '3'],
    ['1234567.891', '1,234,567.891'],
    ['0.000001', '0.000001'],
    ['-5', '−5'],
    ['1000', '1,000'],
    [
      '115792089237316195423570985008687907853269984665640564039457.584007913129639935',
      '115,792,089,237,316,195,423,570,985,008,687,907,853,269,984,665,640,564,039,457.584007913129639935',
    ],
  ])('%s is written %s, exactly', (amount, words) => {
    expect(amountWords(amount)).toBe(words)
    expect(
      words
        .replaceAll(',', '')
        .replace('−', '-')
        .replace(/(\.\d)0$/, '$1'),
    ).toBe(amount)
  })

  it.each([
    ['2.857142', 'nearest', '2.86'],
    ['2.857142', 'down', '2.85'],
    ['2.851', 'up', '2.86'],
    ['2.8', 'up', '2.80'],
    ['9.999', 'nearest', '10'],
    ['1234.5678', 'nearest', '1,234.57'],
    ['-0.126', 'nearest', '−0.13'],
    ['0.000001', 'up', '0.000001'],
    ['0.0012345', 'nearest', '0.0012'],
  ] as const)('of a currency, %s is shown to cents, %s: %s', (amount, rounding, words) => {
    expect(shortAmountWords(amount, token, rounding)).toBe(words)
  })

  it('of a token without cents is shown as it is used', () => {
    const ether = { ...token, symbol: 'WETH' }
    expect(shortAmountWords('0.0525', ether)).toBe('0.0525')
    expect(shortAmountWords('1.123456789', ether)).toBe('1.123457')
  })

  it('has its token beside it, by its address where the token names itself by nothing', () => {
    expect(moneyWords('12.5', token)).toBe('12.50 USDC')
    expect(symbolOf({ ...token, symbol: ' \u200b\u202e ' })).toBe('0xe7f1…0512')
    expect(symbolOf({ ...token, symbol: null })).toBe('0xe7f1…0512')
  })
})

it('a permission is without limit where nobody can spend it, and not where it is only large', () => {
  expect(isEndless({ amountRaw: 2n ** 256n - 1n })).toBe(true)
  expect(isEndless({ amountRaw: 10n ** 60n })).toBe(false)
})

describe('a schedule', () => {
  it.each([
    [0, 1, 'every week on Monday'],
    [0, 7, 'every week on Sunday'],
    [1, 5, 'every month on the 5th'],
    [1, 22, 'every month on the 22nd'],
    [2, 11, 'every quarter on 11 Jan, 11 Apr, 11 Jul and 11 Oct'],
    [2, 45, 'every quarter on 14 Feb, 15 May, 14 Aug and 14 Nov'],
    [3, 309, 'every year on 5 November'],
  ] as const)('%i, %i is %s', (frequency, dueDay, words) => {
    expect(scheduleWords({ frequency, dueDay })).toBe(words)
  })

  it('has days that follow each other as on the chain', () => {
    const days = nextDueDays({ frequency: 1, dueDay: 5 }, 20_000, 3).map(({ date }) => date)
    expect(days).toEqual(['2024-10-05', '2024-11-05', '2024-12-05'])
    expect([1, 2, 3, 4, 11, 12, 13, 21, 111, 112].map(ordinal).join(' ')).toBe(
      '1st 2nd 3rd 4th 11th 12th 13th 21st 111th 112th',
    )
  })

  it('is told in days that are near', () => {
    const day = { dayNumber: 20_779, date: '2026-11-22' }
    expect(dayWords(day)).toBe('Sun, 22 Nov 2026')
    expect([0, 1, 6, 47, 366, 367, -1, -61].map((ahead) => daysAwayWords(day, 20_779 - ahead))).toEqual([
      'today',
      'tomorrow',
      'in 6 days',
      'in 47 days',
      'in 366 days',
      undefined,
      'yesterday',
      '61 days ago',
    ])
    expect([1, 59, 3_600, 200_000].map(durationWords)).toEqual(['1 second', '59 seconds', '1 hour', '2 days'])
  })

  it('rounds up what must not be told too short', () => {
    expect([1, 59.2, 60, 89, 3_600, 5_000, 86_401].map(atMostWords)).toEqual([
      '1 second',
      '1 minute',
      '1 minute',
      '2 minutes',
      '1 hour',
      '2 hours',
      '2 days',
    ])
  })
})

describe('what a plan is called', () => {
  const plan = { amount: '12.5', token, frequency: 0 } as const

  it.each([
    ['A bag of coffee every week', 'A bag of coffee every week'],
    ['Beans. Roasted on Mondays.', 'Beans. Roasted on Mondays'],
    ['The morning paper. Delivered before seven.', 'The morning paper'],
    ['First line\nsecond line', 'First line'],
    [
      'Everything that a household of two or three people needs for a whole week',
      'Everything that a household of two or three…',
    ],
    ['\u202e \u200b', undefined],
  ])('%j has the first words %j', (text, words) => {
    expect(firstWords(text)).toBe(words)
  })

  it('is its description’s first words, else its provider’s name, else its price', () => {
    const texts = { description: 'Green beans', company: 'Coffee House' }
    expect(planName(plan, texts)).toBe('Green beans')
    expect(planName(plan, { ...texts, description: ' ' })).toBe('Coffee House')
    expect(planName(plan, {})).toBe('12.50 USDC a week')
  })

  it('is not said again by what follows', () => {
    expect(furtherWords('Green beans.')).toBeUndefined()
    expect(furtherWords('Green beans to roast. At home.')).toBe('At home.')
  })
})

describe('what somebody writes for the chain', () => {
  it('has as many bytes as the service takes, and no half of a character', () => {
    expect(clipBytes('a'.repeat(300))).toBe('a'.repeat(255))
    expect(clipBytes('é'.repeat(255))).toBe('é'.repeat(127))
    expect(clipBytes(`${'a'.repeat(245)}👩‍👩‍👧‍👦`)).toBe('a'.repeat(245))
    expect(clipBytes('A bag of beans')).toBe('A bag of beans')
  })

  it('is a domain and an address of mail, or nothing', () => {
    expect(['', 'shop.example', 'Bücher.example', 'a.b.co'].map(domainProblem)).toEqual(
      Array(4).fill(undefined),
    )
    for (const text of ['not a domain', 'shop', 'https://shop.example', 'shop.example/a', '10.0.0.1']) {
      expect(domainProblem(text)).toMatch(/^Write it as shop.example/)
    }
    expect(['', 'a@shop.example'].map(emailProblem)).toEqual([undefined, undefined])
    for (const text of ['nope', 'a@shop', '@shop.example', 'a b@shop.example']) {
      expect(emailProblem(text)).toMatch(/^Write it as name@shop.example/)
    }
  })

  it('stands on one line', () => {
    expect(chainText('  A bag\r\nof beans \n\n each week\n')).toBe('A bag of beans each week')
    expect(chainText(`${'a'.repeat(254)} b`)).toBe('a'.repeat(254))
  })

  it.each([
    '',
    'https://coffee.example/weekly?a=b',
    'HTTPS://coffee.example',
    'coffee.example',
    'http://coffee.example',
    'https://',
    'https://coffee example',
    'javascript:alert(1)',
  ])('has a link where the service takes it: %j', (url) => {
    expect(linkProblem(url) === undefined).toBe(ChainUrl.safeParse(url).success)
  })
})

describe('what a stranger wrote', () => {
  it('is without what nobody sees and what turns the text around', () => {
    expect(strangersText('a\u202eb\u2066c\u200bd\ufeffe\u0000f\u00adg')).toBe('abcdefg')
    expect(strangersText('two\n\n\n\n\nlines')).toBe('two\n\nlines')
    expect(strangersText('<b>x</b>')).toBe('<b>x</b>')
  })

  it('has no tower of marks, and is no longer than it may be', () => {
    expect([...strangersText(`e${'\u0301'.repeat(10_000)}`)].length).toBeLessThanOrEqual(5)
    expect(strangersText('x'.repeat(1_000), 10)).toBe(`${'x'.repeat(10)}…`)
    expect(strangersText('👩‍👩‍👧‍👦'.repeat(20), 3)).toBe('👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦…')
  })

  it('links only to the web, under the name that is really asked', () => {
    expect(strangersLink('https://p\u0430ypal.com/x')?.host).toBe('xn--pypal-4ve.com')
    expect(strangersLink('HTTPS://Shop.Example:8443/a')?.host).toBe('shop.example:8443')
    for (const url of [
      'javascript:alert(1)',
      'java\nscript:alert(1)',
      'data:text/html,x',
      'https://bank.example@evil.example/',
      '//evil.example',
      'https://',
      `https://x.example/${'a'.repeat(3_000)}`,
      '',
    ]) {
      expect(strangersLink(url), url).toBeUndefined()
    }
  })
})

const limited = (bucket: string, retryAfterSeconds: number) => {
  const about = { status: 429, code: 'RATE_LIMITED', requestId: undefined, issues: [], facts: { bucket } }
  return errorWords(new RateLimitedError('limited', { ...about, retryAfterSeconds }))
}

describe('a limit that is reached', () => {
  it('is that of the minute, and the wait is never told too short', () => {
    expect(limited('globalRpm', 61)).toBe(
      'You have asked for more than the service gives in a minute. Try again in 2 minutes.',
    )
  })

  it.each(LaneLimits.keyof().options)('is told with its own span: %s', (bucket) => {
    const span = bucket.endsWith('Rpm') ? 'minute' : 'day'
    expect(limited(bucket, 36_000)).toBe(
      `You have asked for more than the service gives in a ${span}. Try again in 10 hours.`,
    )
  })
})

it('what answers in the service’s place is no failure of the page', () => {
  expect(errorWords(new UnexpectedAnswerError('502', { status: 502 }))).toBe(
    'The service did not answer as it should. Try again in a moment.',
  )
})
