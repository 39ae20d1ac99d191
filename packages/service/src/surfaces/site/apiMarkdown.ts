import { chainParameters } from '@remit/engine/declare/codec'
import type { LaneLimits } from '@remit/engine/declare/lanes'
import * as z from 'zod'
import type { Operation } from '../../calls/serviceOperation.ts'
import type { ServicePort } from '../../ports/service.ts'
import { routesOf } from '../rest/routes.ts'

/**
 * The API reference as Markdown (`/docs/api.md`), for agents and readers without a browser, made from the list of operations: an
 * introduction with the limits, a section for each operation (route, cost, errors, input, fields of the answer), and the named types.
 */
export function apiMarkdown(operations: readonly Operation[], service: ServicePort): string {
  const sections = operations.map((operation) => sectionOf(operation))
  const types = schemaTypes(operations.flatMap(({ input, answer }) => [input, answer]))
  return `${[introduction(service), ...sections, typesSection(types)].join('\n\n')}\n`
}

function introduction({ publicUrl, version, chains, limits }: ServicePort): string {
  return `# API reference

Every operation of Remit ${version}, made from the same list as its routes, its tools and its OpenAPI document.

- Routes are served below ${publicUrl} and below ${publicUrl}/api; tools at ${publicUrl}/mcp take path, query and body
  as one object of arguments. [openapi.json](${publicUrl}/openapi.json) has the same with every status and header.
- Operations on a chain take \`chainId\` in the query (tools: among the arguments), as \`8453\` or \`eip155:8453\`; here
  it is ${chains.defaultChainId} where it is left out. They take \`minBlock\` in the same place: ${sentence(chainParameters.minBlock.description)}
- What is posted and says “also by GET” takes the same input in the query, and the fields of an object each by itself:
  \`details.url\`. [reading.md](${publicUrl}/docs/reading.md) tells more.
- Every metered request takes from \`globalRpm\` and \`dailyTotalRequests\`. The bucket \`expensive\` adds
  \`expensiveRpm\` and \`subgraphDaily\`, the bucket \`write\` adds \`writeRpm\` and \`writeDaily\`. What is only counted takes
  from \`dailyTotalRequests\` and is never refused.
- Errors that any operation may have are in [errors.md](${publicUrl}/docs/errors.md); those below are an operation’s own.

${limitsTable(limits)}`
}

function sentence(text = ''): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

function limitsTable({ free, developer }: ServicePort['limits']): string {
  const names: readonly (keyof LaneLimits)[] = [
    'globalRpm',
    'expensiveRpm',
    'subgraphDaily',
    'writeRpm',
    'writeDaily',
    'dailyTotalRequests',
  ]
  return table(
    ['limit in force', 'free', 'developer'],
    names.map((name) => [`\`${name}\``, String(free?.[name] ?? 'none'), String(developer?.[name] ?? 'none')]),
  )
}

function sectionOf(operation: Operation): string {
  const { rest, summary, description, name, tool } = operation
  const heading = rest === null ? `Tool ${name}` : `${rest.method} ${rest.path}`
  const lines = [
    `- Operation \`${name}\`; ${tool ? (rest === null ? 'a tool only' : 'a tool too') : 'no tool'}${routesOf(operation).length > 1 ? '; also by GET' : ''}`,
    `- ${charges(operation)}`,
    ...operation.errors.map(({ status, code, when }) => `- ${status} \`${code}\`: ${when}`),
    `- Answer: ${schemaFields(operation.answer).map(nameAndType).join(', ')}`,
  ]
  return [
    `## ${heading}`,
    `${summary}.${description === undefined ? '' : ` ${description}`}`,
    ...inputTable(operation),
    lines.join('\n'),
  ].join('\n\n')
}

/** What a call costs, in a few words. */
function charges({ audience, metering, buckets, toolBuckets, tool, rest }: Operation): string {
  if (audience === 'operators') return 'For operators, with the admin secret: not metered'
  if (metering === 'counted') return 'Counted, never refused'
  const named = (taken: readonly string[]) =>
    taken.length === 0 ? 'no bucket' : `bucket ${taken.join(', ')}`
  const differs = tool && rest !== null && toolBuckets.join() !== buckets.join()
  return `Metered, ${named(rest === null ? toolBuckets : buckets)}${differs ? `; as a tool ${named(toolBuckets)}` : ''}`
}

