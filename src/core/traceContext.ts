/** A request's place in a trace that spans programs, as W3C's Trace Context has it. */
export interface TraceContext {
  /** 32 hex digits, the same in every program. */
  readonly traceId: string
  /** 16 hex digits: who asked. `undefined` where the trace begins here. */
  readonly parentId: string | undefined
  /** 2 hex digits: `01` where whoever began the trace records it. */
  readonly flags: string
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const SAMPLED = 1

/** Reads a `traceparent` header. Answers `undefined` where it is missing or not one: then a new trace is begun. */
export function readTraceparent(header: string | null | undefined): TraceContext | undefined {
  const [, version = '', traceId = '', parentId = '', flags = '', rest] = TRACEPARENT.exec(header ?? '') ?? []
  if (version === '' || version === 'ff' || (version === '00' && rest !== undefined)) return undefined
  if (/^0+$/.test(traceId) || /^0+$/.test(parentId)) return undefined
  // Later versions may give the other bits a meaning, which is not ours to pass on.
  return { traceId, parentId, flags: `0${Number.parseInt(flags, 16) & SAMPLED}` }
}

/** What a request says to whom it asks in turn. @param spanId 16 hex digits, of this request */
export function writeTraceparent({ traceId, flags }: TraceContext, spanId: string): string {
  return `00-${traceId}-${spanId}-${flags}`
}
