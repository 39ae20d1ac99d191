import { RemitError } from './RemitError.ts'

/** The chain could not be asked, was too slow to answer, or its nodes cannot simulate. */
export class UpstreamError extends RemitError {}

/** The index of search and history could not be read, or is behind. */
export class IndexUnavailableError extends RemitError {}

/** The service answers, but cannot work at present: switched off, draining, or without what it needs. */
export class UnavailableError extends RemitError {}

/** The block that `minBlock` asks for has not been seen in time. */
export class BlockNotSeenError extends UnavailableError {}
