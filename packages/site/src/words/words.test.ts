import { RateLimitedError, UnexpectedAnswerError } from '@remit/client'
import { LaneLimits } from '@remit/engine/declare/lanes'
import { ChainUrl } from '@remit/engine/schema/text'
import { describe, expect, it } from 'vitest'
import { chainText, clipBytes, linkProblem } from './chainText.ts'
import { nextDueDays } from './dueDays.ts'
import { errorWords } from './errors.ts'
import { amountWords, isEndless, moneyWords, symbolOf } from './money.ts'
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
    [2, 11, 'every quarter on its 11th day'],
    [3, 301, 'every year on its 301st day'],
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
    expect([0, 1, 6, 400, 730, 1_100, 4_700].map((ahead) => daysAwayWords(day, 20_779 - ahead))).toEqual([
      'today',
      'tomorrow',
      'in 6 days',
      'in 13 months',
      'in 2 years',
      'in 3 years',
      'in 13 years',
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

describe('what somebody writes for the chain', () => {
  it('has as many bytes as the service takes, and no half of a character', () => {
    expect(clipBytes('a'.repeat(300))).toBe('a'.repeat(255))
    expect(clipBytes('é'.repeat(255))).toBe('é'.repeat(127))
    expect(clipBytes(`${'a'.repeat(245)}👩‍👩‍👧‍👦`)).toBe('a'.repeat(245))
    expect(clipBytes('A bag of beans')).toBe('A bag of beans')
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
