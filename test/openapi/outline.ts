import * as z from 'zod'
import { DocumentReader } from './DocumentReader.ts'

const Fields = z.object({
  properties: z.record(z.string(), z.unknown()).default({}),
  required: z.array(z.string()).default([]),
})

const Described = z.object({
  operationId: z.string(),
  'x-limits': z.object({ rest: z.array(z.string()), mcp: z.array(z.string()).optional() }),
  'x-mcp-tool': z.string().optional(),
  parameters: z.array(z.object({ name: z.string(), in: z.string(), required: z.boolean().default(false) })),
  requestBody: z
    .object({ content: z.object({ 'application/json': z.object({ schema: Fields }) }) })
    .optional(),
  responses: z.record(z.string(), z.unknown()),
})

type Described = z.output<typeof Described>

const Document = z.looseObject({ paths: z.record(z.string(), z.record(z.string(), Described)) })
const Response = z.looseObject({ description: z.string() })

/**
 * Of each operation what its callers depend on: the route, where its input travels, the limits that it takes from,
 * every status and every error code.
 */
export function outline(document: unknown): string {
  const reader = new DocumentReader(document)
  const blocks = Object.entries(Document.parse(document).paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) =>
      [
        `${method.toUpperCase()} ${path} (${described.operationId})`,
        `  takes: ${fieldsOf(described).join(', ') || 'nothing'}`,
        `  limits: ${limitsOf(described)}`,
        ...Object.entries(described.responses).map(([status, response]) => {
          const { description } = Response.parse(reader.follow(response))
          const codes = [...description.matchAll(/`([A-Z_]+)`:/g)].map(([, code]) => code)
          return `  ${[status, ...new Set(codes)].join(' ')}`
        }),
      ].join('\n'),
    ),
  )
  return `${blocks.join('\n\n')}\n`
}

/** A question mark stands behind what may be left out. */
function fieldsOf({ parameters, requestBody }: Described): string[] {
  const { properties = {}, required = [] } = requestBody?.content['application/json'].schema ?? {}
  return [
    ...parameters.map(({ name, in: place, required }) => `${name} (${place})${required ? '' : '?'}`),
    ...Object.keys(properties).map((name) => `${name}${required.includes(name) ? '' : '?'}`),
  ]
}

function limitsOf({ 'x-limits': { rest, mcp }, 'x-mcp-tool': tool }: Described): string {
  const overRest = rest.join(', ') || 'none'
  return tool === undefined ? overRest : `${overRest}; as a tool: ${mcp?.join(', ')}`
}
