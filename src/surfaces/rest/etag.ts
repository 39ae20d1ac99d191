import { createHash } from 'node:crypto'

/** Parts of an answer that change while the fact it states does not. */
const ENVELOPE = new Set(['asOf', 'index'])

/** A weak ETag over an answer without the block and the index that it was read at, and without latencies. */
export function etagOf(body: Readonly<Record<string, unknown>>, representation: string): string {
  const facts = Object.fromEntries(Object.entries(body).filter(([name]) => !ENVELOPE.has(name)))
  const text = JSON.stringify(facts, (name, value: unknown) => (name === 'latencyMs' ? undefined : value))
  return weakEtag(`${representation}\n${text}`)
}

/** A weak ETag over content as it is sent, compressed or not. */
export function weakEtag(content: string | Uint8Array): string {
  const hash = createHash('sha256').update(content).digest('base64url')
  return `W/"${hash.slice(0, 27)}"`
}

/** Whether If-None-Match names the entity, by the weak comparison that GET asks for. */
export function matchesEtag(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false
  if (ifNoneMatch.trim() === '*') return true
  const opaque = etag.replace(/^W\//, '')
  return ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === opaque)
}
