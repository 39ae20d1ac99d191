import type { ObjectShape } from './WireShape.ts'

/**
 * One operation, as far as requests and answers depend on it.
 *
 * Fields that are not in the path go into the query of a GET and the body of a POST. `chainId` and `minBlock` always
 * go into the query.
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
