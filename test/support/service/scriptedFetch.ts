import { createCaller, type RequestOptions } from '@remit/client/testing/request/createCaller'
import { expect } from 'vitest'

export const READY = { ready: true }
export const NOW = Date.UTC(2026, 2, 6)

export type Step = Response | Error | (() => Response)

export const says =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  () =>
    new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers })

export const refuses = (status: number, code: string, headers: Record<string, string> = {}) =>
  says(status, { error: 'Not now.', code, requestId: 'r-1' }, headers)

/** A service that answers as written down, with a clock that only sleeping moves. */
export function scripted(steps: readonly Step[], options: Partial<RequestOptions> = {}) {
  const left = [...steps]
  let nowMs = NOW
  const requests: { url: string; init: RequestInit }[] = []
  const slept: number[] = []
  const send: typeof fetch = async (url, init = {}) => {
    requests.push({ url: String(url), init })
    const step = left.shift()
    if (step === undefined) throw new Error('The script has ended')
    if (step instanceof Error) throw step
    return typeof step === 'function' ? step() : step
  }
  const call = createCaller(
    { url: 'https://remit.example/api', fetch: send, ...options },
    {
      now: () => nowMs,
      random: () => 1,
      async sleep(ms, signal) {
        signal?.throwIfAborted()
        slept.push(ms)
        nowMs += ms
      },
    },
  )
  return { call, requests, slept }
}

export const failure = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.unreachable('It was to fail'),
    (error: unknown) => error,
  )
