/**
 * The declared form of a value in an answer, by which `decodeAnswer` checks and decodes it. The generated client holds one for each
 * operation.
 *
 * A text names a simple value. A tuple starts with its kind, such as `['list', 'address']`. Everything else is an object with the
 * shapes of its fields; a name that ends in "?" may be missing.
 */
export type WireShape =
  | SimpleShape
  /** The shape of this name in the generated table of shapes, such as `['named', 'Token']`. */
  | readonly ['named', string]
  | readonly ['nullable' | 'list' | 'record', WireShape]
  /** One of these numbers or booleans and no other. */
  | readonly ['oneOf', ...(number | boolean)[]]
  /**
   * Objects that are told apart by the value of a field: what all have in common, and what each has beside it. Where the field
   * itself is in common, a newer service may have more variants.
   */
  | readonly ['variants', by: string, common: ObjectShape, Readonly<Record<string, ObjectShape>>]
  | ObjectShape

/**
 * `decimal` (`"10"`) and `hexQuantity` (`"0xa"`) become a bigint, `time` (ISO 8601) a Date; the rest stays what it is on the
 * wire. `scalar` is a text, number or boolean; `json` is whatever JSON can hold, and is passed on unread.
 */
export type SimpleShape =
  | 'string'
  | 'number'
  | 'boolean'
  | 'scalar'
  | 'json'
  | 'address'
  | 'hex'
  | 'decimal'
  | 'hexQuantity'
  | 'time'

export interface ObjectShape {
  readonly [field: string]: WireShape
}
