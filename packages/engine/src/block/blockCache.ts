import { LRUCache } from 'lru-cache'
import type { Hex } from 'viem'

/**
 * Keeps what was read at a block, for as long as there is room.
 *
 * Equal reads at the same time share one load. A failed load is forgotten and the next caller tries again, unless the
 * failure is known to repeat at this block. The block's hash is part of the key, so no value ever grows old.
 */
export class BlockCache {
  readonly #values: LRUCache<string, Promise<object>>
  readonly #onAsked: ((known: boolean) => void) | undefined
  readonly #isLasting: (error: unknown) => boolean

  /**
   * @param options.max how many answers are kept
   * @param options.maxRows how many rows all of them may have together
   * @param options.onAsked is called on every `get`, with whether the value was there or already loading
   * @param options.isLasting whether a load that failed this way fails again at its block
   */
  constructor(options: {
    max: number
    maxRows: number
    onAsked?: (known: boolean) => void
    isLasting?: (error: unknown) => boolean
  }) {
    this.#isLasting = options.isLasting ?? (() => false)
    this.#onAsked = options.onAsked
    this.#values = new LRUCache({ max: options.max, maxSize: options.maxRows })
  }

  /** @param question names what is read and of whom; equal questions must load values of one type */
  get<Value extends object>(
    blockHash: Hex,
    question: string,
    load: () => Promise<{ value: Value; rows: number }>,
  ): Promise<Value> {
    const key = `${blockHash}:${question}`
    const known = this.#values.get(key)
    this.#onAsked?.(known !== undefined)
    // Safe: the question names what is read, and whatever is read under one name has one type.
    if (known !== undefined) return known as Promise<Value>
    const loading = load().then(
      ({ value, rows }) => {
        // Its true size is known only now. If it was dropped meanwhile, it stays dropped.
        if (this.#values.peek(key) !== loading) return value
        // Deleted first: the cache counts no new size for a value that it holds already.
        this.#values.delete(key)
        this.#values.set(key, loading, { size: rows + 1 })
        return value
      },
      (error: unknown) => {
        if (!this.#isLasting(error) && this.#values.peek(key) === loading) this.#values.delete(key)
        throw error
      },
    )
    this.#values.set(key, loading, { size: 1 })
    return loading
  }
}
