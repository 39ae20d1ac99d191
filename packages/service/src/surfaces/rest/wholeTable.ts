import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer } from '@remit/engine/declare/codec'
import type { WholeTable } from '@remit/engine/declare/operation'
import { ValidationError } from '@remit/engine/errors/input'
import * as z from 'zod'
import type { Caller, Pipeline, RawCall } from '../../calls/pipeline.ts'
import type { Operation } from '../../calls/serviceOperation.ts'
import { RateLimitedError } from '../../errors/access.ts'
import { NDJSON_TYPE } from './mediaTypes.ts'
import { CSV_TYPE, type TableWriter } from './table.ts'

/** A stream waits for the minute's limits, which takes no longer. It does not wait for the next day. */
const LONGEST_WAIT_SECONDS = 60

const Page = z.object({
  nextCursor: z.string().nullable(),
  index: z.object({ blockNumber: z.number() }),
})

/**
 * The input for the first page of a whole list. Throws ValidationError where the lane may not have it, and for `first`
 * and `skip`: the list is sent from `after` to its end.
 */
export function firstPageOf<Call extends RawCall>(
  call: Call,
  { pageRows }: WholeTable,
  { identity }: Caller,
): Call {
  if (identity.lane === 'free') {
    throw ValidationError.of('format', 'must be json on the free lane: a whole list needs an API key')
  }
  const input = z.record(z.string(), z.unknown()).parse(call.input)
  const given = ['first', 'skip'].find((name) => input[name] !== undefined)
  if (given !== undefined) throw ValidationError.of(given, 'has no meaning here: the whole list is sent')
  return { ...call, input: { ...input, first: pageRows } }
}

export interface WholeTableOptions {
  readonly pipeline: Pipeline
  readonly caller: Caller
  readonly operation: Operation
  readonly table: TableWriter
  readonly mediaType: string
  /** The call that `firstPage` answered. */
  readonly call: RawCall
  readonly firstPage: Answer['body']
  /** Called with the error of a later page: it comes too late for a status. */
  readonly report: (error: unknown) => void
}

/** The headers of a whole list. It has no ETag, since its end is not known when it begins. */
export function wholeTableHeaders({
  table,
  mediaType,
  firstPage,
}: Pick<WholeTableOptions, 'table' | 'mediaType' | 'firstPage'>): Record<string, string> {
  const [contentType, extension] =
    mediaType === CSV_TYPE ? [`${CSV_TYPE}; charset=utf-8; header=present`, 'csv'] : [NDJSON_TYPE, 'ndjson']
  return {
    'Content-Type': contentType,
    'Content-Disposition': `attachment; filename="${table.field}.${extension}"`,
    'X-Block-Number': String(Page.parse(firstPage).index.blockNumber),
    'Cache-Control': 'no-store',
  }
}

/**
 * A whole list as one stream. A page is read when the caller has taken the one before, so memory is bounded.
 *
 * Each page takes the units of a request. Where the minute's are spent, the stream waits. All pages are read up to the
 * first page's block. A failure breaks the transfer off, and the caller goes on after the last row that came.
 */
export function streamTable({ firstPage, call, ...options }: WholeTableOptions): ReadableStream<Uint8Array> {
  const { pipeline, caller, operation, table, mediaType, report } = options
  const encoder = new TextEncoder()
  const untilBlock = Page.parse(firstPage).index.blockNumber
  let isFirstPage = true
  /** The cursor at which the next page begins; `undefined` before the first one. */
  let after: string | undefined

  const write = (page: Answer['body']) =>
    mediaType === CSV_TYPE
      ? table.write(page, { names: isFirstPage })
      : table
          .rows(page)
          .map((row) => `${JSON.stringify(row)}\n`)
          .join('')

  async function nextPage(cursor: string): Promise<Answer['body']> {
    const input = { ...z.record(z.string(), z.unknown()).parse(call.input), after: cursor, untilBlock }
    for (;;) {
      try {
        return (await pipeline.call(caller, operation, async () => ({ ...call, input }))).body
      } catch (error) {
        const { signal } = caller
        const waitSeconds = error instanceof RateLimitedError ? error.retryAfterSeconds : undefined
        if (waitSeconds === undefined || waitSeconds > LONGEST_WAIT_SECONDS) throw error
        await sleep(waitSeconds * 1000, undefined, { signal }).catch(() => signal?.throwIfAborted())
      }
    }
  }

  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const body = after === undefined ? firstPage : await nextPage(after)
          const rows = write(body)
          after = Page.parse(body).nextCursor ?? undefined
          isFirstPage = false
          if (rows !== '') controller.enqueue(encoder.encode(rows))
          if (after === undefined) controller.close()
        } catch (error) {
          report(error)
          controller.error(error)
        }
      },
    },
    // Nothing is read ahead.
    { highWaterMark: 0 },
  )
}
