import { isIP } from 'node:net'
import { SetLimits } from '@remit/engine/chain/registry'
import { NODE_ABILITIES, NODE_LIMITS } from '@remit/engine/ports/nodes'
import { parseUrl } from '@remit/engine/schema/text'
import * as z from 'zod'
import { isNetwork } from '../access/identity/ClientAddresses.ts'
import { readSecretKey } from '../store/SecretBox.ts'

// The types of the variables in `variables/`, as zod schemas: each reads a text of the environment, or refuses it with a sentence that
// follows the variable's name. Its description is what the table of all variables (docs) shows as the allowed values.

/** A whole number from `least` to `most`, both included. */
export function integer(least: number, most: number) {
  const message = `must be a whole number from ${least} to ${most}`
  return z
    .string()
    .regex(/^\d{1,16}$/, message)
    .transform(Number)
    .refine((value) => value >= least && value <= most, message)
    .describe(most === Number.MAX_SAFE_INTEGER ? 'a whole number' : `${least} to ${most}`)
}

/** Elements with commas between; empty ones are left out. @param words names the elements, in the plural */
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

/** One of these words, as it is written here. */
export function oneOf<const T extends string>(words: readonly T[]) {
  return z.enum(words).describe(words.map((word) => `\`${word}\``).join(', '))
}

/** The word `none`, which stays text, or what `value` reads. */
export function orNone<T>(value: z.ZodType<T, string>) {
  return z.union([z.literal('none'), value]).describe(`${value.description}, or \`none\``)
}

export const boolean = z
  .enum(['true', 'false', '1', '0'], 'must be true or false')
  .transform((text) => text === 'true' || text === '1')
  .describe('`true`, `false`')

export const onOff = z
  .enum(['on', 'off'], 'must be on or off')
  .transform((text) => text === 'on')
  .describe('`on`, `off`')

export const text = z.string().describe('text')

export const port = integer(0, 65_535)

export const httpUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .describe('an http or https URL')

/** A node asked over HTTP, or one that announces its blocks over WebSocket. */
export const nodeUrl = z.url({ protocol: /^(http|ws)s?$/, error: 'must be an http, https, ws or wss URL' })

/** The URL of a page: it may have a query or a fragment. Slashes at its end are dropped. */
export const pageUrl = httpUrl.transform((url) => url.replace(/\/+$/, '')).describe('an http or https URL')

/** The base of other URLs, without a slash at its end. */
export const publicUrl = httpUrl
  .transform((text) => new URL(text))
  .refine(
    ({ username, password, search, hash }) => `${username}${password}${search}${hash}` === '',
    'must have no user, password, query or fragment',
  )
  .transform(({ origin, pathname }) => `${origin}${pathname}`.replace(/\/+$/, ''))
  .describe('an http or https URL')

export const origins = list(
  z.union([
    z.literal('loopback'),
    httpUrl.refine((url) => parseUrl(url)?.origin === url, 'must be an origin such as https://app.example'),
  ]),
  'origins such as `https://app.example`, and `loopback` for pages of this machine at any port',
)

const TEST_WALLETS = 'must be true, false, or accounts of the node with names, such as 1=Coffee House'

/** Accounts of a development chain's node by their places in its list; -1 is the last one. */
export const testWallets = z
  .union(
    [
      z.enum(['false', '0']).transform(() => []),
      z.enum(['true', '1']).transform(() => [{ account: -1, name: 'the node’s last account' }]),
      list(
        z
          .string()
          .regex(/^\d{1,3}=.{1,27}$/)
          .transform((text) => {
            const [account = '', name = ''] = text.split('=')
            return { account: Number(account), name }
          }),
        'accounts',
      ),
    ],
    TEST_WALLETS,
  )
  .describe(
    '`true`, `false`, or places in the node’s list of accounts with names, as in `1=Coffee House,4=Ada`',
  )

export const networks = list(
  z.string().refine(isNetwork, 'must list addresses and networks such as 10.0.0.0/8'),
  'addresses and networks such as `10.0.0.0/8`',
)

