import { TOOL_PROFILES, type ToolProfile } from '@remit/engine/declare/operation'
import { inputSentence, ValidationError } from '@remit/engine/errors/input'
import * as z from 'zod'
import type { TextForm } from './callTool.ts'

const ALL = 'all'
const WHICH = `must be ${ALL}, or one or more of ${TOOL_PROFILES.join(', ')}, with commas between`

/** What the address of the endpoint may say. All else is refused, so that nothing said is passed over in silence. */
const Query = z.strictObject({
  tools: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum([...TOOL_PROFILES, ALL], WHICH)))
    .optional(),
  text: z.literal('json', 'must be json, or left out').optional(),
})

/** What one request sees of the tools. */
export interface ToolView {
  /** In the order of the declaration, each once. Without any, the list is short and every tool can be called. */
  readonly profiles: readonly ToolProfile[] | typeof ALL | undefined
  readonly textForm: TextForm
}

/** Since this version of the protocol, results have structured content. */
const FIRST_STRUCTURED = '2025-06-18'

/** Reads what a request to the endpoint wants to see. Throws ValidationError, which names what does not fit. */
export function readView(request: Request): ToolView {
  const { searchParams: query } = new URL(request.url)
  const twice = [...query.keys()].find((name) => query.getAll(name).length > 1)
  if (twice !== undefined) throw ValidationError.of(twice.slice(0, 200), 'is given more than once')
  const parsed = Query.safeParse(Object.fromEntries(query), { error: inputSentence })
  if (!parsed.success) throw fromQuery(parsed.error)
  const { tools, text } = parsed.data
  return {
    profiles: tools?.includes(ALL)
      ? ALL
      : tools && TOOL_PROFILES.filter((profile) => tools.includes(profile)),
    textForm: text ?? textFormOf(request.headers.get('mcp-protocol-version')),
  }
}

/** A place within a list of profiles is of no use to a caller: the parameter is one text. */
function fromQuery(error: z.ZodError): ValidationError {
  return error.issues.some(({ path }) => path[0] === 'tools')
    ? ValidationError.of('tools', WHICH)
    : ValidationError.fromZod(error)
}

/** Clients from before structured content have nothing but the text, so it is the whole answer for them. */
function textFormOf(version: string | null): TextForm {
  return version !== null && version >= FIRST_STRUCTURED ? 'words' : 'json'
}
