import { type Fact, RemitError } from './base.ts'
import { InternalError } from './http.ts'

/** An error as a caller sees it, on every surface. */
export interface WireError {
  status: number
  headers: Readonly<Record<string, string>>
  body: { error: string; code: string; requestId: string; issues?: unknown; [fact: string]: unknown }
}

/** What any thrown thing becomes: one of ours as it is, everything else a 500 that tells nothing. */
export function toRemitError(thrown: unknown): RemitError {
  return thrown instanceof RemitError ? thrown : new InternalError(thrown)
}

/** The REST body and the MCP error result alike. `cause` never travels. */
export function toWire(error: RemitError, requestId: string): WireError {
  const facts: Record<string, Fact> = { ...error.facts }
  return {
    status: error.status,
    headers: error.headers,
    body: {
      error: error.message,
      code: error.code,
      requestId,
      ...(error.issues === undefined ? {} : { issues: error.issues }),
      ...facts,
    },
  }
}
