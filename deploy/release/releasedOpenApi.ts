import { operations } from '@remit/service/operations/index'
import { openApiDocument } from '@remit/service/surfaces/openapi/openApiDocument'
import * as z from 'zod'

/** What the last release served at /openapi.json. A release writes it; it is compared in test/openapi/breaking.test.ts. */
export const RELEASED_OPENAPI_PATH = 'deploy/release/generated/openapi.json'

/** The breaks since then that were decided, by name. A release empties it. */
export const DECIDED_BREAKS_PATH = 'deploy/release/decidedBreaks.txt'

const NO_EXAMPLES = { operations: {}, errors: [], headers: {}, events: {} }

const Shape = z.looseObject({
  paths: z.record(z.string(), z.json()),
  webhooks: z.record(z.string(), z.object({ post: z.object({ requestBody: z.json() }) })),
})

/** The OpenAPI document of the sources as they are, without its sentences and examples: what callers depend on. */
export function releasedOpenApi(version: string): string {
  const options = { version, serverUrl: 'https://remit.example', examples: NO_EXAMPLES }
  const { paths, webhooks, ...rest } = Shape.parse(openApiDocument(operations, options))
  // Who receives a webhook reads it as callers read an answer. As a request, a lost field would break nothing.
  const received = Object.entries(webhooks).map(([type, { post }]) => [
    `/webhook/${type}`,
    { get: { responses: { 200: post.requestBody } } },
  ])
  const document = { ...rest, paths: { ...paths, ...Object.fromEntries(received) } }
  // A field may be called so too: then it is a schema, and no text.
  const isSentence = (key: string, value: unknown) =>
    (key === 'description' || key === 'summary') && typeof value === 'string'
  return `${JSON.stringify(document, (key, value: unknown) => (isSentence(key, value) ? undefined : value), 1)}\n`
}
