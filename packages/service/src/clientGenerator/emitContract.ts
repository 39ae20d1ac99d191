import { readdir } from 'node:fs/promises'
import { ISubscriptions } from '@remit/contracts/ISubscriptions'
import type { ErrorClass } from '@remit/engine/errors/base'
import { REVERTS } from '@remit/protocol/reverts'
import * as z from 'zod'

// The texts of the client's abi.ts, errors.ts and reverts.ts.

/** The functions that the client signs calls of, and those that it reads to check them. */
const FUNCTIONS = [
  'createSubscription',
  'subscribe',
  'unsubscribe',
  'unsubscribeByProvider',
  'cancelSubscription',
  'editDetails',
  'editProvDetails',
  'remit',
  'idSubMap',
  'approvedERC20',
  'getAccountSubscriptions',
  'callerFee',
  'feeBalance',
  'getIdByTime',
  'nextUncheckedDay',
]

const Entry = z.looseObject({ type: z.string(), name: z.string() })

/** The contract's events and the functions that transactions of this client call. */
export function emitAbi(): string {
  const entries = ISubscriptions.abi.filter((entry) => {
    const { type, name } = Entry.parse(entry)
    return type === 'event' || (type === 'function' && FUNCTIONS.includes(name))
  })
  const found = entries.map((entry) => Entry.parse(entry).name)
  const missing = FUNCTIONS.filter((name) => !found.includes(name))
  if (missing.length > 0) throw new Error(`The contract has no ${missing.join(', ')}`)
  return [
    '/** The protocol’s events, and the functions that transactions of this client call. */',
    'export const subscriptionsAbi = [',
    ...entries.map((entry) => `  ${JSON.stringify(entry)},`),
    '] as const',
    '',
  ].join('\n')
}

const FOLDERS = ['../../../engine/src/errors/', '../errors/'].map(
  (folder) => new URL(folder, import.meta.url),
)

/** Every error class of the service: those that operations declare and those that any request can meet. */
export async function readErrors(): Promise<readonly ErrorClass[]> {
  const modules = await Promise.all(FOLDERS.map(modulesIn))
  return modules.flat().flatMap((module) => Object.values(module).filter(isErrorClass))
}

async function modulesIn(folder: URL): Promise<Record<string, unknown>[]> {
  const files = (await readdir(folder)).filter((name) => /^\w+\.ts$/.test(name)).sort()
  const read = files.map(async (name) => await import(new URL(name, folder).href))
  return z.array(z.record(z.string(), z.unknown())).parse(await Promise.all(read))
}

function isErrorClass(value: unknown): value is ErrorClass {
  return (
    typeof value === 'function' &&
    'code' in value &&
    typeof value.code === 'string' &&
    'status' in value &&
    'when' in value
  )
}

/** Every code that the service declares, with when it happens. */
export function emitErrors(classes: readonly ErrorClass[]): string {
  const byCode = new Map<string, ErrorClass[]>()
  for (const error of classes) byCode.set(error.code, [...(byCode.get(error.code) ?? []), error])
  const codes = [...byCode].sort(([a], [b]) => (a < b ? -1 : 1))
  return [
    '/** The codes of errors that this version of the client knows of. They are permanent. */',
    'export type RemitErrorCode =',
    ...codes.map(([code, same]) => {
      const when = [...new Set(same.map(({ status, when: text }) => `${status}: ${text}`))].join('; ')
      return `  /** ${when}. */\n  | '${code}'`
    }),
    '',
  ].join('\n')
}

/** The contract's revert strings with their names and meanings. */
export function emitReverts(): string {
  const row = ({ protocolCode, name, message }: (typeof REVERTS)[number]) =>
    `  { protocolCode: ${JSON.stringify(protocolCode)}, name: ${JSON.stringify(name)}, message: ${JSON.stringify(message)} },`
  return [
    '/** What the contract’s revert strings mean: "0" to "25", in order. */',
    'export const protocolReverts = [',
    ...REVERTS.map(row),
    '] as const',
    '',
  ].join('\n')
}
