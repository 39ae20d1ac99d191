/** Reads the command line of `remit` by what its commands declare, and writes the texts of --help from the same declarations. */

import { parseArgs } from 'node:util'
import { type Command, Flags, type Options } from './Command.ts'
import { UsageError } from './errors.ts'

/** The options of every command. Secrets come from the environment or a file: an option would stay in the shell's history. */
const GLOBAL_OPTIONS: Options = {
  url: {
    type: 'string',
    value: '<url>',
    help: 'the service; else REMIT_URL, else http://127.0.0.1:3000',
  },
  chain: {
    type: 'string',
    value: '<id>',
    help: 'chain id, such as 8453 or eip155:8453; else the service’s default',
  },
  'api-key-file': { type: 'string', value: '<file>', help: 'file with the API key; else REMIT_API_KEY' },
  timeout: { type: 'string', value: '<seconds>', help: 'give up on a request after so long' },
  json: { type: 'boolean', help: 'the service’s JSON, one document; for lists with --all one row a line' },
  help: { type: 'boolean', help: 'this text' },
  version: { type: 'boolean', help: 'the version of this command' },
}

interface CommandLine {
  /** `undefined` where none is named. */
  readonly command: Command | undefined
  readonly flags: Flags
  readonly operands: readonly string[]
}

/** Reads a command line; global options may stand anywhere. Throws UsageError. */
export function readCommandLine(given: readonly string[], commands: readonly Command[]): CommandLine {
  const args = joinNegatives(given)
  const nameIndex = findName(args)
  const name = nameIndex === undefined ? undefined : args[nameIndex]
  const command = commands.find((candidate) => candidate.name === name)
  if (name !== undefined && command === undefined) {
    throw new UsageError(
      `There is no command ${name}: there are ${commands.map((each) => each.name).join(', ')}.`,
    )
  }
  const rest = args.filter((_, index) => index !== nameIndex)
  const { values, positionals } = parse(rest, { ...GLOBAL_OPTIONS, ...command?.options })
  return { command, flags: new Flags(values), operands: positionals }
}

/**
 * Where the command's name stands: the first word that is neither an option nor a global option's value. Not strict, because the
 * command's own options are not known before it is.
 */
function findName(args: readonly string[]): number | undefined {
  const { tokens } = parseArgs({
    args: [...args],
    options: parseOptions(GLOBAL_OPTIONS),
    strict: false,
    tokens: true,
    allowPositionals: true,
  })
  return tokens.find((token) => token.kind === 'positional')?.index
}

/** Throws UsageError for an unknown option, or one without its value. */
function parse(args: readonly string[], options: Options) {
  try {
    return parseArgs({ args: [...args], options: parseOptions(options), allowPositionals: true })
  } catch (error) {
    // Node's advice after its first sentence is about its own API.
    const [sentence = ''] = error instanceof Error ? error.message.split('. ') : []
    throw new UsageError(`${sentence.replace(/\.$/, '')}.`, { cause: error })
  }
}

/** The options as parseArgs takes them. */
function parseOptions(options: Options) {
  return Object.fromEntries(
    Object.entries(options).map(([name, { type, multiple }]) => [
      name,
      { type, multiple: multiple ?? false, ...(name === 'help' ? { short: 'h' } : {}) },
    ]),
  )
}

/** "--min-profit -0.001" as "--min-profit=-0.001": otherwise the value would be taken for options. */
function joinNegatives(args: readonly string[]): string[] {
  const joined: string[] = []
  for (const arg of args) {
    const last = joined.at(-1)
    if (last !== undefined && /^-\d/.test(arg) && /^--[a-z-]+$/.test(last))
      joined.splice(-1, 1, `${last}=${arg}`)
    else joined.push(arg)
  }
  return joined
}

/** The text of `remit --help`. */
export function overview(commands: readonly Command[]): string {
  const rows = commands.map(({ name, operands, summary }) => [`${name} ${operands}`.trim(), summary] as const)
  return `Recurring payments on chain: reads, prepared transactions, a keeper.

  remit <command> [options]

${columnsOf(rows)}

Everywhere:
${optionsOf(GLOBAL_OPTIONS)}

remit <command> --help says more. Exit codes: 0 done; 1 the service said no; 2 the command line is wrong;
3 the service, its chain or the network failed, or a limit is spent; 130 interrupted.
`
}

/** The text of `remit <command> --help`. */
export function helpOf({ name, operands, summary, options, notes }: Command): string {
  const own = Object.keys(options).length === 0 ? '' : `\n${optionsOf(options)}\n`
  return `${summary}

  remit ${[name, operands].filter((part) => part !== '').join(' ')} [options]
${own}${notes === undefined ? '' : `\n${notes}\n`}
Everywhere:
${optionsOf(GLOBAL_OPTIONS)}
`
}

function optionsOf(options: Options): string {
  return columnsOf(
    Object.entries(options).map(([name, { value, help }]) => [
      [`--${name}`, value].filter((part) => part !== undefined).join(' '),
      help,
    ]),
  )
}

function columnsOf(rows: readonly (readonly [left: string, right: string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n')
}
