import * as z from 'zod'

/** The code of an error that comes without one. */
const NO_CODE = 0

const ErrorObject = z.looseObject({
  code: z.coerce.number().catch(NO_CODE),
  message: z.string().catch(''),
  data: z.unknown().optional(),
})
const ErrorText = z.string().transform((message) => ({ code: NO_CODE, message, data: undefined }))

/**
 * An answer in JSON-RPC, as nodes give it: `error` may be null beside a result, or only a text, and an id may come back
 * as a text.
 */
export const NodeAnswer = z
  .looseObject({
    id: z.union([z.number(), z.string(), z.null()]).optional(),
    result: z.unknown().optional(),
    error: z.union([ErrorObject, ErrorText]).nullish(),
  })
  // Some leave a null result out.
  .refine((answer) => 'result' in answer || 'error' in answer || 'id' in answer)
  .transform(({ id, result, error }) => ({
    id: id === undefined || id === null ? undefined : String(id),
    result,
    error: error ?? undefined,
  }))

export type NodeAnswer = z.output<typeof NodeAnswer>

/** What comes for one request, or for several. */
export const NodeBody = z.union([z.array(NodeAnswer), NodeAnswer])
