import { fileURLToPath } from 'node:url'
import type { Examples } from '@remit/service/testing/surfaces/openapi/examples'

/** Where recorded examples are kept: the service's OpenAPI document is made with them. */
export const EXAMPLES_PATH = fileURLToPath(
  new URL('../../packages/service/src/surfaces/openapi/generated/examples.json', import.meta.url),
)

export function exampleText(examples: Examples): string {
  return `${JSON.stringify(examples, null, 1)}\n`
}
