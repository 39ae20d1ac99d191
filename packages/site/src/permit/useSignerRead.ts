import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Known } from '../page/Resource.ts'
import { signer } from '../signing/startSigning.ts'

/**
 * Reads what a link of the address bar is about, and again when another wallet is connected: its own node is asked then.
 * What was known stays meanwhile; late answers are dropped.
 */
export function useSignerRead<Answer>(ask: (minBlock: number | undefined) => Promise<Answer>): {
  readonly known: Signal<Known<Answer>>
  /** @param minBlock the block of what the page has just had sent: what was known before it is not shown any more */
  read(minBlock?: number): void
} {
  const known = useSignal<Known<Answer>>({ state: 'loading' })
  const turn = useRef(0)
  const read = (minBlock?: number) => {
    turn.current += 1
    if (minBlock !== undefined) known.value = { state: 'loading' }
    const mine = turn.current
    const show = (next: Known<Answer>) => {
      if (mine === turn.current) known.value = next
    }
    ask(minBlock).then(
      (answer) => show({ state: 'there', answer, isStale: false }),
      (error: unknown) => show({ state: 'failed', error }),
    )
  }
  useEffect(() => read(), [signer.value?.address])
  return { known, read }
}
