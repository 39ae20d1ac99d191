import type { ObjectShape } from './WireShape.ts'

/**
 * One operation, as far as requests and answers depend on it.
 *
 * Input that the path does not take goes into the query of a GET and the body of a POST, but for what every
 * operation on a chain takes, which is always in the query.
 */
export interface OperationRow {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly onChain?: true
  /** Only the admin secret opens it. */
  readonly forOperators?: true
  /** Asking twice does no more than asking once. */
  readonly repeatable?: true
  /** The field of the answer that holds the rows of a page. */
  readonly rows?: string
  readonly answer: ObjectShape
}
