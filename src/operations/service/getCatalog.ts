import * as z from 'zod'
import { keyHeader, LaneLimits } from '../../core/lanes.ts'
import { defineOperation } from '../../core/operation.ts'
import { ChainId } from '../../schema/chainId.ts'
import { ChainRow } from '../../schema/chainRow.ts'

const CATALOG_VERSION = '3'

const Limits = LaneLimits.nullable().describe(
  'The values in force; null where the lane is not metered or does not exist.',
)

/** Routes, limits in force and chains, for clients at run time. */
export const getCatalog = defineOperation({
  name: 'get_catalog',
  effect: 'read',
  kind: 'service',
  summary: 'Route manifest, limits in force, chain registry',
  access: 'catalog',
  rest: { method: 'GET', path: '/catalog' },
  unchanging: true,
  input: z.object({}),
  output: z.object({
    version: z.string(),
    chainId: ChainId.describe('Used where ?chainId= is omitted.'),
    chains: z.array(ChainRow),
    pathNote: z.string(),
    access: z.object({
      rest: z.object({
        free: z.object({ auth: z.literal('none'), limits: Limits }),
        developer: z.object({
          auth: z.string(),
          enabled: z.boolean(),
          limits: Limits,
          management: z
            .object({ create: z.string(), list: z.string(), revoke: z.string(), adminAuth: z.string() })
            .nullable()
            .describe('The routes that manage keys; null where keys are switched off.'),
        }),
      }),
      mcp: z.object({ auth: z.string(), limits: z.string() }),
    }),
    apiEnabled: z.boolean(),
    developerKeysEnabled: z.boolean(),
    routes: z.array(z.object({ method: z.string(), path: z.string(), description: z.string() })),
  }),
  async handle({ service }) {
    const { chains, limits, developerKeysEnabled, publicUrl, asksBasicAuth } = service
    return {
      version: CATALOG_VERSION,
      chainId: chains.defaultChainId,
      chains: [...chains.rows],
      pathNote:
        'Paths are served with and without the /api prefix. Protocol routes take ?chainId= as decimal or CAIP-2.',
      access: {
        rest: {
          free: { auth: 'none' as const, limits: limits.free },
          developer: {
            auth: keyHeader(asksBasicAuth),
            enabled: developerKeysEnabled,
            limits: limits.developer,
            management: developerKeysEnabled
              ? managementAt(`${publicUrl}/developer/keys`, asksBasicAuth)
              : null,
          },
        },
        mcp: {
          auth: 'The same credentials as REST, as HTTP headers.',
          limits: 'Equal to REST’s free and developer limits; both surfaces share the same identities.',
        },
      },
      apiEnabled: service.apiEnabled,
      developerKeysEnabled,
      routes: [...service.routes()],
    }
  },
})

function managementAt(keys: string, asksBasicAuth: boolean) {
  const header = 'X-Service-Admin-Key'
  return {
    create: keys,
    list: `${keys}?subjectId=<subject_id>`,
    revoke: `${keys}/:id`,
    adminAuth: asksBasicAuth
      ? `${header}: <DEVELOPER_KEYS_ADMIN_SECRET>`
      : `Authorization: Bearer <DEVELOPER_KEYS_ADMIN_SECRET>, or ${header}`,
  }
}
