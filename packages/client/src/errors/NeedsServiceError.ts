/** A client over one's own node was asked what no node can answer: what is in an index, or what a service keeps. */
export class NeedsServiceError extends Error {
  override readonly name = 'NeedsServiceError'
  /** Such as "searchSubscriptions". */
  readonly method: string

  constructor(method: string) {
    super(`${method} is answered by a service and not by a node: give createClient a url beside the node.`)
    this.method = method
  }
}
