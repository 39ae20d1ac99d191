import * as z from 'zod'
import { inputSentence, ValidationError } from '../../errors/input.ts'

/** What the address of the endpoint may say. All else is refused, so that nothing said is passed over in silence. */
const Query = z.strictObject({})

/** Reads the query of a request to the endpoint. Throws ValidationError, which names what is unknown. */
export function readQuery(query: URLSearchParams): z.output<typeof Query> {
  const twice = [...query.keys()].find((name) => query.getAll(name).length > 1)
  if (twice !== undefined) throw ValidationError.of(twice.slice(0, 200), 'is given more than once')
  const parsed = Query.safeParse(Object.fromEntries(query), { error: inputSentence })
  if (!parsed.success) throw ValidationError.fromZod(parsed.error)
  return parsed.data
}
