import * as z from 'zod'
import { BlockNumber } from './numbers.ts'

/** The largest `skip`. Further pages are read with `after`, which costs the same for every row. */
export const MAX_SKIP = 5000

/** How many rows a page has by default, and at most. */
export interface PageLimits {
  readonly default: number
  readonly max: number
}

/** The paging parameters of a list. Refine the input that they are in with `refuseSkipWithAfter`. */
export function pageFields(limits: PageLimits) {
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
      .describe('The nextCursor of the page before: exact while rows arrive.'),
  }
}

/** The paging parameters of a list out of the index, newest first. */
export function indexPageFields(limits: PageLimits) {
  return {
    ...pageFields(limits),
    untilBlock: BlockNumber.optional().describe(
      'Leave out what is newer than this block. Give it the index.blockNumber of the first page to make `skip` exact.',
    ),
  }
}

/** Refuses skip together with after: both say where the page begins. */
export function refuseSkipWithAfter(
  { skip, after }: { skip?: unknown; after?: unknown },
  context: z.core.$RefinementCtx,
): void {
  if (skip === undefined || after === undefined) return
  context.addIssue({ code: 'custom', path: ['skip'], message: 'cannot be given together with after' })
}

interface PageInput {
  readonly first?: number | undefined
  readonly skip?: number | undefined
  readonly after?: string | undefined
  readonly untilBlock?: number | undefined
}

/** What a caller's paging parameters ask of the index. */
export function toPageQuery({ first, skip, after, untilBlock }: PageInput, limits: PageLimits) {
  return { first: first ?? limits.default, skip: skip ?? 0, after, untilBlock }
}

/** What every page of a list says beside its rows. */
export const pageAnswer = {
  count: z.int().min(0).describe('Rows in this page.'),
  hasMore: z.boolean(),
  nextCursor: z.string().nullable().describe('Give it as `after` for the next page; null on the last one.'),
}

/** The same, of a page as the index gave it. */
export function toPageAnswer(page: {
  readonly rows: readonly unknown[]
  readonly hasMore: boolean
  readonly nextCursor: string | null
}) {
  return { count: page.rows.length, hasMore: page.hasMore, nextCursor: page.nextCursor }
}
