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
  /** What is posted, asked by GET. */
  byGet(operation: Operation, input: Input): Promise<Outcome>
  tool(operation: Operation, input: Input, parameters?: Input): Promise<Outcome>
  /** What a model reads of a tool's answer, beside the answer. */
  words(operation: Operation, input: Input): Promise<{ readonly text: string; readonly body: unknown }>
  readonly client: Client
  /** What an operation's audience shows. */
  credentials(operation: Operation): Readonly<Record<string, string>>
}

const Body = z.record(z.string(), z.unknown())
const TextContent = z.tuple([z.object({ type: z.literal('text'), text: z.string() })])

/** Both ways into one service, for inputs that are written once. */
export async function useSurfaces(service: TestService): Promise<Surfaces> {
  // Some tools are only for callers with a key.
  const { body: made } = await service.post(
    '/developer/keys',
    { subjectId: 'parity' },
    { headers: { 'X-Service-Admin-Key': ADMIN_SECRET } },
  )
  const key = { 'X-API-Key': z.string().parse(made.token) }
  async function connect(query: string): Promise<Client> {
    const client = new Client({ name: 'parity', version: '1' }, { versionNegotiation: { mode: 'auto' } })
    const url = new URL(`${service.url}/mcp?${query}`)
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: key } }))
    // From here on the client measures every answer by the tool's output schema.
    await client.listTools()
    afterAll(() => client.close())
    return client
  }
  const client = await connect('text=json&tools=all')
  const reader = await connect('tools=all')

  const credentials = ({ audience }: Operation): Record<string, string> => ({
    ...(['callers', 'signers', 'developers'].includes(audience) && key),
    // As a page of the service's own.
    ...((audience === 'visitors' || audience === 'newcomers') && { Origin: service.url }),
    ...(audience === 'operators' && { 'X-Service-Admin-Key': ADMIN_SECRET }),
  })

  return {
    client,
    credentials,
    async words(operation, input) {
      const result = await reader.callTool({ name: operation.name, arguments: input })
      const [{ text }] = TextContent.parse(result.content)
      return { text, body: result.structuredContent }
    },
    rest: (operation, input, parameters = {}) =>
      askOver(service.url, operation, input, { parameters, headers: credentials(operation) }),
    async byGet(operation, input) {
      const address = `${service.url}${addressOf(asRead(operation), input)}`
      const { status, headers, text } = await exchange(address, { headers: credentials(operation) })
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

/** Asks over REST. @param options.parameters of the query, beside the input */
export async function askOver(
  url: string,
  operation: Operation,
  input: Input,
  options: { readonly parameters?: Input; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Outcome> {
  const { method = 'GET' } = operation.rest ?? {}
  const isPost = method === 'POST'
  const { status, headers, text } = await exchange(
    `${url}${addressOf(operation, input, options.parameters)}`,
    {
      method,
      headers: { ...(isPost && { 'Content-Type': 'application/json' }), ...options.headers },
      ...(isPost && { body: JSON.stringify(withoutPath(operation, input)) }),
    },
  )
  const body = Body.parse(JSON.parse(text))
  return { status, failed: status < 200 || status > 299, headers, body: comparable(body) }
}

/** The operation as its route answers GET. */
export function asRead(operation: Operation): Operation {
  return operation.rest === null ? operation : { ...operation, rest: { ...operation.rest, method: 'GET' } }
}

/** Path and query: a GET's input travels in them. */
export function addressOf(operation: Operation, input: Input, parameters: Input = {}): string {
  const path = operation.rest?.path ?? ''
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encode(textOf(input[name])))
  const inQuery =
    operation.rest?.method === 'GET' ? { ...withoutPath(operation, input), ...parameters } : parameters
  const fields = Object.entries(inQuery).flatMap(([name, value]) =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.entries(value).map(([own, inner]) => [`${name}.${own}`, inner] as const)
      : [[name, value] as const],
  )
  const query = fields.map(([name, value]) => `${encode(name)}=${encode(textOf(value))}`)
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
