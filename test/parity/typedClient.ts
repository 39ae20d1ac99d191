import { type Client, type ClientOptions, createClient, RemitError } from '@remit/client'
import { isoTime } from '@remit/engine/presentation/day'
import type { Operation } from '@remit/service/testing/calls/serviceOperation'
import * as z from 'zod'
import type { Input, Outcome } from './surfaces.ts'

const Body = z.record(z.string(), z.unknown())
const Method = z.custom<(input: Input, options: object) => Promise<unknown>>(
  (value) => typeof value === 'function',
)

/** The typed client as a surface: its answers are encoded again, so that they compare with what travels. */
export function useTypedClient(options: ClientOptions): {
  readonly client: Client
  call(operation: Operation, input: Input): Promise<Outcome>
} {
  const client = createClient(options)
  return {
    client,
    async call(operation, input) {
      try {
        const answer = Body.parse(await Method.parse(Reflect.get(client, clientName(operation)))(input, {}))
        const { requestId: _, ...body } = encode(operation.answer, answer)
        return { status: 200, failed: false, headers: undefined, body }
      } catch (error) {
        if (!(error instanceof RemitError)) throw error
        const { status, message, code, issues, facts } = error
        const body = { error: message, code, ...(issues.length > 0 && { issues }), ...facts }
        return { status, failed: true, headers: undefined, body }
      }
    },
  }
}

/** The name as clients have it. */
export function clientName({ name }: Operation): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}

/** The service's own encoder, to which a time is a text already. */
function encode(schema: z.ZodObject, answer: Record<string, unknown>): Record<string, unknown> {
  return Body.parse(z.encode(schema, Body.parse(withTexts(answer))))
}

function withTexts(value: unknown): unknown {
  if (value instanceof Date) return isoTime(value.getTime() / 1000)
  if (Array.isArray(value)) return value.map(withTexts)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withTexts(inner)]))
}
