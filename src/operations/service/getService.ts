import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'

/** The name and version of the service, and the addresses to start from. */
export const getService = defineOperation({
  name: 'get_service',
  effect: 'read',
  scope: 'service',
  summary: 'Name, version and the addresses to start from',
  rest: { method: 'GET', path: '/' },
  tool: false,
  whileDisabled: true,
  audience: 'guests',
  metering: 'counted',
  input: z.object({}),
  output: z.object({
    name: z.string(),
    version: z.string(),
    links: z.object({
      catalog: z.url(),
      openapi: z.url(),
      docs: z.url().describe('The reference for people, in a browser.'),
      llms: z.url().describe('What agents read first; it names every guide.'),
      mcp: z.url(),
      status: z.url(),
    }),
  }),
  async handle({ service }) {
    const { publicUrl, version } = service
    return {
      name: 'Remit',
      version,
      links: {
        catalog: `${publicUrl}/catalog`,
        openapi: `${publicUrl}/openapi.json`,
        docs: `${publicUrl}/docs`,
        llms: `${publicUrl}/llms.txt`,
        mcp: `${publicUrl}/mcp`,
        status: `${publicUrl}/status`,
      },
    }
  },
})
