import type { CompleteRequestParams } from '@modelcontextprotocol/server'
import type { Pipeline } from '../../core/pipeline.ts'
import type { SuggestionsPort } from '../../core/ports/suggestions.ts'
import type { Prompts } from './prompts.ts'

/** As many as a completion may have, by the protocol. */
const MOST_VALUES = 100

const NOTHING = { values: [], total: 0, hasMore: false }

/**
 * Values for an argument of a prompt that begin as it was typed; a token is found by its symbol too.
 *
 * An empty list where nothing can be suggested or the chain cannot be read now: it is a help for typing, and no
 * statement of what exists. Throws ProtocolError for an unknown prompt, ValidationError for an unknown chain.
 */
export async function complete(
  {
    suggestions,
    pipeline,
    prompts,
  }: {
    readonly suggestions: SuggestionsPort
    readonly pipeline: Pick<Pipeline, 'chainId'>
    readonly prompts: Prompts
  },
  { ref, argument, context }: CompleteRequestParams,
) {
  if (ref.type !== 'ref/prompt') return NOTHING
  const kind = prompts.suggestedFor(ref.name, argument.name)
  if (kind === undefined) return NOTHING
  const chainId = pipeline.chainId('mcp', context?.arguments?.chainId)
  const known = await suggestions.of(kind, chainId).catch(() => [])
  const typed = argument.value.toLowerCase()
  const fitting = known.filter(({ value, words }) =>
    [value, ...words].some((word) => word.toLowerCase().startsWith(typed)),
  )
  const values = fitting.slice(0, MOST_VALUES).map(({ value }) => value)
  return { values, total: fitting.length, hasMore: fitting.length > values.length }
}
