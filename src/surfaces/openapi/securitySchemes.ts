/** How callers show who they are. */
export const securitySchemes = {
  apiKey: { type: 'http', scheme: 'bearer', description: 'A developer key (svc_…): the developer lane.' },
  apiKeyHeader: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'The same key, where Authorization is taken by Basic Auth.',
  },
  adminSecret: { type: 'http', scheme: 'bearer', description: 'The operator’s secret: manages keys.' },
  adminSecretHeader: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Service-Admin-Key',
    description: 'The same secret, where Authorization is taken by Basic Auth.',
  },
} as const
