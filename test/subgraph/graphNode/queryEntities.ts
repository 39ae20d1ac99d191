import { GraphQLError } from 'graphql'
import * as z from 'zod'
import type { EntityType } from './apiSchema.ts'
import type { EntityValues } from './indexLogs.ts'

/** The arguments of a list, once graphql-js has held them against the schema. */
export const ListArguments = z.object({
  first: z.number(),
  skip: z.number(),
  orderBy: z.string().default('id'),
  orderDirection: z.enum(['asc', 'desc']).default('asc'),
  where: z.record(z.string(), z.unknown()).default({}),
})

/** Filters, orders and cuts as graph-node does: ties in the order of ids, no more than 1000 rows. */
export function queryEntities(
  type: EntityType,
  rows: readonly EntityValues[],
  { first, skip, orderBy, orderDirection, where }: z.output<typeof ListArguments>,
): EntityValues[] {
  if (first < 0 || first > 1_000) {
    throw new GraphQLError(`The value of the \`first\` argument must be between 0 and 1000, but is ${first}`)
  }
  if (skip < 0 || skip > 5_000) {
    throw new GraphQLError(`The value of the \`skip\` argument must be between 0 and 5000, but is ${skip}`)
  }
  const tests = Object.entries(where).map(([name, value]) => testOf(type, name, value))
  const sign = orderDirection === 'asc' ? 1 : -1
  return rows
    .filter((row) => tests.every((test) => test(row)))
    .sort((a, b) => sign * compare(a[orderBy], b[orderBy]) || compare(a.id, b.id))
    .slice(skip, skip + first)
}

/** Only what a test has needed; anything else says so instead of letting rows through. */
function testOf(type: EntityType, name: string, value: unknown): (row: EntityValues) => boolean {
  const field = type.fields.find((each) => each.name === name)
  if (field !== undefined) return (row) => compare(row[field.name], value) === 0
  const [, base = '', operator] = /^(\w+?)_(gte|gt|lte|lt)$/.exec(name) ?? []
  switch (operator) {
    case 'gte':
      return (row) => compare(row[base], value) >= 0
    case 'gt':
      return (row) => compare(row[base], value) > 0
    case 'lte':
      return (row) => compare(row[base], value) <= 0
    case 'lt':
      return (row) => compare(row[base], value) < 0
    default:
      throw new GraphQLError(`the filter ${name} is not supported here`)
  }
}

/** Numbers by their value, bytes by their hex digits, the shorter first. */
function compare(a: unknown, b: unknown): number {
  const [left, right] = [comparable(a), comparable(b)]
  return left < right ? -1 : left > right ? 1 : 0
}

function comparable(value: unknown): string | bigint | number {
  if (typeof value === 'number' || typeof value === 'bigint') return value
  const text = String(value)
  return /^-?\d+$/.test(text) ? BigInt(text) : text.toLowerCase()
}
