/**
 * `remit prepare <operation>`: asks the service for unsigned transactions and prints them. From top to bottom: the options that become
 * fields of the input, the command, how the input is read, how the answer is printed.
 */

import { readFileSync } from 'node:fs'
import { isRecord } from '../../call/isRecord.ts'
import type { AuthorizationToSign, PermitToSign, PrepareRemitAnswer } from '../../generated/api.ts'
import { type Prepare, prepares } from '../../generated/prepares.ts'
import { createCaller } from '../../request/createCaller.ts'
import { sleep } from '../../request/Deadline.ts'
import type { Command, Flags, Option, Options } from '../Command.ts'
import { EXIT, UsageError } from '../errors.ts'
import { styled, type Terminal } from '../output/Terminal.ts'
import { factsOf, tableOf } from '../output/table.ts'
import { printBody } from './answer.ts'
import { amountOf, fewDigits, timeOf } from './words.ts'

/** How an option of the command line becomes one field of a prepare's input. */
export interface Field {
  /** The option without its dashes. */
  readonly flag: string
  /** Where it goes in the body. */
  readonly path: readonly [string, ...string[]]
  /** A text, a whole number, or an option without a value. */
  readonly kind: 'text' | 'whole' | 'switch'
  /** The placeholder for its value in the help. */
  readonly value?: string
  /** Empty where the service's own description of the field is shown. */
  readonly help: string
}

function text(flag: string, path: Field['path'], value: string, help: string): Field {
  return { flag, path, kind: 'text', value, help }
}

function whole(flag: string, path: Field['path'], help: string): Field {
  return { flag, path, kind: 'whole', value: '<n>', help }
}

function toggle(flag: string, path: Field['path'], help: string): Field {
  return { flag, path, kind: 'switch', help }
}

/** Every field that any prepare takes. `--url` is the service's address, so the urls of details and profiles have other names. */
export const PREPARE_FIELDS: readonly Field[] = [
  text('from', ['from'], '<address>', 'who will sign and send'),
  text('id', ['id'], '<id>', 'the subscription'),
  text('subscriber', ['subscriber'], '<address>', 'the subscriber to remove'),
  text('amount', ['amount'], '<amount>', 'human token amount, such as 10.5'),
  text('token', ['token'], '<address>', 'the token'),
  whole('frequency', ['frequency'], '0 weekly, 1 monthly, 2 quarterly, 3 yearly'),
  whole('due-day', ['dueDay'], 'day of the week (Monday is 1), month, quarter or year'),
  text('details-url', ['details', 'url'], '<url>', 'https link of the subscription, or ""'),
  text('details-description', ['details', 'description'], '<text>', 'description of the subscription'),
  text('description', ['description'], '<text>', 'description of the provider'),
  text('company', ['company'], '<text>', 'company of the provider'),
  text('profile-url', ['url'], '<url>', 'https link of the provider, or ""'),
  text('domain', ['domain'], '<text>', 'domain of the provider'),
  text('email', ['email'], '<text>', 'email of the provider'),
  text('misc', ['misc'], '<text>', 'anything else about the provider'),
  text('subscription-id', ['subscription', 'id'], '<id>', 'for stated terms: these must match the chain’s'),
  text('subscription-amount', ['subscription', 'amount'], '<amount>', ''),
  text('subscription-provider', ['subscription', 'provider'], '<address>', ''),
  text('subscription-token', ['subscription', 'token'], '<address>', ''),
  whole('subscription-frequency', ['subscription', 'frequency'], ''),
  whole('subscription-due-day', ['subscription', 'dueDay'], ''),
  toggle('subscription-cancelled', ['subscription', 'cancelled'], ''),
  text(
    'simulate-from',
    ['simulateFromAddress'],
    '<address>',
    'estimate gas from this wallet, which will broadcast',
  ),
  text('paymaster-url', ['paymasterUrl'], '<url>', 'whom the wallet may ask to pay the network’s fee'),
  whole('approval-periods', ['approvalPeriods'], 'how many charges the approval must cover'),
  toggle('infinite-approval', ['infiniteApproval'], 'approve the maximum'),
  toggle(
    'keep-coverage',
    ['keepCoverage'],
    'also approve enough to keep the wallet’s other subscriptions covered as long as now',
  ),
  toggle('permit', ['permit'], 'a permit to sign in place of an approval to send'),
  whole('permit-deadline', ['permitDeadline'], 'until when that permit can be carried, unix time in seconds'),
  toggle('authorization', ['authorization'], 'a transfer to sign in place of one to send'),
  whole('valid-before', ['validBefore'], 'until when that transfer can be carried, unix time in seconds'),
  text('owner', ['owner'], '<address>', 'whose signed permit it is'),
  text('account', ['account'], '<address>', 'the member who is given money'),
  text('payer', ['payer'], '<address>', 'whose signed transfer it is'),
  text('value', ['value'], '<raw>', 'what is allowed or given, in the token’s smallest unit'),
  toggle('allowed', ['allowed'], 'for a permit of DAI’s own form'),
  whole('deadline', ['deadline'], 'as it was signed, unix time in seconds'),
  text('signature', ['signature'], '<hex>', 'the signature of the owner or the payer'),
  toggle('readiness', ['readinessOnly'], 'only check whether it can be done: no transactions, no gas'),
]

const KNOWN = Object.keys(prepares).join(', ')
const ABOUT_JSON = '--json prints the whole answer, for signing elsewhere.'
const INPUT: Option = {
  type: 'string',
  value: '<json|->',
  help: 'the whole input as JSON; - reads standard input',
}

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

