import { chainParameters } from '@remit/engine/declare/codec'
import type { RestRoute } from '@remit/engine/declare/operation'
import * as z from 'zod'
import type { Operation } from '../../calls/serviceOperation.ts'
import { formatsIn, offersOf } from '../rest/mediaTypes.ts'
import type { AnswerExample, Examples } from './examples.ts'
import { inPascalCase, type Json, type JsonObject, type SchemaBook } from './SchemaBook.ts'

// The parameters and the body of an operation's request in the OpenAPI document.

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
  const { query, path, body } = recorded?.request ?? {}
  const sent: JsonObject = { ...query, ...path, ...(rest.method === 'GET' ? body : {}) }
  const inPath = pathNames(rest)
  const fields = fieldsOf(schemas.schemaOf(operation.input, `${inPascalCase(operation.name)}Input`), sent)
  const own = fields.filter(({ name }) => rest.method !== 'POST' || inPath.includes(name))
  const parameters = own.map(({ name, schema, required, value }) => ({
    ...parameter(name, schema, inPath.includes(name) ? 'path' : 'query', required),
    ...(value === undefined ? {} : { examples: { recorded: { value } } }),
  }))
  // Tables, which have a format, are answers of chain operations only.
  if (!operation.onChain) return parameters
  const { properties: added } = Fields.parse(schemas.schemaOf(z.object(chainParameters), 'Chain'))
  return [
    ...parameters,
    ...formatParameter(operation),
    ...Object.entries(added).map(([name, schema]) => parameter(name, schema, 'query')),
  ]
}

interface QueryField {
  readonly name: string
  readonly schema: JsonObject
  readonly required: boolean
  /** What was sent in the recorded example. */
  readonly value: Json | undefined
}

/** The fields as a query has them: those of an object each by itself, as `details.url`. */
function fieldsOf(schema: JsonObject, sent: JsonObject): QueryField[] {
  const { properties, required } = Fields.parse(schema)
  return Object.entries(properties).flatMap(([name, field]): QueryField[] => {
    const isRequired = required.includes(name)
    const value = sent[name]
    if (field.properties === undefined) return [{ name, schema: field, required: isRequired, value }]
    const { data: inside = {} } = z.record(z.string(), z.json()).safeParse(value)
    return fieldsOf(field, inside).map((own) => ({
      ...own,
      name: `${name}.${own.name}`,
      required: isRequired && own.required,
    }))
  })
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
  const { properties, required, ...otherKeywords } = Fields.parse(
    schemas.schemaOf(operation.input, `${inPascalCase(operation.name)}Input`),
  )
  const kept = Object.entries(properties).filter(([name]) => !inPath.has(name))
  const schema = {
    ...z.record(z.string(), z.json()).parse(otherKeywords),
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
