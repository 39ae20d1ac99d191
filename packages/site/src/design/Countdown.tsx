import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

interface CountdownProps {
  /** When it is over, in milliseconds since 1970. */
  readonly untilMs: number
  onOver?(): void
}

/** The time that is left: "52 seconds", written again each second. */
export function Countdown({ untilMs, onOver }: CountdownProps) {
  const leftMs = useSignal(untilMs - Date.now())
  useEffect(() => {
    const ticking = setInterval(() => {
      leftMs.value = untilMs - Date.now()
      if (leftMs.peek() > 0) return
      clearInterval(ticking)
      onOver?.()
    }, 1_000)
    leftMs.value = untilMs - Date.now()
    return () => clearInterval(ticking)
  }, [untilMs])
  const seconds = Math.max(1, Math.ceil(leftMs.value / 1_000))
  return <span class="countdown">{`${seconds} second${seconds === 1 ? '' : 's'}`}</span>
}
