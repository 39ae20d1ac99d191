/** Where the service tells its operator what happens. Never given secrets, upstream URLs or full addresses of callers. */
export interface Log {
  info(message: string, facts?: Readonly<Record<string, unknown>>): void
  warn(message: string, facts?: Readonly<Record<string, unknown>>): void
  error(message: string, facts?: Readonly<Record<string, unknown>>): void
}
