import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'

/** The description of every route for programs: OpenAPI, made from the list of operations. */
export const getOpenApi = defineOperation({
  name: 'get_openapi',
  effect: 'read',
  scope: 'service',
  summary: 'This API as an OpenAPI 3.1 document',
  rest: { method: 'GET', path: '/openapi.json' },
  tool: false,
  unchanging: true,
  input: z.object({}),
  output: z.looseObject({ openapi: z.string() }),
  async handle({ service }) {
    return service.openApi()
  },
})
