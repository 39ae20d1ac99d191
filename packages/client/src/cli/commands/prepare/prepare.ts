import { type Prepare, prepares } from '../../../generated/prepares.ts'
import { createCaller } from '../../../request/createCaller.ts'
import { sleep } from '../../../request/sleep.ts'
import { UsageError } from '../../invocation/CliError.ts'
import type { Command, Option, Options } from '../../invocation/Command.ts'
import { EXIT } from '../../invocation/exitCodes.ts'
import { printBody } from '../answer.ts'
import { type Field, PREPARE_FIELDS } from './prepareFields.ts'
import { readPrepareInput } from './prepareInput.ts'
import { type PreparedAnswer, printPrepared } from './printPrepared.ts'

const KNOWN = Object.keys(prepares).join(', ')
const ABOUT_JSON = '--json prints the whole answer, for signing elsewhere.'
const INPUT: Option = {
  type: 'string',
  value: '<json|->',
  help: 'the whole input as JSON; - reads standard input',
}

/** Prints unsigned transactions for any operation of the protocol. */
export const prepare: Command = {
  name: 'prepare',
  summary: 'Unsigned, proven transactions for an operation; nothing is ever signed here',
  operands: '<operation>',
  options: { ...fieldOptions(), input: INPUT },
  notes: `Operations: ${KNOWN}.\n\nremit prepare <operation> --help lists the options of one. ${ABOUT_JSON}`,
  optionsOfFields: optionsOfFields(),
  helpFor(operands) {
    if (operands.length === 0) return prepare
    const { name, fields, summary } = readOperation(operands)
    const takes = PREPARE_FIELDS.flatMap((field) => {
      const found = fields.find(({ path }) => path === field.path.join('.'))
      if (found === undefined) return []
      const help = `${field.help || (found.doc ?? '')}${found.required ? ' (required)' : ''}`.trim()
      return [[field.flag, { ...optionOf(field), help }] as const]
    })
    const options = { ...Object.fromEntries(takes), input: INPUT }
    return { operands: name, summary, options, notes: ABOUT_JSON }
  },
  async run(invocation) {
    const { connection, flags, operands, signal, terminal, json } = invocation
    const { method } = readOperation(operands)
    const call = createCaller(connection.options, { now: Date.now, random: Math.random, sleep })
    // Safe: every prepare answers these fields, and `call` has decoded the answer by its row in `prepares`, which is generated.
    const answer = (await call(method, readPrepareInput(flags), { signal })) as PreparedAnswer
    if (json) printBody(invocation)
    else printPrepared(terminal, answer)
    return answer.ready === false ? EXIT.refused : undefined
  },
}

function readOperation([given = '', surplus]: readonly string[]): Prepare & { readonly name: string } {
  if (surplus !== undefined) throw new UsageError(`prepare takes one operation: remove "${surplus}".`)
  const name = given.replaceAll('-', '_')
  const found = Object.hasOwn(prepares, name) ? prepares[name] : undefined
  if (found !== undefined) return { ...found, name }
  throw new UsageError(
    `${given === '' ? 'prepare needs an operation' : `There is no operation ${given}`}: ${KNOWN}.`,
  )
}

function fieldOptions(): Options {
  return Object.fromEntries(PREPARE_FIELDS.map((field) => [field.flag, optionOf(field)]))
}

function optionOf({ kind, value, help }: Field): Option {
  return { type: kind === 'switch' ? 'boolean' : 'string', help, ...(value && { value }) }
}

/**
 * The options that set each field of the input, so that an error about a field can name them. A field that is an object has
 * the options of all its parts.
 */
function optionsOfFields(): Readonly<Record<string, readonly string[]>> {
  const paths = PREPARE_FIELDS.flatMap(({ path }) =>
    path.map((_, index) => path.slice(0, index + 1).join('.')),
  )
  return Object.fromEntries(
    paths.map((path) => [
      path,
      PREPARE_FIELDS.filter((field) => `${field.path.join('.')}.`.startsWith(`${path}.`)).map(
        ({ flag }) => flag,
      ),
    ]),
  )
}
