/** What the commands of `remit` are made of: their declaration, one call of them, their options, and the service that they ask. */

import { readFileSync } from 'node:fs'
import type { Wait } from '../call/CallOptions.ts'
import { type Client, createClient } from '../createClient.ts'
import type { RequestOptions } from '../request/createCaller.ts'
import { readText } from '../request/exchange.ts'
import { type ExitCode, UsageError } from './errors.ts'
import { withPlainTexts } from './output/plainText.ts'
import type { Terminal } from './output/Terminal.ts'

/** An option, declared once for reading and for the help. */
export interface Option {
  readonly type: 'string' | 'boolean'
  /** The placeholder for its value in the help: `<n>`. */
  readonly value?: string
  /** May be given more than once. */
  readonly multiple?: true
  readonly help: string
}

export type Options = Readonly<Record<string, Option>>

/** One call of a command. */
export interface Invocation {
  readonly flags: Flags
  readonly operands: readonly string[]
  readonly terminal: Terminal
  readonly environment: Environment
  /** Aborted by the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal
  /** Whether to print JSON. */
  readonly json: boolean
  /** The service that the command line names. */
  readonly connection: Connection
}

/** A command as it is declared. */
export interface Command {
  readonly name: string
  readonly summary: string
  /** The operands after the name: `<id|address>`. */
  readonly operands: string
  readonly options: Options
  /** The text of the help besides the options. */
  readonly notes?: string
  /** Options by the field of the service's input that they set, where the names differ: errors name the option. */
  readonly optionsOfFields?: Readonly<Record<string, readonly string[]>>
  /** The same command as its help shows it once its operands are known. Throws UsageError. */
  helpFor?(operands: readonly string[]): Pick<Command, 'operands' | 'summary' | 'options' | 'notes'>
  /** Throws CliError and the client's errors. No exit code means success. */
  run(invocation: Invocation): Promise<ExitCode | undefined>
}

/** The variables of the process. */
export type Environment = Readonly<Record<string, string | undefined>>

/** The options of one command line, by name. */
export class Flags {
  readonly #values: Readonly<Record<string, unknown>>

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values
  }

  /** Whether an option without a value is given. */
  isSet(name: string): boolean {
    return this.#values[name] === true
  }

  text(name: string): string | undefined {
    const value = this.#values[name]
    return typeof value === 'string' ? value : undefined
  }

  /** All values of an option that may be given more than once. */
  list(name: string): string[] {
    const value = this.#values[name]
    return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
  }

  /** A whole number; `undefined` where the option is not given. Throws UsageError. */
  whole(
    name: string,
    { min, max = Number.MAX_SAFE_INTEGER }: { min: number; max?: number },
  ): number | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    if (value >= min && value <= max) return value
    const range = max === Number.MAX_SAFE_INTEGER ? `from ${min} on` : `from ${min} to ${max}`
    throw new UsageError(`--${name} must be a whole number ${range}, not "${text}".`)
  }
}

/** The service that a command line names. */
export interface Connection {
  /** Texts in its answers are plain: strangers wrote them, and they are printed. */
  readonly client: Client
  /** The options of the client, to make another one whose answers are plain too. */
  readonly options: RequestOptions
  /** The unchanged body of the last answer. */
  lastBody(): string
}

const DEFAULT_URL = 'http://127.0.0.1:3000'

/**
 * Reads where the service is and how it is called. Nothing is sent. Throws UsageError.
 * @param say a line for people, about a wait
 */
export function connectionOf(
  flags: Flags,
  environment: Environment,
  say: (line: string) => void,
): Connection {
  const { REMIT_URL, REMIT_API_KEY } = environment
  const url = flags.text('url') ?? nonEmpty(REMIT_URL) ?? DEFAULT_URL
  const keyFile = flags.text('api-key-file')
  const apiKey = keyFile === undefined ? nonEmpty(REMIT_API_KEY) : readKey(keyFile)
  const chainId = readChain(flags.text('chain'))
  const seconds = flags.whole('timeout', { min: 1, max: 3600 })
  let lastBody = ''
  const options: RequestOptions = {
    url,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(chainId === undefined ? {} : { chainId }),
    ...(seconds === undefined ? {} : { timeoutMs: seconds * 1000 }),
    onWait: (wait) => say(waitingLine(wait)),
    fetch: async (target, init) => {
      const response = await fetch(target, init)
      const { status, headers } = response
      lastBody = (await readText(response, init?.signal ?? new AbortController().signal)) ?? ''
      // A Response of a status such as 204 must be made with null, not with an empty text.
      return new Response(lastBody === '' ? null : withPlainTexts(lastBody), { status, headers })
    },
  }
  return { client: makeClient(options), options, lastBody: () => lastBody }
}

function waitingLine(wait: Wait): string {
  const seconds = Math.max(1, Math.ceil(wait.forMs / 1000))
  switch (wait.for) {
    case 'limit':
      return `waiting ${seconds} s for the limit ${wait.bucket} of the ${wait.lane} lane`
    case 'block':
      return `waiting ${seconds} s for block ${wait.minBlock ?? 'that was asked for'}`
    case 'service':
      return `waiting ${seconds} s to try again: ${wait.message}`
  }
}

function makeClient(options: RequestOptions): Client {
  try {
    return createClient(options)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new UsageError(`The service cannot be called so: ${error.message}.`, { cause: error })
  }
}

/** A chain id, decimal (8453) or as CAIP-2 writes it (eip155:8453). Throws UsageError. */
function readChain(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const [, digits] = /^(?:eip155:)?([1-9]\d{0,15})$/.exec(text) ?? []
  if (digits !== undefined && Number.isSafeInteger(Number(digits))) return Number(digits)
  throw new UsageError(`--chain must be a chain id such as 8453 or eip155:8453, not "${text}".`)
}

function readKey(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new UsageError(`The file of --api-key-file cannot be read: ${file}.`, { cause: error })
  }
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text.trim()
}
