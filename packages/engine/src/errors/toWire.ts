import { type Fact, InternalError, RemitError } from './base.ts'

/** An error as a caller sees it, on every surface. */
export interface WireError {
  status: number
  headers: Readonly<Record<string, string>>
  body: { error: string; code: string; requestId: string; issues?: unknown; [fact: string]: unknown }
}

/** Converts anything thrown. Errors of the service stay as they are; everything else becomes a 500 without details. */
export function toRemitError(thrown: unknown): RemitError {
  return thrown instanceof RemitError ? thrown : new InternalError(thrown)
}

/** The body of REST errors and of MCP error results. The cause is never sent. */
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
