import * as z from 'zod'
import type { Answer } from '../../core/answer.ts'
import type { FileRoute } from '../../core/operation.ts'
import { CSV_TYPE, type TableWriter } from './table.ts'

export const JSON_TYPE = 'application/json'
export const HTML_TYPE = 'text/html'

/** A form that an answer is sent in. */
export interface Form {
  readonly contentType: string
  /** Headers beside those of every answer. */
  headers(body: Answer['body']): Readonly<Record<string, string>>
  render(body: Answer['body']): string
}

export function jsonForm({ json }: Answer): Form {
  return { contentType: JSON_TYPE, headers: () => ({}), render: json }
}

const Told = z.object({
  nextCursor: z.string().nullish(),
  asOf: z.object({ blockNumber: z.number() }).optional(),
  warnings: z.array(z.object({ code: z.string() })).default([]),
})

/**
 * The rows of an answer as a file. What the answer says beside them is told in headers: where the next page is, the
 * block, and the codes of warnings.
 * @param url of the request, which the next page differs from by `after` alone
 */
export function tableForm(table: TableWriter, url: string): Form {
  return {
    contentType: `${CSV_TYPE}; charset=utf-8; header=present`,
    headers(body) {
      const { nextCursor, asOf, warnings } = Told.parse(body)
      return {
        'Content-Disposition': `attachment; filename="${table.field}.csv"`,
        ...(nextCursor ? linkTo(url, nextCursor, { format: 'csv' }) : {}),
        ...(asOf === undefined ? {} : { 'X-Block-Number': String(asOf.blockNumber) }),
        ...(warnings.length === 0 ? {} : { 'X-Warnings': warnings.map(({ code }) => code).join(', ') }),
      }
    },
    render: (body) => table.write(body),
  }
}

/** A file that is made of an answer. Where it holds a page of it, a header tells the next one, as for a table. */
export function fileForm(answer: Answer, { path, contentType }: FileRoute, url: string): Form {
  return {
    contentType,
    headers(body) {
      const { nextCursor } = Told.parse(body)
      return nextCursor ? linkTo(url, nextCursor) : {}
    },
    render: () => answer.file(path),
  }
}

function linkTo(url: string, cursor: string, more: Readonly<Record<string, string>> = {}) {
  const { pathname, searchParams } = new URL(url)
  searchParams.set('after', cursor)
  searchParams.delete('skip')
  for (const [name, value] of Object.entries(more)) searchParams.set(name, value)
  return { Link: `<${pathname}?${searchParams}>; rel="next"` }
}
