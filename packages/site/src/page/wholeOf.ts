import { effect, signal } from '@preact/signals'
import type { Known, Resource } from './Resource.ts'

/** An answer about a wallet, with a list that may be cut short. */
interface Listed {
  readonly account: string
  readonly asOf: { readonly blockNumber: number }
}

interface Whole<Answer> {
  /** Whether this answer has all rows. */
  isWhole(answer: Answer): boolean
  /** Reads the same with all rows, at its block or later. */
  readWhole(answer: Answer): Promise<Answer>
}

/**
 * An answer of the page's document with all of its rows. The document has the first ten; who has more gets the rest by a
 * request of its own. Until that is there nothing is shown, because the first rows alone read as if they were all. While
 * all of them are read again, what was known stays.
 */
export function wholeOf<Answer extends Listed>(
  first: Resource<Answer>,
  { isWhole, readWhole }: Whole<Answer>,
): Resource<Answer> {
  const whole = signal<Answer | undefined>(undefined)
  const failure = signal<{ readonly error: unknown } | undefined>(undefined)
  // Counts the readings: an older one that ends late must not replace what a newer one brought.
  let turn = 0

  async function read(answer: Answer): Promise<void> {
    turn += 1
    const mine = turn
    failure.value = undefined
    try {
      const read = await readWhole(answer)
      if (mine === turn) whole.value = read
    } catch (error) {
      if (mine === turn) failure.value = { error }
    }
  }

  effect(() => {
    const known = first.value
    if (known.state === 'there' && !known.isStale && !isWhole(known.answer)) void read(known.answer)
  })

  return {
    get value(): Known<Answer> {
      const known = first.value
      if (known.state !== 'there' || isWhole(known.answer)) return known
      if (failure.value !== undefined) return { state: 'failed', error: failure.value.error }
      const { account, asOf } = known.answer
      const last = whole.value
      if (last?.account !== account) return { state: 'loading' }
      return { ...known, answer: last, isStale: known.isStale || last.asOf.blockNumber < asOf.blockNumber }
    },
    refresh(minBlock) {
      failure.value = undefined
      return first.refresh(minBlock)
    },
  }
}
