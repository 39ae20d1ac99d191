import { createHash } from 'node:crypto'
import type { Answer, RenderedFile } from '@remit/engine/declare/codec'
import type { SubscriptionNames } from '@remit/engine/declare/operation'
import * as z from 'zod'
import type { ServedDocument } from '../../calls/servedDocument.ts'
import type { Operation } from '../../calls/serviceOperation.ts'
import { Representation } from '../http/Representation.ts'
import { headerRecord } from '../http/responses.ts'
import { CSV_TYPE, type TableWriter } from './table.ts'

// How an answer is sent: its status, headers and text (`replyTo`), in the form that was asked for (JSON, table, file), with
// an ETag. At the end: how documents and answers that never change are sent.

/** What is sent for an answer, through the framework or straight to the socket. */
export interface Reply {
  readonly status: number
  /** Name, value, name, value. */
  readonly headers: string[]
  /** `null` where the caller has it already, by its ETag. */
  readonly text: string | null
}

/** Status, headers, ETag and text of an answer. Callers may keep only what a GET answers in full, without an `error`, and no secret. */
export function replyTo(
  answer: Answer,
  operation: Pick<Operation, 'rest' | 'isSecret' | 'crossOrigin'>,
  form: Form,
  asked: {
    /** The headers of every answer to this caller. They are added to. */
    readonly shared: string[]
    readonly ifNoneMatch: string | null | undefined
    readonly cookie?: string | undefined
  },
): Reply {
  const { body } = answer
  const { shared: headers, ifNoneMatch, cookie } = asked
  const own = form.headers(body)
  if (own.length > 0) headers.push(...own)
  if (cookie !== undefined) headers.push('Set-Cookie', cookie)
  if (operation.crossOrigin) headers.push(...CROSS_ORIGIN_HEADERS)
  const isKept = operation.rest?.method === 'GET' && !operation.isSecret && !('error' in body)
  if (isKept) {
    const etag = etagOf(body, `${form.contentType}\n${form.beside ?? ''}`)
    headers.push('ETag', etag, 'Cache-Control', 'private, no-cache')
    if (matchesEtag(ifNoneMatch, etag)) return { status: 304, headers, text: null }
  } else {
    headers.push('Cache-Control', 'no-store')
  }
  headers.push('Content-Type', form.contentType)
  return { status: operation.rest?.status ?? 200, headers, text: form.render(body) }
}

const CROSS_ORIGIN_HEADERS: readonly string[] = [
  ...['Access-Control-Allow-Origin', '*'],
  ...['Cross-Origin-Resource-Policy', 'cross-origin'],
]

export const JSON_TYPE = 'application/json'
export const HTML_TYPE = 'text/html'

/** A form that an answer is sent in. */
export interface Form {
  readonly contentType: string
  /** What the form shows that is not in the answer's body, as text: so the ETag changes with it. */
  readonly beside?: string
  /** Headers beside those of every answer, as name, value, name, value. */
  headers(body: Answer['body']): readonly string[]
  render(body: Answer['body']): string
}

const NO_HEADERS: readonly string[] = []

/** The answer as JSON: its usual form. */
export function jsonForm({ json }: Answer): Form {
  return { contentType: JSON_TYPE, headers: () => NO_HEADERS, render: json }
}

/** What an answer says beside its rows. */
const BesideRows = z.object({
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
      const { nextCursor, asOf, warnings } = BesideRows.parse(body)
      return [
        ...['Content-Disposition', `attachment; filename="${table.field}.csv"`],
        ...(nextCursor ? linkTo(url, nextCursor, { format: 'csv' }) : []),
        ...(asOf === undefined ? [] : ['X-Block-Number', String(asOf.blockNumber)]),
        ...(warnings.length === 0 ? [] : ['X-Warnings', warnings.map(({ code }) => code).join(', ')]),
      ]
    },
    render: (body) => table.write(body),
  }
}

/** A file made of an answer (a calendar, say) and of what providers call its subscriptions. A header leads to the next page, if any. */
export function fileForm(
  file: RenderedFile,
  names: SubscriptionNames,
  { contentType, url }: { readonly contentType: string; readonly url: string },
): Form {
  return {
    contentType,
    beside: JSON.stringify([...names]),
    headers(body) {
      const { nextCursor } = BesideRows.parse(body)
      return nextCursor ? linkTo(url, nextCursor) : NO_HEADERS
    },
    render: () => file.render(names),
  }
}

