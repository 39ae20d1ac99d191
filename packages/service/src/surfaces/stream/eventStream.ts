import { type EventTail, type Frame, frameOf, type SentEvent, type SentPage } from './EventTail.ts'

/** How often a comment (a "heartbeat") is sent: it shows that the connection stands, and names the place that was reached. */
const HEARTBEAT_MS = 15_000
/** How long a stream lasts. Then its reader connects again, and so reaches a new release too. */
const LONGEST_MS = 3_600_000
/** How long a reader may take nothing of what was sent. */
const SLOW_MS = 30_000
/** How much is sent at a time. Nothing is read ahead, so this bounds the memory that one reader takes. */
const MOST_CHARACTERS = 64 * 1024
/** How long a client waits before it connects again. */
const RETRY_MS = 2_000

/** Why a stream ends: it has lasted an hour, its reader is too slow, the service shuts down, or the credentials are not live any more. */
type EndReason = 'hour' | 'slow' | 'shutdown' | 'credentials'

interface StreamFilters {
  readonly subscriptionId?: string | undefined
  readonly provider?: string | undefined
  readonly account?: string | undefined
  readonly types?: readonly string[] | undefined
}

export interface EventStreamOptions {
  /** The newest events of the log, in memory, shared by all streams of a chain. It tells listeners when there are more. */
  readonly tail: EventTail
  /** Sends what comes after this sequence. */
  readonly after: number
  readonly filters: StreamFilters
  /** A page of the log with these filters, for whoever is behind. */
  readonly read: (after: number) => Promise<SentPage>
  /** Whether the caller's credentials still hold. It is asked with each heartbeat. */
  readonly isAllowed: () => Promise<boolean>
  /** Called once when the stream ends, for whatever reason. */
  readonly onEnd: () => void
  readonly times?: { readonly heartbeatMs?: number; readonly longestMs?: number; readonly slowMs?: number }
}

/**
 * One caller's stream of server-sent events: those after a place in the log that its filters want, as they come. Its last event,
 * `end`, names the reason and the place from which another stream goes on.
 *
 * It works only when its reader has taken what was sent before (`pull`): then it sends the next text, a heartbeat if that is due, or waits
 * until the tail has more. A reader that is behind the tail's memory is served from the log (`read`).
 */
export function eventStream(options: EventStreamOptions): ReadableStream<Uint8Array> {
  const { heartbeatMs = HEARTBEAT_MS, longestMs = LONGEST_MS, slowMs = SLOW_MS } = options.times ?? {}
  const { tail, filters, read, isAllowed, onEnd } = options
  const encoder = new TextEncoder()
  const endsAt = performance.now() + longestMs
  let beatsAt = performance.now() + heartbeatMs
  /** The sequence up to which everything was sent, or not wanted. */
  let position = options.after
  let isOpen = true
  let hasBegun = false
  /** Ends the present wait for more. */
  let wake = () => {}
  /** Ends the stream where the reader does not take what was sent. */
  let slowTimer: NodeJS.Timeout | undefined
  /** Set by an event. If it comes after the log was read and before the wait begins, the wait ends at once. */
  let isWoken = false
  const leave = tail.listen(() => {
    isWoken = true
    wake()
  })

  /** Lets go of everything, also where the reader has disconnected. */
  function release(): void {
    if (!isOpen) return
    isOpen = false
    clearTimeout(slowTimer)
    leave()
    wake()
    onEnd()
  }

  function end(controller: ReadableStreamDefaultController<Uint8Array>, reason: EndReason): void {
    if (!isOpen) return
    release()
    const data = JSON.stringify({ reason, after: position })
    controller.enqueue(encoder.encode(`id: ${position}\nevent: end\ndata: ${data}\n\n`))
    controller.close()
  }

  /** Takes the next events, moves the position past them, and returns the text of those that are wanted: empty where none is. */
  async function nextText(): Promise<string> {
    const found = tail.after(position) ?? (await read(position))
    const frames = 'frames' in found ? found.frames : found.events.map(frameOf)
    let text = ''
    for (const frame of frames) {
      if (text.length > MOST_CHARACTERS) return text
      if (isWanted(frame, filters)) text += frame.text
      position = frame.event.sequence
    }
    position = Math.max(position, found.next)
    return text
  }

  /** Resolves when there may be more, or when the next heartbeat is due. */
  async function waitForMore(): Promise<void> {
    if (isWoken) return
    const ms = Math.max(0, Math.min(beatsAt, endsAt) - performance.now())
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  /** Called by the stream whenever its reader has taken everything: sends one text, or ends the stream. */
  async function pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    clearTimeout(slowTimer)
    if (!hasBegun) {
      hasBegun = true
      controller.enqueue(encoder.encode(`retry: ${RETRY_MS}\nid: ${position}\n\n`))
      return
    }
    while (isOpen) {
      if (tail.isClosed) return end(controller, 'shutdown')
      if (performance.now() >= endsAt) return end(controller, 'hour')
      // Before the events, not only when there are none: the filter may match none of many, and then nothing else would be sent.
      if (performance.now() >= beatsAt) {
        beatsAt = performance.now() + heartbeatMs
        if (!(await isAllowed())) return end(controller, 'credentials')
        return send(controller, `: still here\nid: ${position}\n\n`)
      }
      const before = position
      isWoken = false
      // A failed read is tried again after the wait.
      const text = await nextText().catch(() => '')
      if (!isOpen) return
      if (text !== '') return send(controller, text)
      if (position === before) await waitForMore()
    }
  }

  function send(controller: ReadableStreamDefaultController<Uint8Array>, text: string): void {
    controller.enqueue(encoder.encode(text))
    slowTimer = setTimeout(() => end(controller, 'slow'), slowMs)
    slowTimer.unref()
  }

  return new ReadableStream({ pull, cancel: release }, { highWaterMark: 0 })
}

function isWanted({ event }: Frame, { subscriptionId, provider, account, types }: StreamFilters): boolean {
  const { subject } = event
  return (
    isSame(subscriptionId, subject.subscriptionId) &&
    isSame(provider, subject.provider) &&
    isSame(account, subject.account) &&
    (types === undefined || typesOf(event).some((type) => types.includes(type)))
  )
}

/** The types that an event is wanted for. A retraction also counts as each type that it takes back. */
function typesOf({ type, data }: SentEvent): readonly string[] {
  return type === 'retracted' ? [type, ...(data.types ?? [])] : [type]
}

function isSame(wanted: string | undefined, actual: string | null): boolean {
  return wanted === undefined || wanted.toLowerCase() === actual?.toLowerCase()
}
