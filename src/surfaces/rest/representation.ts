import type { Answer } from '../../core/answer.ts'
import type { ServedDocument } from '../../core/servedDocument.ts'
import { Representation } from '../http/Representation.ts'
import { byName } from '../http/responses.ts'
import { CROSS_ORIGIN_HEADERS, matchesEtag, weakEtag } from './reply.ts'

const CACHE_CONTROL: Readonly<Record<ServedDocument['cache'], string>> = {
  revalidate: 'private, no-cache',
  immutable: 'public, max-age=31536000, immutable',
}

/** Answers with content that does not change. @param shared the headers of every answer to this caller */
type Reader = (asked: Headers, shared: Readonly<Record<string, string>>) => Promise<Response>

/** Answers with a document. It is rendered on the first request. */
export function represent(document: ServedDocument): Reader {
  const { contentType, cache, contentSecurityPolicy: policy, crossOrigin } = document
  const headers = {
    'Content-Type': contentType,
    'Cache-Control': CACHE_CONTROL[cache],
    ...(policy === undefined ? {} : { 'Content-Security-Policy': policy }),
    ...(crossOrigin ? byName(CROSS_ORIGIN_HEADERS) : {}),
  }
  let reader: Reader | undefined
  return (asked, shared) => {
    reader ??= readerOf(document.render(), headers)
    return reader(asked, shared)
  }
}

const bodies = new WeakMap<Answer['body'], Reader>()

/** Answers with the body of an operation whose answer never changes. */
export function representBody(body: Answer['body']): Reader {
  const known = bodies.get(body)
  if (known !== undefined) return known
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': CACHE_CONTROL.revalidate }
  const reader = readerOf(JSON.stringify(body), headers)
  bodies.set(body, reader)
  return reader
}

function readerOf(rendered: string | Uint8Array<ArrayBuffer>, own: Readonly<Record<string, string>>): Reader {
  const content = new Representation(rendered)
  const etag = weakEtag(content.bytes)
  return async (asked, shared) => {
    const headers = { ...shared, ...own, ETag: etag }
    if (!matchesEtag(asked.get('if-none-match'), etag)) return content.respond(asked, headers)
    const { 'Content-Type': _, ...kept } = Representation.vary(headers)
    return new Response(null, { status: 304, headers: kept })
  }
}
