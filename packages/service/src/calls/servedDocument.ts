import type { Metering } from '@remit/engine/declare/lanes'

/** A document that is served beside the operations: a page, a guide, a file. It is not in OpenAPI or the catalog. */
export interface ServedDocument {
  /** Its name in logs and metrics. Several documents may share one. */
  readonly name: string
  /** The path without the `/api` prefix, below which it is served too. */
  readonly path: string
  readonly contentType: string
  /** What a page may load. Left out where it loads nothing. */
  readonly contentSecurityPolicy?: string
  /** `immutable`: it never changes under its path, so caches may keep it for a year. */
  readonly cache: 'revalidate' | 'immutable'
  readonly metering: Metering
  /** Whether it is there while the API is switched off. Documents describe the API, mostly. */
  readonly whileDisabled?: true
  /** Whether pages of every origin may load it. Only for documents that are the same for everybody. */
  readonly crossOrigin?: true
  /** Called once, on the first request. */
  render(): string | Uint8Array<ArrayBuffer>
}
