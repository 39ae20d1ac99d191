/**
 * The subgraph could not be asked, or what it says is of no use just now: worth asking again.
 *
 * The sentence is for the operator. It names no URL and quotes nothing that the subgraph's server said: a URL of
 * a gateway holds the key, and a server may well quote it. For the same reason there is no `cause`.
 */
export class SubgraphFailedError extends Error {
  override readonly name: string = 'SubgraphFailedError'
}

/** The answer has more bytes than are read of one: fewer rows at a time may fit. */
export class AnswerTooLargeError extends SubgraphFailedError {
  override readonly name = 'AnswerTooLargeError'
}
