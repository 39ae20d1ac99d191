/**
 * What a value of an answer is: how it travels, and what becomes of it.
 *
 * A text names a simple value. A list starts with what it is and says of what. Everything else is an object with
 * the shapes of its fields; a name that ends in "?" may be missing.
 */
export type WireShape =
  | SimpleShape
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

/** `decimal` and `hexQuantity` become a bigint, `time` a Date; the rest stays what it is on the wire. */
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
