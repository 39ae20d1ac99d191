import * as z from 'zod'
import { Issue } from '../../schema/answer.ts'
import type { Json, JsonObject } from './json.ts'
import type { SchemaBook } from './SchemaBook.ts'

const body = {
  error: z.string().describe('A sentence that says what to do.'),
  code: z.string().describe('Permanent; made for programs.'),
  requestId: z.uuid().describe('Quote it to the operator.'),
}

const issues = z.array(Issue).describe('Every failing field or precondition, with facts beside its code.')

const ErrorBody = z.object({ ...body, issues: issues.optional() }).meta({ id: 'Error' })

const operation = z.string().describe('The action that was to be prepared, such as "subscribe".')

/** The facts that an error carries for programs, by its code. */
const FACTS: Readonly<Record<string, z.ZodRawShape>> = {
  VALIDATION_ERROR: { issues },
  SUBSCRIPTION_MISMATCH: { issues },
  NOT_READY: { issues, operation },
  SIMULATION_FAILED: {
    operation,
    reason: z.object({
      protocolCode: z.string().optional().describe('The contract’s own revert string, "0" to "25".'),
      name: z.string(),
      message: z.string(),
      data: z.string().optional().describe('The raw revert data, where it could not be decoded.'),
      callIndex: z.int().min(0).describe('Which of the transactions reverts.'),
    }),
  },
  RATE_LIMITED: {
    lane: z.enum(['free', 'developer']),
    bucket: z.string().describe('The limit that takes longest to wait for.'),
    limit: z.int(),
    retryAfterSeconds: z.int().min(1).describe('As Retry-After says.'),
    upgradeHint: z.string().nullable().describe('null where there is no higher lane.'),
  },
  MAX_KEYS: { maxKeysPerSubject: z.int() },
  PAYLOAD_TOO_LARGE: { maxBytes: z.int() },
  URI_TOO_LONG: { maxLength: z.int() },
}

const WITH_FACTS: ReadonlyMap<string, z.ZodType> = new Map(
  Object.entries(FACTS).map(([code, facts]) => {
    const schema = z.object({ ...body, code: z.literal(code), issues: issues.optional(), ...facts })
    return [code, schema.meta({ id: `${inPascalCase(code)}Error` })]
  }),
)

/** The schema of an error with one of these codes. */
export function errorSchema(codes: readonly string[], schemas: SchemaBook): Json {
  const plain = codes.filter((code) => !WITH_FACTS.has(code))
  const members = [
    ...codes.flatMap((code) => WITH_FACTS.get(code) ?? []).map((schema) => schemas.add(schema)),
    ...(plain.length === 0 ? [] : [ofCodes(plain, schemas)]),
  ]
  const [only, ...more] = members
  return only !== undefined && more.length === 0 ? only : { oneOf: members }
}

function ofCodes(codes: readonly string[], schemas: SchemaBook): JsonObject {
  return {
    allOf: [schemas.add(ErrorBody), { required: ['code'], properties: { code: { enum: codes } } }],
  }
}

function inPascalCase(code: string): string {
  const words = code.replace(/_ERROR$/, '').split('_')
  return words.map((word) => word.slice(0, 1) + word.slice(1).toLowerCase()).join('')
}
