import { chainParameters } from '@remit/engine/declare/codec'
import type { RestRoute } from '@remit/engine/declare/operation'
import * as z from 'zod'
import type { Operation } from '../../calls/serviceOperation.ts'
import { formatsIn } from '../rest/readCall.ts'
import { offersOf } from '../rest/wholeTable.ts'
import type { AnswerExample, Examples } from './examples.ts'
import type { Json, JsonObject, SchemaBook } from './SchemaBook.ts'

const Fields = z.looseObject({
  properties: z.record(z.string(), z.record(z.string(), z.json())).default({}),
  required: z.array(z.string()).default([]),
})

function pathNames({ path }: RestRoute): string[] {
  return [...path.matchAll(/:(\w+)/g)].flatMap(([, name]) => (name === undefined ? [] : [name]))
}

/** Path and query parameters: all of the input where there is no body, and what every call on a chain takes. */
export function parametersOf(
  operation: Operation,
  rest: RestRoute,
  schemas: SchemaBook,
  examples: Examples,
): Json[] {
  const [recorded] = recordedOf(operation, examples)
  const sent = { ...recorded?.request.query, ...recorded?.request.path }
  const { properties, required } = Fields.parse(schemas.add(operation.input))
  const inPath = pathNames(rest)
  const own = Object.entries(properties).filter(([name]) => rest.method !== 'POST' || inPath.includes(name))
  const parameters = own.map(([name, schema]) => ({
    ...parameter(name, schema, inPath.includes(name) ? 'path' : 'query', required.includes(name)),
    ...(name in sent ? { examples: { recorded: { value: sent[name] ?? null } } } : {}),
  }))
  if (!operation.onChain) return parameters
  const { properties: added } = Fields.parse(schemas.add(z.object(chainParameters)))
  return [
    ...parameters,
    ...formatParameter(operation),
    ...Object.entries(added).map(([name, schema]) => parameter(name, schema, 'query')),
  ]
}

function formatParameter(operation: Operation): JsonObject[] {
  if (operation.table === undefined) return []
  const description =
    operation.wholeTable === undefined
      ? 'csv: the rows as CSV (RFC 4180), whatever the Accept header says. Headers then tell the rest: Link names the next page, X-Block-Number the block, X-Warnings the codes of warnings. An incomplete answer is an error.'
      : 'csv, ndjson: all rows from `after` to the end as one stream, for callers with a key. Each page of ' +
        `${operation.wholeTable.pageRows} rows takes the units of a request; where the minute's are spent, the stream waits. ` +
        'A transfer that breaks off goes on after the `cursor` of the last row.'
  return [{ name: 'format', in: 'query', description, schema: { enum: formatsIn(offersOf(operation)) } }]
}

function parameter(name: string, schema: JsonObject, place: 'path' | 'query', required = false): JsonObject {
  const { description, ...rest } = schema
  return {
    name,
    in: place,
    ...(required ? { required } : {}),
    ...(description === undefined ? {} : { description }),
    schema: rest,
  }
}

/** `undefined` for what has no body. */
export function requestBodyOf(
  operation: Operation,
  rest: RestRoute,
  schemas: SchemaBook,
  examples: Examples,
): JsonObject | undefined {
  if (rest.method !== 'POST') return undefined
  const inPath = new Set(pathNames(rest))
  const { properties, required, ...whole } = Fields.parse(schemas.add(operation.input))
  const kept = Object.entries(properties).filter(([name]) => !inPath.has(name))
  const schema = {
    ...z.record(z.string(), z.json()).parse(whole),
    properties: Object.fromEntries(kept),
    required: required.filter((name) => !inPath.has(name)),
  }
  const bodies = recordedOf(operation, examples).flatMap(({ name, summary, request: { body } }) =>
    body === undefined ? [] : [[name, { summary, value: body }] as const],
  )
  const shown = bodies.length === 0 ? {} : { examples: Object.fromEntries(bodies) }
  return { required: true, content: { 'application/json': { schema, ...shown } } }
}

function recordedOf({ name }: Operation, { operations }: Examples): readonly AnswerExample[] {
  return operations[name]?.answers ?? []
}
