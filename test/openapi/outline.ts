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
 * every status and every error code. What most operations answer is told once, at the top: an operation tells what it
 * answers beside that, and after `never` what of it it does not.
 */
export function outline(document: unknown): string {
  const reader = new DocumentReader(document)
  const told = Object.entries(Document.parse(document).paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      title: `${method.toUpperCase()} ${path} (${described.operationId})`,
      takes: fieldsOf(described).join(', ') || 'nothing',
      limits: limitsOf(described),
      answers: Object.entries(described.responses).flatMap(([status, response]) => {
        const { description } = Response.parse(reader.follow(response))
        const codes = new Set([...description.matchAll(/`([A-Z_]+)`:/g)].map(([, code]) => code))
        return codes.size === 0 ? [status] : [...codes].map((code) => `${status} ${code}`)
      }),
    })),
  )
  const usual = [...new Set(told.flatMap(({ answers }) => answers))].filter(
    (answer) => told.filter(({ answers }) => answers.includes(answer)).length > (told.length * 2) / 3,
  )
  const blocks = told.map(({ title, takes, limits, answers }) => {
    const own = answers.filter((answer) => !usual.includes(answer))
    const never = usual.filter((answer) => !answers.includes(answer))
    return [
      title,
      `  takes: ${takes}`,
      `  limits: ${limits}`,
      ...(own.length === 0 ? [] : [`  answers: ${own.join(', ')}`]),
      ...(never.length === 0 ? [] : [`  never: ${never.join(', ')}`]),
    ].join('\n')
  })
  return `${[`Most operations answer: ${usual.join(', ')}`, ...blocks].join('\n\n')}\n`
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
