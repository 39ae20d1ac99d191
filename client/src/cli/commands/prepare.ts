import type { PrepareRemitAnswer } from '../../generated/api.ts'
import { operations } from '../../generated/operations.ts'
import { createCaller } from '../../request/createCaller.ts'
import { sleep } from '../../request/sleep.ts'
import { UsageError } from '../CliError.ts'
import type { Command, Options } from '../Command.ts'
import { EXIT } from '../exitCodes.ts'
import { printJson } from './answer.ts'
import { PREPARE_FIELDS } from './prepareFields.ts'
import { readPrepareInput } from './prepareInput.ts'
import { printPrepared } from './printPrepared.ts'

const PREFIX = '/prepare/'

/** Every prepare of the service, by the last part of its path. */
const PREPARES: ReadonlyMap<string, string> = new Map(
  Object.entries(operations).flatMap(([name, { path }]) =>
    path.startsWith(PREFIX) ? [[path.slice(PREFIX.length), name] as const] : [],
  ),
)

/** What every prepare answers, whatever was found out for it. */
export type PreparedAnswer = Omit<PrepareRemitAnswer, 'preflight' | 'details'>

/** Unsigned transactions for any of the protocol's operations. */
export const prepare: Command = {
  name: 'prepare',
  summary: 'Unsigned, proven transactions for an operation; nothing is ever signed here',
  operands: '<operation>',
  options: { ...fieldOptions(), input: inputOption() },
  notes: `Operations: ${[...PREPARES.keys()].join(', ')}.\n\nWhich options an operation needs, the service says. --json prints the whole answer, for signing elsewhere.`,
  async run(invocation) {
    const { connection, flags, operands, signal, terminal, json } = invocation
    const [given = '', surplus] = operands
    if (surplus !== undefined)
      throw new UsageError(`prepare takes one operation, and "${surplus}" is one more.`)
    const name = PREPARES.get(given.replaceAll('-', '_'))
    if (name === undefined) {
      const known = [...PREPARES.keys()].join(', ')
      throw new UsageError(
        `${given === '' ? 'prepare needs an operation' : `There is no operation ${given}`}: ${known}.`,
      )
    }
    const call = createCaller(connection.options, { now: Date.now, random: Math.random, sleep })
    // Safe: every prepare answers these fields, and its answer was decoded by its row of the table.
    const answer = (await call(name, readPrepareInput(flags), { signal })) as PreparedAnswer
    if (json) await printJson(invocation)
    else printPrepared(terminal, answer)
    return answer.ready === false ? EXIT.refused : undefined
  },
}

function fieldOptions(): Options {
  return Object.fromEntries(
    PREPARE_FIELDS.map(({ flag, kind, value, help }) => [
      flag,
      { type: kind === 'switch' ? ('boolean' as const) : ('string' as const), help, ...(value && { value }) },
    ]),
  )
}

function inputOption(): Options[string] {
  return { type: 'string', value: '<json|->', help: 'the whole input as JSON; - reads standard input' }
}
