import { chainParameters } from '../../core/answer.ts'
import type { LaneLimits } from '../../core/lanes.ts'
import type { ServicePort } from '../../core/ports/service.ts'
import type { Operation } from '../../core/serviceOperation.ts'
import { schemaFields, schemaTypes, type TypedField } from './schemaFields.ts'

/** The reference as Markdown, for readers without a browser: made from the list of operations. */
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
    `- Operation \`${name}\`; ${tool ? (rest === null ? 'a tool only' : 'a tool too') : 'no tool'}`,
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

/** A bar would end the cell. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ')
}
