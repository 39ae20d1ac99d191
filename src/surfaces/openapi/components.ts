/** What the routes share: the one shape of errors, headers, and how callers show who they are. */
export const components = {
  schemas: {
    Error: {
      type: 'object',
      required: ['error', 'code', 'requestId'],
      properties: {
        error: { type: 'string', description: 'A sentence that says what to do.' },
        code: { type: 'string', description: 'Permanent; made for programs.' },
        requestId: { type: 'string', description: 'Quote it to the operator.' },
        issues: {
          type: 'array',
          description: 'Every failing field or precondition, with facts beside its code.',
          items: {
            type: 'object',
            required: ['message'],
            properties: {
              code: { type: 'string' },
              path: { type: 'string' },
              message: { type: 'string' },
            },
            additionalProperties: true,
          },
        },
      },
      additionalProperties: true,
    },
  },
  headers: {
    RequestId: { description: 'Names this request in the operator’s log.', schema: { type: 'string' } },
    Lane: {
      description: 'The lane that was applied.',
      schema: { type: 'string', enum: ['free', 'developer'] },
    },
    RateLimitPolicy: {
      description: 'The limits of the buckets that the request took from: quota and window in seconds.',
      schema: { type: 'string' },
      example: '"globalRpm";q=20;w=60, "dailyTotalRequests";q=500;w=86400',
    },
    RateLimit: {
      description: 'What is left of them, and in how many seconds there is more.',
      schema: { type: 'string' },
      example: '"globalRpm";r=19;t=60, "dailyTotalRequests";r=499;t=3600',
    },
    RetryAfter: { description: 'Seconds after which it is worth trying again.', schema: { type: 'integer' } },
    WwwAuthenticate: { description: 'How to authenticate.', schema: { type: 'string' } },
    ETag: { description: 'For If-None-Match: the answer without its block.', schema: { type: 'string' } },
  },
  securitySchemes: {
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
  },
} as const
