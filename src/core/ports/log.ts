/** The operator's log. It must never get secrets, upstream URLs or callers' full addresses. */
export interface Log {
  info(message: string, facts?: Readonly<Record<string, unknown>>): void
  warn(message: string, facts?: Readonly<Record<string, unknown>>): void
  error(message: string, facts?: Readonly<Record<string, unknown>>): void
}
