import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server'
import * as z from 'zod'
import { inputSentence, ValidationError } from '../../errors/input.ts'

const Texts = z.record(z.string(), z.string())
const List = z.object({ params: z.object({ cursor: z.string().optional() }).optional() })
const Reference = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ref/prompt'), name: z.string() }),
  z.object({ type: z.literal('ref/resource'), uri: z.string() }),
])

/** What a request must look like for its handler; the protocol's own schemas ask for no more. */
const REQUESTS: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  ['tools/list', List],
  ['prompts/list', List],
  ['resources/list', List],
  ['resources/templates/list', List],
  ['resources/read', z.object({ params: z.object({ uri: z.string() }) })],
  ['prompts/get', z.object({ params: z.object({ name: z.string(), arguments: Texts.optional() }) })],
  [
    'completion/complete',
    z.object({
      params: z.object({
        ref: Reference,
        argument: z.object({ name: z.string(), value: z.string() }),
        context: z.object({ arguments: Texts.optional() }).optional(),
      }),
    }),
  ],
])

/** A server that blames the caller for parameters that do not fit: the SDK makes an error of the server's own of them. */
export class CheckedServer extends Server {
  protected override _wrapHandler(...[method, handler]: Parameters<Server['_wrapHandler']>) {
    const wrapped = super._wrapHandler(method, handler)
    const schema = REQUESTS.get(method)
    if (schema === undefined) return wrapped
    return async (...[request, context]: Parameters<typeof wrapped>) => {
      const parsed = schema.safeParse(request, { error: inputSentence })
      if (parsed.success) return wrapped(request, context)
      const { message } = ValidationError.fromZod(parsed.error)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, message)
    }
  }
}
