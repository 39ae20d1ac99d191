import { parseArgs } from 'node:util'
import { GLOBAL_OPTIONS } from './globalOptions.ts'
import { UsageError } from './invocation/CliError.ts'
import type { Command, Options } from './invocation/Command.ts'
import { Flags } from './invocation/Flags.ts'

interface CommandLine {
  /** `undefined` where none is named. */
  readonly command: Command | undefined
  readonly flags: Flags
  readonly operands: readonly string[]
}

/** Reads a command line; global options may stand anywhere. Throws UsageError. */
export function readCommandLine(given: readonly string[], commands: readonly Command[]): CommandLine {
  const args = joinNegatives(given)
  const place = findCommand(args)
  const name = place === undefined ? undefined : args[place]
  const command = commands.find((candidate) => candidate.name === name)
  if (name !== undefined && command === undefined) {
    throw new UsageError(
      `There is no command ${name}: there are ${commands.map((each) => each.name).join(', ')}.`,
    )
  }
  const rest = args.filter((_, index) => index !== place)
  const { values, positionals } = parse(rest, { ...GLOBAL_OPTIONS, ...command?.options })
  return { command, flags: new Flags(values), operands: positionals }
}

/** Where the command's name stands: the first word that is neither an option nor a global option's value. */
function findCommand(args: readonly string[]): number | undefined {
  const { tokens } = parseArgs({
    args: [...args],
    options: parseOptions(GLOBAL_OPTIONS),
    strict: false,
    tokens: true,
    allowPositionals: true,
  })
  return tokens.find((token) => token.kind === 'positional')?.index
}

function parse(args: readonly string[], options: Options) {
  try {
    return parseArgs({ args: [...args], options: parseOptions(options), allowPositionals: true })
  } catch (error) {
    const [sentence = ''] = error instanceof Error ? error.message.split('. ') : []
    throw new UsageError(`${sentence.replace(/\.$/, '')}.`, { cause: error })
  }
}

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
