import { createHash } from 'node:crypto'

/** Fields that change from block to block although the facts stay the same. */
const ENVELOPE = new Set(['asOf', 'index'])

const known = new WeakMap<Readonly<Record<string, unknown>>, Map<string, string>>()

/**
 * A weak ETag over an answer, without its block, its index position and latencies. It is made once, because an answer may
 * be sent many times.
 */
function etagOf(body: Readonly<Record<string, unknown>>, representation: string): string {
  const ofBody = known.get(body) ?? new Map<string, string>()
  known.set(body, ofBody)
  const etag = ofBody.get(representation) ?? makeEtag(body, representation)
  ofBody.set(representation, etag)
  return etag
}

/** Headers by which an answer to a read is kept and asked for again. One with an `error` is incomplete, and not kept. */
export function cachingOf(
  body: Readonly<Record<string, unknown>>,
  representation: string,
): { readonly 'Cache-Control': string; readonly ETag?: string } {
  if ('error' in body) return { 'Cache-Control': 'no-store' }
  return { ETag: etagOf(body, representation), 'Cache-Control': 'private, no-cache' }
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
export function matchesEtag(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false
  // As clients mostly send it.
  if (ifNoneMatch === etag) return true
  if (ifNoneMatch.trim() === '*') return true
  const opaque = etag.replace(/^W\//, '')
  return ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === opaque)
}