/** Host names as requests have them in Host. One in another form would equal no request's, and all would be refused: it stops the start. */
export const hosts = list(
  z.string().toLowerCase().refine(isHost, 'must list host names such as api.example or api.example:8443'),
  'host names',
)

function isHost(text: string): boolean {
  // A wildcard is refused: URLs may hold a star, but here it would match nothing.
  if (/[\s/?#@\\*]/.test(text)) return false
  const url = parseUrl(`http://${text}`)
  return url !== undefined && [url.host, `${url.hostname}:80`].includes(text)
}

export const databaseUrl = z
  .string()
  .regex(
    /^(file:(?!:memory:).|postgres(ql)?:\/\/.)/,
    'must be file:<path> for SQLite, or postgres://… for Postgres',
  )
  .describe('`file:<path>` for SQLite, `postgres://…`')

/** Where DNS is asked. By http, whoever is between could answer for both resolvers, of which the second is there to confirm the first. */
export const dnsResolver = z
  .string()
  .refine(isResolver, 'must be system, an address such as 9.9.9.9 or 9.9.9.9:53, or an https URL')
  .describe('`system`, an address with or without a port, or an https URL of DNS over HTTPS')

function isResolver(text: string): boolean {
  if (text === 'system' || isIP(text) !== 0) return true
  const [, six, four, port] = /^(?:\[([0-9a-f:]+)\]|([\d.]+)):(\d{1,5})$/i.exec(text) ?? []
  if (port !== undefined) return isIP(six ?? four ?? '') !== 0 && Number(port) <= 65_535
  const url = parseUrl(text)
  return url?.protocol === 'https:' && `${url.username}${url.password}` === ''
}

/** The operator's address for people, as `words` to show and `href` to link to. */
export const contact = z
  .union(
    [
      z.email().transform((words) => ({ words, href: `mailto:${words}` })),
      z
        .url({ protocol: /^https?$/ })
        .transform((href) => ({ words: href.replace(/^https?:\/\//, '').replace(/\/$/, ''), href })),
    ],
    'must be an e-mail address, or an http or https URL',
  )
  .describe('an e-mail address, or an http or https URL')

export const redisUrl = z
  .url({ protocol: /^rediss?$/, error: 'must be a redis or rediss URL' })
  .describe('`redis://…`, `rediss://…`')

export const bearerToken = z
  .string()
  .regex(/^[\x21-\x7e]+$/, 'must be one word of plain characters')
  .describe('one word')

/** Keys that seal secrets in the store: more than one only while a new one replaces an old one. They stay text: SecretBox decodes them. */
export const secretKeys = list(
  z.string().refine((text) => readSecretKey(text) !== undefined, 'must be 32 bytes in Base64 or hex'),
  '32 bytes in Base64 or hex; several',
).refine((keys) => keys.length > 0, 'must be 32 bytes in Base64 or hex')

/** `batch=10,logRange=2000;batch=3`: for each node a list of what it grants, or one list for all. */
export const nodeLimits = z
  .string()
  .regex(/^[\w=,; ]*$/, 'must be such as batch=10,logRange=2000')
  .transform((text, context) => {
    const nodes = text.split(';').map((node) => Object.fromEntries(node.split(',').flatMap(pair)))
    const limits = z.array(SetLimits).safeParse(nodes)
    if (limits.success) return limits.data
    // A sentence of its own: the schema's would repeat what was given.
    context.addIssue({ code: 'custom', message: 'must be such as batch=10,logRange=2000, with known names' })
    return z.NEVER
  })
  .describe(`numbers for ${words(NODE_LIMITS)}, \`true\` or \`false\` for ${words(NODE_ABILITIES)}`)

function pair(text: string): [string, unknown][] {
  const [name = '', value = ''] = text.split('=').map((part) => part.trim())
  if (name === '') return []
  if (value === 'true' || value === 'false') return [[name, value === 'true']]
  return [[name, /^\d{1,12}$/.test(value) ? Number(value) : value]]
}

function words(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ')
}