type InputBody = Readonly<Record<string, unknown>>

/**
 * The input of a prepare: `--input` (JSON, or `-` for standard input), with single options overriding it. The service
 * checks the fields. Throws UsageError.
 */
function readPrepareInput(flags: Flags, readStdin: () => string = () => readFileSync(0, 'utf8')): InputBody {
  const given = flags.text('input')
  let body = given === undefined ? {} : parseObject(given === '-' ? readStdin() : given)
  for (const { flag, path, kind } of PREPARE_FIELDS) {
    const value =
      kind === 'switch'
        ? flags.isSet(flag) || undefined
        : kind === 'whole'
          ? flags.whole(flag, { min: 0 })
          : flags.text(flag)
    if (value !== undefined) body = withField(body, path, value)
  }
  return body
}

function withField(body: InputBody, [name, ...rest]: readonly string[], value: unknown): InputBody {
  if (name === undefined) return body
  const [next] = rest
  if (next === undefined) return { ...body, [name]: value }
  const inner = body[name]
  return { ...body, [name]: withField(isRecord(inner) ? inner : {}, rest, value) }
}

function parseObject(text: string): InputBody {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new UsageError('--input is not JSON.', { cause: error })
  }
  if (isRecord(value)) return value
  throw new UsageError('--input must be a JSON object, such as {"from": "0x…"}.')
}

/** The fields that every prepare answers with, and what some give to be signed in place of transactions. */
export type PreparedAnswer = Omit<PrepareRemitAnswer, 'preflight' | 'details'> & {
  readonly permit?: PermitToSign
  readonly authorization?: AuthorizationToSign
}

/** Prints a prepared operation for people: what to do, what will move, what it costs, what to sign. */
function printPrepared(terminal: Terminal, answer: PreparedAnswer): void {
  const { operation, ready, issues = [], warnings, instructions } = answer
  const heading =
    ready === undefined ? `${operation} is prepared.` : `${operation}: ${ready ? 'ready' : 'not ready'}.`
  terminal.out(`${styled(terminal, 'bold', heading)}\n`)
  for (const { message } of issues) terminal.out(`  ${styled(terminal, 'red', message)}\n`)
  for (const { message } of warnings) terminal.out(`  ${styled(terminal, 'yellow', `Note: ${message}`)}\n`)
  if (instructions.length > 0) {
    terminal.out(`\n${instructions.map((step, index) => `${index + 1}. ${step}`).join('\n')}\n`)
  }
  printChanges(terminal, answer)
  printGas(terminal, answer)
  printTransactions(terminal, answer)
  printTypedData(terminal, answer)
}

function printChanges(terminal: Terminal, { simulation }: PreparedAnswer): void {
  if (simulation === undefined) return
  const { balanceChanges } = simulation
  if (balanceChanges.length === 0) {
    terminal.out('\nNo tokens move.\n')
    return
  }
  type Change = (typeof balanceChanges)[number]
  const columns = [
    { heading: 'ACCOUNT', value: ({ account }: Change) => account },
    {
      heading: 'CHANGE',
      value: ({ amount, token }: Change) => amountOf(amount.startsWith('-') ? amount : `+${amount}`, token),
      align: 'right',
    },
  ] as const
  terminal.out(`\nWhat will move:\n${tableOf(terminal, columns, balanceChanges)}`)
}

function printGas(terminal: Terminal, { gasSummary, formattedValidUntil }: PreparedAnswer): void {
  if (gasSummary === undefined) return
  const {
    totalGasLimit,
    totalEstimatedCostEth,
    backlogMultiplier = 1,
    totalBacklogEstimatedCostEth,
  } = gasSummary
  terminal.out('\n')
  terminal.out(
    factsOf(terminal, [
      ['Gas limit', String(totalGasLimit)],
      ['Costs about', `${fewDigits(totalEstimatedCostEth)} ETH`],
      ...(backlogMultiplier > 1 && totalBacklogEstimatedCostEth !== undefined
        ? ([
            [
              'Whole backlog',
              `${backlogMultiplier} times, about ${fewDigits(totalBacklogEstimatedCostEth)} ETH`,
            ],
          ] as const)
        : []),
      ...(formattedValidUntil === undefined ? [] : ([['Valid until', timeOf(formattedValidUntil)]] as const)),
    ]),
  )
}

/** Calldata is never shortened: it is there to be copied. */
function printTransactions(terminal: Terminal, { unsignedTransactions = [] }: PreparedAnswer): void {
  for (const [index, { to, data, value, chainId, from }] of unsignedTransactions.entries()) {
    terminal.out(`\nTransaction ${index + 1} of ${unsignedTransactions.length}\n`)
    terminal.out(
      factsOf(terminal, [
        ['Chain', String(chainId)],
        ['From', from],
        ['To', to],
        ['Value', `${value} wei`],
        ['Data', data],
      ]),
    )
  }
}

/** What is to be signed in place of a transaction, as eth_signTypedData_v4 takes it, to be copied. */
function printTypedData(terminal: Terminal, { permit, authorization }: PreparedAnswer): void {
  const typedData = permit ?? authorization
  if (typedData === undefined) return
  const { domain, types, primaryType, message, digest } = typedData
  const typed = JSON.stringify({ domain, types, primaryType, message }, (_, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  )
  terminal.out(`\nTo sign:\n${typed}\n\n${factsOf(terminal, [['Digest', digest]])}`)
}
