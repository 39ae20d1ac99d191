import type { GetAccountOutlookAnswer } from '@remit/client'
import { textOf } from '@remit/testing/support/browser/textOf'
import { usePageModules } from '@remit/testing/support/browser/usePageModules'
import { describe, expect, it } from 'vitest'

usePageModules()

const day = { dayNumber: 20_779, date: '2026-11-22' }
const NONE = { charges: 0, pays: 0, fails: 0, waits: 0, skipped: 0 }

const told = async (counts: Partial<typeof NONE>) => {
  const { Summary } = await import('./Coming.tsx')
  // Safe: it is all that the sentence is made of.
  const outlook = {
    counts: { ...NONE, ...counts },
    through: day,
    wallet: { tokens: [] },
    remit: { seen: { through: null }, stop: { day } },
  } as unknown as GetAccountOutlookAnswer
  return textOf(Summary({ outlook }))
}

describe('the outlook in a sentence', () => {
  it.each([
    [
      { charges: 1, pays: 1 },
      'The one payment that this page sees ahead, through Sun, 22 Nov 2026, is covered',
    ],
    [
      { charges: 3, pays: 3 },
      'All 3 payments that this page sees ahead, through Sun, 22 Nov 2026, are covered',
    ],
    [
      { charges: 2, pays: 1, skipped: 1 },
      'One payment that this page sees ahead, through Sun, 22 Nov 2026, is covered',
    ],
    [
      { charges: 5, pays: 3, waits: 2 },
      '3 payments that this page sees ahead, through Sun, 22 Nov 2026, are covered',
    ],
  ])('says of %j that what pays is covered, and nothing else', async (counts, words) => {
    expect(await told(counts)).toMatch(new RegExp(`^${words}`))
  })

  it.each([
    [{ charges: 3, waits: 3 }, '3 payments wait'],
    [{ charges: 1, waits: 1 }, 'One payment waits'],
    [{ charges: 1, skipped: 1 }, 'One payment is passed over and never collected.'],
  ])('calls nothing covered of %j', async (counts, words) => {
    expect(await told(counts)).toMatch(new RegExp(`^${words}`))
    expect(await told(counts)).not.toContain('covered')
  })
})
