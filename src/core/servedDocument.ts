import type { Metering } from './lanes.ts'

/** Something to be read, which is no operation: no tool, no path of the OpenAPI document, no row of the catalog. */
export interface ServedDocument {
  /** What logs and metrics call it. Several documents may share one. */
  readonly name: string
  /** Without the `/api` prefix, below which it is served too. */
  readonly path: string
  readonly contentType: string
  /** What a page may load; left out for what loads nothing. */
  readonly contentSecurityPolicy?: string
  /** `immutable` for what never changes under its path: anybody may keep it for a year. */
  readonly cache: 'revalidate' | 'immutable'
  readonly metering: Metering
  /** Whether pages of every origin may load it: only for what says the same to everybody. */
  readonly crossOrigin?: true
  /** Called once, when it is first asked for: it does not change while the process runs. */
  render(): string | Uint8Array<ArrayBuffer>
}
