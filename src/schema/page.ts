import * as z from 'zod'

/** Beyond this many rows `skip` is refused: `after` reads on from any row at the price of one. */
export const MAX_SKIP = 5000

/**
 * The paging parameters of a list.
 * @param limits `first` when it is not given, and the most that a caller may ask for
 */
export function pageFields(limits: { default: number; max: number }) {
  return {
    first: z
      .int()
      .min(1)
      .max(limits.max)
      .optional()
      .describe(`How many rows: default ${limits.default}, at most ${limits.max}.`),
    skip: z
      .int()
      .min(0)
      .max(MAX_SKIP, `must be at most ${MAX_SKIP}: page on with \`after\` instead`)
      .optional()
      .describe('How many rows to pass over. Not together with `after`.'),
    after: z
      .string()
      .min(1)
      .max(200)
      .regex(/^[A-Za-z0-9_-]+$/, 'must be the nextCursor of an earlier page')
      .optional()
      .describe('The nextCursor of the page before.'),
  }
}

/** What every page of a list says beside its rows. */
export const pageAnswer = {
  count: z.int().min(0).describe('Rows in this page.'),
  hasMore: z.boolean(),
  nextCursor: z.string().nullable().describe('Give it as `after` for the next page; null on the last one.'),
}
