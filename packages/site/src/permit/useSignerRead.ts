import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Known } from '../page/Resource.ts'
import { signer } from '../signing/startSigning.ts'

/**
 * Reads what a link of the address bar is about, and again when another wallet is connected: its own node is asked then.
 * What was known stays meanwhile; late answers are dropped.
 */
export function useSignerRead<Answer>(ask: () => Promise<Answer>): {
  readonly known: Signal<Known<Answer>>
  read(): void
} {
  const known = useSignal<Known<Answer>>({ state: 'loading' })
  const turn = useRef(0)
  const read = () => {
    turn.current += 1
    const mine = turn.current
    const show = (next: Known<Answer>) => {
      if (mine === turn.current) known.value = next
    }
    ask().then(
      (answer) => show({ state: 'there', answer, isStale: false }),
      (error: unknown) => show({ state: 'failed', error }),
    )
  }
  useEffect(read, [signer.value?.address])
  return { known, read }
}
