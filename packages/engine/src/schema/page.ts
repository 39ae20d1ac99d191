import * as z from 'zod'
import { BlockNumber } from './numbers.ts'

/** The largest `skip`. Further pages are read with `after`, which costs the same for every row. */
const MAX_SKIP = 5000

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
      .describe('How many rows to skip. Not together with `after`.'),
    after: z
      .string()
      .min(1)
      .max(200)
      .regex(/^[A-Za-z0-9_-]+$/, 'must be the nextCursor of an earlier page')
      .optional()
      .describe('nextCursor of the previous page: exact while rows arrive.'),
  }
}

/** The paging parameters of a list out of the index, newest first. */
export function indexPageFields(limits: PageLimits) {
  return {
    ...pageFields(limits),
    untilBlock: BlockNumber.optional().describe(
      'Leave out rows after this block; what is filtered by is taken as of it, and the rows say what is so now. Set it to the first page’s index.blockNumber to make `skip` exact.',
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

/** The query of the index for paging parameters. */
export function toPageQuery({ first, skip, after, untilBlock }: PageInput, limits: PageLimits) {
  return { first: first ?? limits.default, skip: skip ?? 0, after, untilBlock }
}

/** The paging parameters of lists that only ever grow, oldest first: a row's place in them is its cursor. */
export function growingPageFields(limits: PageLimits) {
  return {
    first: pageFields(limits).first,
    after: z
      .string()
      .regex(/^[1-9]\d{0,8}$/, 'must be the nextCursor of an earlier page')
      .optional()
      .describe('nextCursor of the previous page.'),
  }
}

/** Where the page of such a list begins, and how many rows it may have. */
export function toRowRange(
  { first, after }: Pick<PageInput, 'first' | 'after'>,
  limits: PageLimits,
): { skip: number; first: number } {
  return { skip: Number(after ?? 0), first: first ?? limits.default }
}

/** The fields of such a page that say where the next one begins. */
export function toNextPlace({ skip, first }: { skip: number; first: number }, total: number) {
  const hasMore = skip + first < total
  return { hasMore, nextCursor: hasMore ? String(skip + first) : null }
}

/** The fields of every page beside its rows. */
export const pageAnswer = {
  count: z.int().min(0).describe('Rows in this page.'),
  hasMore: z.boolean(),
  nextCursor: z.string().nullable().describe('Pass it as `after` for the next page; null on the last one.'),
}

/** The same fields, from a page of the index. */
export function toPageAnswer(page: {
  readonly rows: readonly unknown[]
  readonly hasMore: boolean
  readonly nextCursor: string | null
}) {
  return { count: page.rows.length, hasMore: page.hasMore, nextCursor: page.nextCursor }
}
