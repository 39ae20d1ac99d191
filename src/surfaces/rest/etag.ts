import { createHash } from 'node:crypto'

/** Fields that change from block to block although the facts stay the same. */
const ENVELOPE = new Set(['asOf', 'index'])

/** A weak ETag over an answer, without its block, its index position and latencies. */
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

/** Whether If-None-Match names the ETag, by weak comparison. */
export function matchesEtag(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false
  if (ifNoneMatch.trim() === '*') return true
  const opaque = etag.replace(/^W\//, '')
  return ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === opaque)
}
