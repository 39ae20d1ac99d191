import * as z from 'zod'
import { ALLOWED_METHODS } from './allowedMethods.ts'

const Call = z.object({
  jsonrpc: z.string().optional(),
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  method: z.string(),
  params: z.unknown().optional(),
})
type Call = z.output<typeof Call>

/** A message that may go to the chain, as it is sent there, or what is answered in its place. Both are JSON. */
export type Judged = { readonly forward: string } | { readonly answer: string }

const [NOT_JSON, NOT_A_CALL, NO_SUCH_METHOD] = [-32_700, -32_600, -32_601]

/**
 * Decides about one JSON-RPC message, a call or a batch. A batch with one refused call is refused as a whole.
 *
 * The forwarded text is written from the parsed message, so that the chain reads the same method: in a text with the
 * same name twice, parsers differ in which one counts.
 */
export function judgeMessage(text: string): Judged {
  try {
    const message: unknown = JSON.parse(text, exactNumber)
    const read = z.union([Call, z.array(Call).min(1)]).safeParse(message)
    if (!read.success)
      return { answer: errorOf(null, NOT_A_CALL, 'This is no JSON-RPC call, and no batch of them.') }
    const { data } = read
    const refused = (Array.isArray(data) ? data : [data]).find(({ method }) => !ALLOWED_METHODS.has(method))
    if (refused === undefined) return { forward: JSON.stringify(data) }
    return {
      answer: Array.isArray(data) ? `[${data.map((call) => refusalOf(call)).join()}]` : refusalOf(data),
    }
  } catch (error) {
    return { answer: errorOf(null, NOT_JSON, error instanceof Error ? error.message : String(error)) }
  }
}

/** A number that JavaScript would round is refused, so that the chain gets exactly what was asked. */
function exactNumber(_: string, value: unknown): unknown {
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new RangeError(`Write ${value} as a hexadecimal text: as a number it is not exact.`)
  }
  return value
}

function refusalOf({ id = null, method }: Call): string {
  return ALLOWED_METHODS.has(method)
    ? errorOf(id, NOT_A_CALL, 'Nothing was done: another call of this batch is not let through.')
    : errorOf(
        id,
        NO_SUCH_METHOD,
        `The development chain lets ${method.slice(0, 60)} through to nobody. docs/start.md lists what it does.`,
      )
}

export function errorOf(id: Call['id'], code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })
}
