'use client'
import type { RemitEvent, StreamRequest } from '@remit/client'
import { useEffect, useRef, useState } from 'react'
import { useRemitClient } from './RemitProvider.ts'

/** Which events to hear: all fields of the stream may be left out. */
export type RemitEventsParameters = StreamRequest & {
  /** Called with each event, in order. What it throws ends the stream and becomes the error. */
  readonly onEvent: (event: RemitEvent) => void
  /** Default true. */
  readonly enabled?: boolean | undefined
}

/**
 * Hears live events for as long as the component is there, each one once. `error` is what ended the stream, such as a
 * key that was revoked; a connection that breaks is made again.
 */
export function useRemitEvents({ onEvent, enabled = true, ...request }: RemitEventsParameters): {
  readonly error: unknown
} {
  const client = useRemitClient()
  const [error, setError] = useState<unknown>(null)
  const latest = useRef(onEvent)
  useEffect(() => {
    latest.current = onEvent
  })
  // Another object with the same fields is no reason for another connection.
  const asked = JSON.stringify(request)
  useEffect(() => {
    if (!enabled) return
    const left = new AbortController()
    const hear = async () => {
      for await (const event of client.events.stream(JSON.parse(asked), { signal: left.signal })) {
        if (!left.signal.aborted) latest.current(event)
      }
    }
    setError(null)
    hear().catch((thrown: unknown) => {
      if (!left.signal.aborted) setError(thrown)
    })
    return () => left.abort()
  }, [client, asked, enabled])
  return { error }
}
