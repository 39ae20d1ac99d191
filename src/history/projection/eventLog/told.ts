import * as z from 'zod'

const Facts = z.looseObject({ day: z.number().optional(), kind: z.string().optional() })

/** What an event that the sweep told was about, as far as it decides what is told next. */
export function toldFacts(facts: string): z.output<typeof Facts> {
  return Facts.parse(JSON.parse(facts))
}
