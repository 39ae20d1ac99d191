/** A value to offer while a person types. */
interface Suggestion {
  readonly value: string
  /** Other names of the value, such as a token's symbol. A stranger wrote them. */
  readonly words: readonly string[]
}

export type SuggestedKind = 'subscription' | 'token'

/** Suggests values while an argument is typed. */
export interface SuggestionsPort {
  /** Throws where the chain or its index cannot be read. */
  of(kind: SuggestedKind, chainId: number): Promise<readonly Suggestion[]>
}
