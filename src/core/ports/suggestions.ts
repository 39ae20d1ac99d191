/** A value that a person may have meant. */
export interface Suggestion {
  readonly value: string
  /** Other words that it is known by, such as a token's symbol: a stranger's text. */
  readonly words: readonly string[]
}

export type SuggestedKind = 'subscription' | 'token'

/** What can be suggested while an argument is typed. */
export interface SuggestionsPort {
  /** Throws where the chain or its index cannot be read. */
  of(kind: SuggestedKind, chainId: number): Promise<readonly Suggestion[]>
}
