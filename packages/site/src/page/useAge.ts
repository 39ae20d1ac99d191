import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { readAt } from './live.ts'

/**
 * How old something in the page's document is by now, in seconds. It follows the reader's clock.
 * @param age how old it was when the document was read, in seconds
 */
export function useAge(age: number): number {
  const now = useSignal(Date.now())
  useEffect(() => {
    const timer = setInterval(() => {
      now.value = Date.now()
    }, 30_000)
    return () => clearInterval(timer)
  }, [])
  return age + Math.max(0, Math.round((now.value - readAt.value.getTime()) / 1000))
}
