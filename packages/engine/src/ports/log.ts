/** What a line says beside its message. It may be read a little later, so it must not change. */
export interface LogFields {
  readonly [name: string]: Fact
}

/** What JSON can say. */
type Fact = string | number | boolean | null | undefined | readonly Fact[] | LogFields

/** The operator's log. It must never get secrets, upstream URLs or callers' full addresses. */
export interface Log {
  info(message: string, facts?: LogFields): void
  warn(message: string, facts?: LogFields): void
  error(message: string, facts?: LogFields): void
}
