/** The operation is not paid for. The message says why, to whoever asked. */
export class Refused extends Error {
  override readonly name = 'Refused'
}
