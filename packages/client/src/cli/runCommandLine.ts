import { type Command, connectionOf, type Environment } from './Command.ts'
import { doctor } from './commands/doctor.ts'
import { due } from './commands/due.ts'
import { events } from './commands/events.ts'
import { history } from './commands/history.ts'
import { listen } from './commands/listen.ts'
import { outlook } from './commands/outlook.ts'
import { prepare } from './commands/prepare.ts'
import { revenue } from './commands/revenue.ts'
import { search } from './commands/search.ts'
import { show } from './commands/show.ts'
import { state } from './commands/state.ts'
import { verify } from './commands/verify.ts'
import { describeError } from './describeError.ts'
import { EXIT, type ExitCode } from './errors.ts'
import { keeper } from './keeper/start/keeper.ts'
import { plainText } from './output/plainText.ts'
import type { Terminal } from './output/Terminal.ts'
import { helpOf, overview, readCommandLine } from './readCommandLine.ts'

/** All commands, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  state,
  due,
  search,
  show,
  history,
  outlook,
  revenue,
  events,
  listen,
  prepare,
  verify,
  keeper,
  doctor,
]

/** Everything that a command line depends on. */
export interface Surroundings {
  readonly args: readonly string[]
  readonly environment: Environment
  readonly terminal: Terminal
  /** Aborted by the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal
  /** The version of this command. */
  readonly version: () => string
}

/** Runs one command line of `remit`, and says on standard error what went wrong. Never throws. */
export async function runCommandLine({
  args,
  environment,
  terminal,
  signal,
  version,
}: Surroundings): Promise<ExitCode> {
  let called: Command | undefined
  try {
    const { command, flags, operands } = readCommandLine(args, COMMANDS)
    called = command
    if (flags.isSet('version')) {
      terminal.out(`${version()}\n`)
      return EXIT.done
    }
    if (command !== undefined && flags.isSet('help')) {
      terminal.out(helpOf({ ...command, ...command.helpFor?.(operands) }))
      return EXIT.done
    }
    if (command === undefined) {
      // `remit` alone asks for help; options without a command are a mistake.
      const isAsked = args.length === 0 || flags.isSet('help')
      if (isAsked) terminal.out(overview(COMMANDS))
      else terminal.err(overview(COMMANDS))
      return isAsked ? EXIT.done : EXIT.usage
    }
    const say = (line: string) => terminal.err(`remit: ${plainText(line)}\n`)
    const connection = connectionOf(flags, environment, say)
    const json = flags.isSet('json')
    const code = await command.run({ flags, operands, terminal, environment, signal, json, connection })
    return code ?? EXIT.done
  } catch (error) {
    if (signal.aborted) return EXIT.interrupted
    const { exitCode, text } = describeError(error, called)
    terminal.err(text)
    return exitCode
  }
}
