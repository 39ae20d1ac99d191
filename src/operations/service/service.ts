import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { BlockNotSeenError, ChainMisconfiguredError } from '../../errors/chain.ts'
import { ShuttingDownError } from '../../errors/http.ts'
import { ChainRow } from '../../schema/chainRow.ts'

/** The name and version of the service, and the addresses to start from. */
export const getService = defineOperation({
  name: 'get_service',
  effect: 'read',
  kind: 'service',
  summary: 'Name, version and the addresses to start from',
  access: 'front',
  rest: { method: 'GET', path: '/' },
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

/** Whether a load balancer may send requests here. */
export const getReady = defineOperation({
  name: 'get_ready',
  effect: 'read',
  kind: 'service',
  summary:
    'For load balancers: 200 once the default chain answers as configured, 503 before that and while draining',
  access: 'health',
  rest: { method: 'GET', path: '/ready' },
  errors: [BlockNotSeenError, ChainMisconfiguredError, ShuttingDownError],
  input: z.object({}),
  output: z.object({ ready: z.literal(true) }),
  async handle({ service }) {
    if (service.draining()) throw new ShuttingDownError()
    const { defaultChainId } = service.chains
    const chain = service.chains.health().find(({ chainId }) => chainId === defaultChainId)
    if (chain?.misconfigured) throw new ChainMisconfiguredError(defaultChainId, chain.misconfigured)
    if (!chain?.rpc.ok || !chain.confirmed) throw BlockNotSeenError.none(defaultChainId)
    return { ready: true as const }
  },
})

/** The description of every route for programs: OpenAPI, made from the list of operations. */
export const getOpenApi = defineOperation({
  name: 'get_openapi',
  effect: 'read',
  kind: 'service',
  summary: 'This API as an OpenAPI 3.1 document',
  access: 'read',
  rest: { method: 'GET', path: '/openapi.json' },
  tool: false,
  unchanging: true,
  input: z.object({}),
  output: z.looseObject({ openapi: z.string() }),
  async handle({ service }) {
    return service.openApi()
  },
})

/** The chains that tools may name. Over REST the catalog says the same. */
export const listChains = defineOperation({
  name: 'list_chains',
  effect: 'read',
  kind: 'service',
  summary: 'Chains of this service, with the one that is used where no chainId is given',
  access: 'read',
  rest: null,
  tool: {
    profiles: ['read'],
    text: ({ chains }) =>
      chains
        .filter(({ mcp }) => mcp)
        .map((row) => `${row.chainId} ${row.name}${row.default ? ' (default)' : ''}`)
        .join('\n'),
  },
  input: z.object({}),
  output: z.object({ chains: z.array(ChainRow) }),
  async handle({ service }) {
    return { chains: [...service.chains.rows] }
  },
})
