import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Operation } from '@remit/service/testing/calls/serviceOperation'
import { afterAll } from 'vitest'
import * as z from 'zod'
import { exchange } from '../support/service/exchange.ts'
import { ADMIN_SECRET, type TestService } from '../support/service/testService.ts'

/** An operation's input as a caller writes it, fit or not. */
export type Input = Readonly<Record<string, unknown>>

export interface Outcome {
  /** The HTTP status; a tool call has none of its own. */
  readonly status: number | undefined
  readonly failed: boolean
  readonly headers: Headers | undefined
  /** Without `requestId`, which is the one thing that differs by surface. */
  readonly body: Record<string, unknown>
}

export interface Surfaces {
  /** @param parameters of the query, beside the input */
  rest(operation: Operation, input: Input, parameters?: Input): Promise<Outcome>
  tool(operation: Operation, input: Input, parameters?: Input): Promise<Outcome>
  readonly client: Client
  /** What an operation's audience shows. */
  credentials(operation: Operation): Readonly<Record<string, string>>
}

const Body = z.record(z.string(), z.unknown())
const TextContent = z.tuple([z.object({ type: z.literal('text'), text: z.string() })])

/** Both ways into one service, for inputs that are written once. */
export async function useSurfaces(service: TestService): Promise<Surfaces> {
  const client = new Client({ name: 'parity', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  // Some tools are only for callers with a key.
  const { body: made } = await service.post(
    '/developer/keys',
    { subjectId: 'parity' },
    { headers: { 'X-Service-Admin-Key': ADMIN_SECRET } },
  )
  const key = { 'X-API-Key': z.string().parse(made.token) }
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${service.url}/mcp?text=json`), {
      requestInit: { headers: key },
    }),
  )
  // From here on the client measures every answer by the tool's output schema.
  await client.listTools()
  afterAll(() => client.close())

  const credentials = ({ audience }: Operation): Record<string, string> => ({
    ...((audience === 'callers' || audience === 'developers') && key),
    // As a page of the service's own.
    ...((audience === 'visitors' || audience === 'newcomers') && { Origin: service.url }),
    ...(audience === 'operators' && { 'X-Service-Admin-Key': ADMIN_SECRET }),
  })

  return {
    client,
    credentials,
    async rest(operation, input, parameters = {}) {
      const address = `${service.url}${addressOf(operation, input, parameters)}`
      const { status, headers, text } = await exchange(address, {
        method: operation.rest?.method ?? 'GET',
        headers: {
          ...(operation.rest?.method === 'POST' && { 'Content-Type': 'application/json' }),
          ...credentials(operation),
        },
        ...(operation.rest?.method === 'POST' && { body: JSON.stringify(withoutPath(operation, input)) }),
      })
      const body = Body.parse(JSON.parse(text))
      return { status, failed: status < 200 || status > 299, headers, body: comparable(body) }
    },
    async tool(operation, input, parameters = {}) {
      const result = await client.callTool({ name: operation.name, arguments: { ...input, ...parameters } })
      const [{ text }] = TextContent.parse(result.content)
      const body = Body.parse(result.structuredContent)
      if (JSON.stringify(body) !== text) throw new Error('The text is not the structured content')
      return {
        status: undefined,
        failed: result.isError === true,
        headers: undefined,
        body: comparable(body),
      }
    },
  }
}

/** Path and query: a GET's input travels in them. */
export function addressOf(operation: Operation, input: Input, parameters: Input = {}): string {
  const path = operation.rest?.path ?? ''
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encode(textOf(input[name])))
  const inQuery =
    operation.rest?.method === 'GET' ? { ...withoutPath(operation, input), ...parameters } : parameters
  const query = Object.entries(inQuery).map(([name, value]) => `${encode(name)}=${encode(textOf(value))}`)
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`
}

function withoutPath(operation: Operation, input: Input): Input {
  const inPath = new Set([...(operation.rest?.path ?? '').matchAll(/:(\w+)/g)].map(([, name]) => name))
  return Object.fromEntries(Object.entries(input).filter(([name]) => !inPath.has(name)))
}

/** Lone halves of surrogate pairs cannot be encoded; a client could not send them either. */
const encode = (text: string) => encodeURIComponent(text.replace(/\p{Cs}/gu, '\u{fffd}'))

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null)
}

function comparable({ requestId, ...body }: Record<string, unknown>): Record<string, unknown> {
  if (requestId !== undefined && !/^[0-9a-f-]{36}$/.test(String(requestId))) throw new Error('No request id')
  return body
}
