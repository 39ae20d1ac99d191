import { createHmac, randomBytes } from 'node:crypto'
import { createClient } from '../../createClient.ts'
import type { RemitEvent } from '../../events/decodeEvent.ts'
import { sleep } from '../../request/Deadline.ts'
import { exchange } from '../../request/exchange.ts'
import { parseUrl } from '../../request/parseUrl.ts'
import type { Command, Invocation } from '../Command.ts'
import { EXIT, UsageError } from '../errors.ts'
import { plainJson, plainText } from '../output/plainText.ts'
import { EVENT_OPTIONS, eventFilters } from './events.ts'
import { refuseOperands } from './words.ts'

/** The pause before each try to hand an event over: the first try is made at once. */
const PAUSES_MS = [0, 500, 2_000, 8_000]
const FORWARD_TIMEOUT_MS = 10_000

/** `remit listen`: prints events as they come, and hands them to a server that is being developed. */
export const listen: Command = {
  name: 'listen',
  summary: 'Events as they come, and with --forward to a server on this machine, signed like webhooks',
  operands: '',
  options: {
    ...EVENT_OPTIONS,
    forward: {
      type: 'string',
      value: '<url>',
      help: 'post each event there, such as http://localhost:4000/hook',
    },
  },
  notes:
    'Without --after it begins now. What is forwarded is signed after Standard Webhooks, with the secret in ' +
    'REMIT_WEBHOOK_SECRET\n(whsec_…), or one that is made for this run and printed first.',
  async run(invocation: Invocation) {
    const { connection, flags, operands, environment, signal, terminal, json } = invocation
    refuseOperands('listen', operands)
    const filters = eventFilters(flags)
    const target = targetOf(flags.text('forward'))
    const secret = environment.REMIT_WEBHOOK_SECRET ?? `whsec_${randomBytes(24).toString('base64')}`
    const key = keyOf(secret)
    if (target !== undefined && environment.REMIT_WEBHOOK_SECRET === undefined) {
      terminal.err(`Signed with ${secret}\n`)
    }
    // Without the connection's copy of each answer: a stream has no end.
    const { fetch: _, ...options } = connection.options
    const client = createClient(options)
    /** The sequence of the last event that was dealt with. */
    let last = filters.after
    try {
      for await (const event of client.events.stream(filters, { signal })) {
        terminal.out(json ? `${plainJson(jsonOf(event))}\n` : lineOf(event))
        if (target !== undefined) await forward(target, event, key, invocation)
        // After the event was handed over: an interrupted run then continues with the next one.
        last = event.sequence
      }
    } catch (error) {
      if (!signal.aborted) throw error
      return EXIT.interrupted
    } finally {
      if (last !== undefined) terminal.err(`It goes on with --after ${last}.\n`)
    }
    return undefined
  },
}

function lineOf({ sequence, time, type, subject, id }: RemitEvent): string {
  const about = [subject.subscriptionId, subject.account ?? subject.provider].filter((one) => one !== null)
  return `${plainText(`${sequence} ${time.toISOString()} ${type} ${about.join(' ')} ${id}`)}\n`
}

function targetOf(text: string | undefined): URL | undefined {
  if (text === undefined) return undefined
  const url = parseUrl(text)
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url
  throw new UsageError('--forward must be the address of a server, such as http://localhost:4000/hook.')
}

function keyOf(secret: string): Buffer {
  const [, text] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? []
  if (text === undefined) throw new UsageError('REMIT_WEBHOOK_SECRET must be whsec_ and base64.')
  return Buffer.from(text, 'base64')
}

/**
 * Hands an event over. Where every try fails, it says so and goes on, so the server misses this event. Throws where the user
 * ends the command before the event is taken.
 */
async function forward(
  target: URL,
  event: RemitEvent,
  key: Buffer,
  { terminal, signal }: Pick<Invocation, 'terminal' | 'signal'>,
): Promise<void> {
  const body = jsonOf(event)
  let failure = ''
  for (const pauseMs of PAUSES_MS) {
    await sleep(pauseMs, signal)
    const seconds = String(Math.floor(Date.now() / 1_000))
    const signature = createHmac('sha256', key).update(`${event.id}.${seconds}.${body}`).digest('base64')
    try {
      const headers = {
        'Content-Type': 'application/json',
        'webhook-id': event.id,
        'webhook-timestamp': seconds,
        'webhook-signature': `v1,${signature}`,
      }
      const within = { timeoutMs: FORWARD_TIMEOUT_MS, signal }
      const { status } = await exchange(fetch, target.href, { method: 'POST', headers, body }, within)
      if (status >= 200 && status < 300) return
      failure = `it answered ${status}`
    } catch (error) {
      signal.throwIfAborted()
      failure = error instanceof Error ? error.message : String(error)
    }
  }
  terminal.err(`${plainText(`remit: ${event.id} was not taken by ${target.origin}: ${failure}`)}\n`)
}

/** An event as the service writes it: amounts as decimal text, times in whole seconds. */
function jsonOf(event: RemitEvent): string {
  return JSON.stringify(event, function (this: Readonly<Record<string, unknown>>, name, value: unknown) {
    // JSON.stringify passes a Date on as text already: the Date itself is in the object.
    const original = this[name]
    if (original instanceof Date) return original.toISOString().replace('.000Z', 'Z')
    return typeof value === 'bigint' ? value.toString() : value
  })
}
