import * as z from 'zod'
import { isNetwork } from '../access/identity/ClientAddresses.ts'

// What variables take. Each is read from text, and is described by the words that the table has for it.

export function integer(least: number, most: number) {
  const message = `must be a whole number from ${least} to ${most}`
  return z
    .string()
    .regex(/^\d{1,16}$/, message)
    .transform(Number)
    .refine((value) => value >= least && value <= most, message)
    .describe(most === Number.MAX_SAFE_INTEGER ? 'a whole number' : `${least} to ${most}`)
}

/** @param words what its elements are, in the plural */
export function list<T>(element: z.ZodType<T, string>, words: string) {
  return z
    .string()
    .transform((text) =>
      text
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    )
    .pipe(z.array(element))
    .describe(`${words}, separated by commas`)
}

export function oneOf<const T extends string>(words: readonly T[]) {
  return z.enum(words).describe(words.map((word) => `\`${word}\``).join(', '))
}

/** @param value what is read from other words than `none` */
export function orNone<T>(value: z.ZodType<T, string>) {
  return z.union([z.literal('none'), value]).describe(`${value.description}, or \`none\``)
}

export const boolean = z
  .enum(['true', 'false', '1', '0'], 'must be true or false')
  .transform((text) => text === 'true' || text === '1')
  .describe('`true`, `false`')

export const text = z.string().describe('text')

export const port = integer(0, 65_535)

export const httpUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .describe('an http or https URL')

export const publicUrl = httpUrl.transform((url) => url.replace(/\/+$/, '')).describe('an http or https URL')

export const origins = list(
  z.union([
    z.literal('loopback'),
    httpUrl.refine(
      (url) => URL.canParse(url) && new URL(url).origin === url,
      'must be an origin such as https://app.example',
    ),
  ]),
  'origins such as `https://app.example`, and `loopback` for pages of this machine at any port',
)

export const networks = list(
  z.string().refine(isNetwork, 'must list addresses and networks such as 10.0.0.0/8'),
  'addresses and networks such as `10.0.0.0/8`',
)

export const databaseUrl = z
  .string()
  .regex(
    /^(file:(?!:memory:).|postgres(ql)?:\/\/.)/,
    'must be file:<path> for SQLite, or postgres://… for Postgres',
  )
  .describe('`file:<path>` for SQLite, `postgres://…`')

export const redisUrl = z
  .url({ protocol: /^rediss?$/, error: 'must be a redis or rediss URL' })
  .describe('`redis://…`, `rediss://…`')

export const bearerToken = z
  .string()
  .regex(/^[\x21-\x7e]+$/, 'must be one word of plain characters')
  .describe('one word')