function inputTable({ input, rest }: Operation): string[] {
  const fields = schemaFields(input)
  if (fields.length === 0) return []
  const place = (name: string) => {
    if (rest === null) return 'arguments'
    if (rest.path.split('/').includes(`:${name}`)) return 'path'
    return rest.method === 'POST' ? 'body' : 'query'
  }
  const rows = fields.map(({ name, type, required, description }) => [
    `\`${name}\``,
    place(name),
    cell(type),
    required ? 'yes' : '',
    cell(description),
  ])
  return [table(['field', 'in', 'type', 'required', ''], rows)]
}

function typesSection(types: ReadonlyMap<string, readonly TypedField[]>): string {
  const described = [...types].map(([name, fields]) => {
    const rows = fields.map((field) => [nameAndType(field), cell(field.description)])
    return `### ${name}\n\n${table(['field', ''], rows)}`
  })
  return ['## Types', 'What answers are made of.', ...described].join('\n\n')
}

function nameAndType({ name, type, required }: TypedField): string {
  return `\`${name}${required ? '' : '?'}\` ${cell(type)}`
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** A text as the cell of a table, where a bar or a new line would end it. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ')
}

/** One field of an object, in words. */
interface TypedField {
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly description: string
}

const JsonSchema = z.looseObject({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  enum: z.array(z.json()).optional(),
  const: z.json().optional(),
  anyOf: z.array(z.json()).optional(),
  oneOf: z.array(z.json()).optional(),
  items: z.json().optional(),
  properties: z.record(z.string(), z.json()).optional(),
  required: z.array(z.string()).optional(),
  description: z.string().optional(),
})

const Definitions = z.looseObject({ $defs: z.record(z.string(), z.json()).optional() })

/** The fields of an object in wire form: of a codec, its input side. */
function schemaFields(schema: z.ZodType): TypedField[] {
  return fieldsOf(z.toJSONSchema(schema, { io: 'input' }))
}

/** The schemas that have an id, with their fields, in the order of their names. Of one without fields, the words that it may be. */
function schemaTypes(schemas: readonly z.ZodType[]): ReadonlyMap<string, readonly TypedField[]> {
  const types = new Map<string, readonly TypedField[]>()
  for (const schema of schemas) {
    const { $defs = {} } = Definitions.parse(z.toJSONSchema(schema, { io: 'input' }))
    for (const [name, definition] of Object.entries($defs)) {
      const fields = fieldsOf(definition)
      types.set(name, fields.length > 0 ? fields : choicesOf(definition))
    }
  }
  return new Map([...types].sort(([a], [b]) => (a < b ? -1 : 1)))
}

function choicesOf(schema: unknown): TypedField[] {
  const { enum: words = [] } = JsonSchema.parse(schema)
  return words.map((word) => ({ name: String(word), type: '', required: true, description: '' }))
}

function fieldsOf(schema: unknown): TypedField[] {
  const { properties = {}, required = [] } = JsonSchema.parse(schema)
  return Object.entries(properties).map(([name, field]) => ({
    name,
    type: typeOf(field),
    required: required.includes(name),
    description: JsonSchema.parse(field).description ?? '',
  }))
}

function typeOf(schema: unknown): string {
  const parsed = JsonSchema.parse(schema)
  if (parsed.$ref !== undefined) return parsed.$ref.split('/').at(-1) ?? ''
  if (parsed.const !== undefined) return JSON.stringify(parsed.const)
  if (parsed.enum !== undefined) return parsed.enum.map((value) => JSON.stringify(value)).join(' or ')
  const choices = parsed.anyOf ?? parsed.oneOf
  if (choices !== undefined) return choices.map(typeOf).join(' or ')
  if (parsed.type === 'array') return `list of ${typeOf(parsed.items ?? {})}`
  if (parsed.properties !== undefined) return `{${fieldsOf(schema).map(fieldText).join(', ')}}`
  if (parsed.type === undefined) return 'anything'
  return typeof parsed.type === 'string' ? parsed.type : parsed.type.join(' or ')
}

function fieldText({ name, type, required }: TypedField): string {
  return `${name}${required ? '' : '?'}: ${type}`
}
