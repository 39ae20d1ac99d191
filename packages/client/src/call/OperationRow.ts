import type { ObjectShape } from './WireShape.ts'

/**
 * One operation of the service, as requests are made and answers decoded by it. The generated table `operations` has a row for each.
 *
 * Fields that are not in the path go into the query of a GET and the body of a POST. `chainId` and `minBlock` always go into the query.
 */
export interface OperationRow {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Its parameters are written as in `/subscriptions/:id`. */
  readonly path: string
  /** It is about one chain, so it takes `chainId` and `minBlock`. */
  readonly onChain?: true
  /** Only the admin secret opens it. */
  readonly forOperators?: true
  /** Asking twice does no more than asking once. */
  readonly repeatable?: true
  /** The field of the answer that holds the rows of a page. */
  readonly rows?: string
  readonly answer: ObjectShape
}
