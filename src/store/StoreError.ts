/** The store cannot be used. The message is for the operator and holds no URL. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
}
