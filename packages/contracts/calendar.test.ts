import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { CalendarHarness } from './generated/CalendarHarness.ts'
import { NamedChain } from './testing/NamedChain.ts'

const Dates = z.array(
  z.object({
    weekDay: z.number(),
    monthDay: z.number(),
    quarterDay: z.number(),
    yearDay: z.number(),
    monthDays: z.number(),
  }),
)

const dayNumber = (date: string) => Date.parse(`${date}T00:00:00Z`) / 86_400_000

let chain: NamedChain
beforeAll(async () => {
  const at = Date.parse('2026-04-01T00:00:00Z') / 1000
  chain = await NamedChain.start(at - 60)
  const [admin] = await chain.client.getAddresses()
  if (admin === undefined) throw new Error('anvil has no account')
  chain.names.add('admin', admin)
  await chain.deploy('calendar', CalendarHarness, [], at)
})
afterAll(() => chain.stop())

/** The same by the runtime's own calendar. */
function dateOf(day: number): z.infer<typeof Dates>[number] {
  const date = new Date(day * 86_400_000)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  const since = (begin: number) => day - begin / 86_400_000 + 1
  return {
    weekDay: date.getUTCDay() === 0 ? 7 : date.getUTCDay(),
    monthDay: date.getUTCDate(),
    quarterDay: since(Date.UTC(year, month - (month % 3), 1)),
    yearDay: since(Date.UTC(year, 0, 1)),
    monthDays: new Date(Date.UTC(year, month + 1, 0)).getUTCDate(),
  }
}

// Of the four centuries after which the calendar repeats, those years in which its rules change.
it.each([1970, 1999, 2000, 2024, 2025, 2026, 2099, 2100, 2103, 2104, 2200, 2300, 2399, 2400, 9999])(
  'the calendar knows every day of %i',
  async (year) => {
    const first = dayNumber(`${year}-01-01`)
    const count = 366
    const dates = Dates.parse(await chain.view('calendar', 'dates', [first, count]))
    expect(dates).toEqual(Array.from({ length: count }, (_, index) => dateOf(first + index)))
  },
)

describe('what is left of a period', () => {
  const [weekly, monthly, quarterly, yearly] = [0, 1, 2, 3]
  const left = async (date: string, dueDay: number, amount: number, frequency: number | undefined) => {
    const args = [dayNumber(date), 1, dueDay, amount, frequency ?? 0]
    return z.tuple([z.string()]).parse(await chain.view('calendar', 'remainders', args))[0]
  }

  it('is all of it on the due day', async () => {
    expect(await left('2026-03-02', 1, 1000, weekly)).toBe('1000')
    expect(await left('2026-03-02', 61, 1000, yearly)).toBe('1000')
  })

  it('counts the days to the due day, at a price per day that is truncated first', async () => {
    expect(await left('2026-03-02', 3, 1000, weekly)).toBe(`${142 * 2}`)
    expect(await left('2026-03-04', 1, 1000, weekly)).toBe(`${142 * 5}`)
  })

  it('has a monthly price per day of twelve periods by 365, whatever the month', async () => {
    expect(await left('2026-03-04', 2, 1000, monthly)).toBe(`${32 * 29}`)
    expect(await left('2026-02-04', 2, 1000, monthly)).toBe(`${32 * 26}`)
    expect(await left('2028-02-04', 2, 1000, monthly)).toBe(`${32 * 27}`)
  })

  it('has a quarter of 90 days, but on its days 91 and 92', async () => {
    // 2026: 31 March is day 90, 30 June day 91, 30 September day 92.
    expect(await left('2026-03-31', 1, 9000, quarterly)).toBe(`${100}`)
    expect(await left('2026-06-29', 1, 9000, quarterly)).toBe(`${100}`)
    expect(await left('2026-06-30', 1, 9000, quarterly)).toBe(`${Math.floor(9000 / 91)}`)
    expect(await left('2026-09-30', 1, 9000, quarterly)).toBe(`${Math.floor(9000 / 92)}`)
    expect(await left('2026-09-30', 90, 9000, quarterly)).toBe(`${Math.floor(9000 / 92) * 90}`)
  })

  it('has a year of 365 days, but on its day 366', async () => {
    expect(await left('2028-12-30', 1, 36_500, yearly)).toBe(`${100}`)
    expect(await left('2028-12-31', 1, 36_600, yearly)).toBe(`${100}`)
    expect(await left('2028-12-31', 365, 36_600, yearly)).toBe(`${100 * 365}`)
  })
})
