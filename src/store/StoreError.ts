/** The store cannot be used; the sentence is for the operator and holds no URL. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
}