/** The header `Link` to the next page: the request's address with another cursor. */
function linkTo(url: string, cursor: string, more: Readonly<Record<string, string>> = {}) {
  const { pathname, searchParams } = new URL(url)
  searchParams.set('after', cursor)
  searchParams.delete('skip')
  for (const [name, value] of Object.entries(more)) searchParams.set(name, value)
  return ['Link', `<${pathname}?${searchParams}>; rel="next"`]
}

/** Fields that change from block to block although the facts stay the same. */
const ENVELOPE = new Set(['asOf', 'index'])

/** The ETags of each body, by the form that they are for. An answer may be sent many times, so each is made once. */
const etags = new WeakMap<Readonly<Record<string, unknown>>, Map<string, string>>()

/**
 * A weak ETag over an answer, without its block, its index position and latencies.
 * @param representation the form, and what it shows beside the body
 */
function etagOf(body: Readonly<Record<string, unknown>>, representation: string): string {
  const ofBody = etags.get(body) ?? new Map<string, string>()
  etags.set(body, ofBody)
  const etag = ofBody.get(representation) ?? makeEtag(body, representation)
  ofBody.set(representation, etag)
  return etag
}

function makeEtag(body: Readonly<Record<string, unknown>>, representation: string): string {
  const facts = Object.fromEntries(Object.entries(body).filter(([name]) => !ENVELOPE.has(name)))
  const text = JSON.stringify(facts, (name, value: unknown) => (name === 'latencyMs' ? undefined : value))
  return weakEtag(`${representation}\n${text}`)
}

/** A weak ETag over content as it is sent, compressed or not. */
export function weakEtag(content: string | Uint8Array): string {
  const hash = createHash('sha256').update(content).digest('base64url')
  return `W/"${hash.slice(0, 27)}"`
}

/** Whether If-None-Match names the ETag, by weak comparison. */
function matchesEtag(ifNoneMatch: string | null | undefined, etag: string): boolean {
  if (ifNoneMatch === null || ifNoneMatch === undefined) return false
  // As clients mostly send it.
  if (ifNoneMatch === etag) return true
  if (ifNoneMatch.trim() === '*') return true
  const opaque = etag.replace(/^W\//, '')
  return ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === opaque)
}

const CACHE_CONTROL: Readonly<Record<ServedDocument['cache'], string>> = {
  revalidate: 'private, no-cache',
  immutable: 'public, max-age=31536000, immutable',
}

/** Sends content that does not change. @param asked the request's headers @param shared those of every answer to this caller */
type Sender = (asked: Headers, shared: Readonly<Record<string, string>>) => Promise<Response>

/** Makes the sender of a document, which renders it on the first request. */
export function documentSender(document: ServedDocument): Sender {
  const { contentType, cache, contentSecurityPolicy: policy, crossOrigin } = document
  const headers = {
    'Content-Type': contentType,
    'Cache-Control': CACHE_CONTROL[cache],
    ...(policy === undefined ? {} : { 'Content-Security-Policy': policy }),
    ...(crossOrigin ? headerRecord(CROSS_ORIGIN_HEADERS) : {}),
  }
  let sender: Sender | undefined
  return (asked, shared) => {
    sender ??= senderOf(document.render(), headers)
    return sender(asked, shared)
  }
}

const bodySenders = new WeakMap<Answer['body'], Sender>()

/** The sender of an answer that never changes, made once for each body. */
export function bodySender(body: Answer['body']): Sender {
  const known = bodySenders.get(body)
  if (known !== undefined) return known
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': CACHE_CONTROL.revalidate }
  const sender = senderOf(JSON.stringify(body), headers)
  bodySenders.set(body, sender)
  return sender
}

/** Sends one content, or 304 where the caller has it. It is compressed once, for all callers. */
function senderOf(rendered: string | Uint8Array<ArrayBuffer>, own: Readonly<Record<string, string>>): Sender {
  const content = new Representation(rendered)
  const etag = weakEtag(content.bytes)
  return async (asked, shared) => {
    const headers = { ...shared, ...own, ETag: etag }
    if (!matchesEtag(asked.get('if-none-match'), etag)) return content.respond(asked, headers)
    const { 'Content-Type': _, ...kept } = Representation.vary(headers)
    return new Response(null, { status: 304, headers: kept })
  }
}
