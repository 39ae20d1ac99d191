import { parseArgs } from 'node:util'
import * as z from 'zod'
import { commandLine } from '../commandLine.ts'
import { KEYS } from '../configuration/variables/service.ts'

/** The command line is invalid. The message says what is expected. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export const HELP = `Developers' API keys, in the database of DATABASE_URL (default ${KEYS.databaseUrl.default}).

  ${commandLine('keys', 'create --subject <who> [--label <what for>] [--expires <when>]')}
  ${commandLine('keys', 'list [--subject <who>]')}
  ${commandLine('keys', 'rotate <id>')}
  ${commandLine('keys', 'revoke <id>')}
  ${commandLine('keys', 'reseal')}

rotate replaces a key. The old one works for 24 more hours and no longer counts towards the limit of keys.
reseal seals all secrets in the database with the first key of SECRETS_KEY. It needs those that sealed them behind it.

  --subject   whose key it is, in your own words
  --label     what the key is for
  --expires   when the key expires: 2031-12-31, or 2031-12-31T12:00:00Z
  --json      answers as GET, POST and DELETE /developer/keys do
  --help      this text
`

/** A command, as read from the command line. Times are unix seconds. */
export type KeysCommand =
  | { readonly name: 'help' }
  | { readonly name: 'reseal' }
  | {
      readonly name: 'create'
      readonly json: boolean
      readonly input: {
        readonly subjectId: string
        readonly label?: string | undefined
        readonly expiresAt?: number | undefined
      }
    }
  | { readonly name: 'list'; readonly json: boolean; readonly subjectId: string | undefined }
  | { readonly name: 'revoke' | 'rotate'; readonly json: boolean; readonly id: string }

/** The options of each command, beside --json. */
const OPTIONS = {
  create: ['subject', 'label', 'expires'],
  list: ['subject'],
  revoke: [],
  rotate: [],
  reseal: [],
} as const

const CommandName = z.enum(['create', 'list', 'rotate', 'revoke', 'reseal'])

/** Reads a command line. Throws UsageError. */
export function readArguments(args: readonly string[]): KeysCommand {
  const { values, positionals } = parse(args)
  if (values.help || (positionals.length === 0 && args.length === 0)) return { name: 'help' }
  const [first, id, ...rest] = positionals
  const name = CommandName.safeParse(first).data
  if (name === undefined) {
    throw new UsageError(
      first === undefined ? 'Say create, list, rotate, revoke or reseal.' : `There is no command ${first}.`,
    )
  }
  const known: readonly string[] = name === 'reseal' ? [] : [...OPTIONS[name], 'json']
  const unknown = Object.keys(values).find((option) => !known.includes(option))
  if (unknown !== undefined) throw new UsageError(`${name} takes no --${unknown}.`)
  const surplus = name === 'revoke' || name === 'rotate' ? rest[0] : id
  if (surplus !== undefined)
    throw new UsageError(`Unexpected text ${surplus}: put texts with spaces in quotes.`)
  const json = values.json ?? false
  switch (name) {
    case 'create':
      if (values.subject === undefined) throw new UsageError('create needs --subject: whose key is it?')
      return {
        name,
        json,
        input: { subjectId: values.subject, label: values.label, expiresAt: readTime(values.expires) },
      }
    case 'list':
      return { name, json, subjectId: values.subject }
    case 'reseal':
      return { name }
    case 'rotate':
    case 'revoke':
      if (id === undefined) throw new UsageError(`${name} needs the id of a key, which list shows.`)
      return { name, json, id }
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        subject: { type: 'string' },
        label: { type: 'string' },
        expires: { type: 'string' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (error) {
    const [sentence = ''] = error instanceof Error ? error.message.split('. ') : []
    throw new UsageError(`${sentence.replace(/\.$/, '')}.`)
  }
}

const TIME = z.union([z.iso.date(), z.iso.datetime({ offset: true })])

function readTime(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const time = TIME.safeParse(text)
  // A date alone means midnight UTC, as Date reads it.
  if (time.success) return Math.floor(Date.parse(time.data) / 1000)
  throw new UsageError('--expires must be a date such as 2031-12-31, or a time such as 2031-12-31T12:00:00Z.')
}
