import { fileURLToPath } from 'node:url'
import { replaceBetween } from '@remit/service/testing/configuration/documentVariables'
import type { Examples } from '@remit/service/testing/surfaces/openapi/examples'
import type { Json, JsonObject } from '@remit/service/testing/surfaces/openapi/SchemaBook'

/** The guides that show recorded events. */
export const EVENT_GUIDES: readonly {
  readonly path: string
  readonly write: (guide: string, events: Examples['events']) => string
}[] = [
  { path: pathOf('events.md'), write: eventsGuide },
  { path: pathOf('webhooks.md'), write: noticeGuide('webhook.paused') },
  { path: pathOf('rescues.md'), write: noticeGuide('rescue.offered') },
]

/** As wide as the formatter leaves a line. */
const WIDTH = 100
/** Stands for fields that are left out. */
const MORE = '…'

/** The guide to events with these recordings: one event whole, and of each type what its `data` is. */
function eventsGuide(guide: string, events: Examples['events']): string {
  const { 'payment.at_risk': whole = {} } = events
  const logged = Object.entries(events).filter(([type]) => !/^(webhook|rescue)[.]/.test(type))
  const data = logged.map(([type, event]): [string, Json] => {
    return [type, type === 'payment.succeeded' ? (event.data ?? null) : abridged(event.data ?? null)]
  })
  const text = [
    'One event, as it was recorded from the development chain:',
    '',
    ...block(whole),
    '',
    'And what `data` is in each type. A `payment` has the same fields in all of them:',
    '',
    ...block(Object.fromEntries(data)),
    '',
  ]
  return replaceBetween(guide, 'npm run examples -w @remit/testing', text.join('\n'))
}

/** A guide with what a webhook is told that is no event. */
function noticeGuide(type: string) {
  return (guide: string, { [type]: told = {} }: Examples['events']): string =>
    replaceBetween(guide, 'npm run examples -w @remit/testing', [...block(told), ''].join('\n'))
}

function pathOf(guide: string): string {
  return fileURLToPath(new URL(`../../docs/${guide}`, import.meta.url))
}

/** With no more of a payment than tells which one it is. */
function abridged(data: Json): Json {
  if (!isObject(data) || data.payment === undefined || !isObject(data.payment)) return data
  const { kind = null, subscriber = null } = data.payment
  return { ...data, payment: { kind, subscriber, [MORE]: null } }
}

function block(value: JsonObject): string[] {
  return ['```yaml', ...linesOf(value, ''), '```']
}

/** YAML with a line for each field, and for each part of what does not fit into a line. */
function linesOf(fields: JsonObject, indent: string): string[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    const line = `${indent}${name}: ${inline(value)}`
    if (line.length > WIDTH && Array.isArray(value)) {
      const items = value.map((item) => `${indent}    ${inline(item)},`)
      return [`${indent}${name}:`, `${indent}  [`, ...items, `${indent}  ]`]
    }
    if (line.length <= WIDTH || !isObject(value)) return [line]
    return [`${indent}${name}:`, ...linesOf(value, `${indent}  `)]
  })
}

function inline(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const fields = Object.entries(value).map(([name, field]) =>
    name === MORE ? MORE : `${name}: ${inline(field)}`,
  )
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
