import { readdir } from 'node:fs/promises'
import * as z from 'zod'
import type { ErrorClass } from '@remit/engine/errors/base'

const FOLDER = new URL('../../../engine/src/errors/', import.meta.url)

/** Every error class of the service: those that operations declare and those that any request can meet. */
export async function readErrors(): Promise<readonly ErrorClass[]> {
  const files = (await readdir(FOLDER)).filter((name) => /^\w+\.ts$/.test(name)).sort()
  const modules = await Promise.all(
    files.map(async (name) =>
      z.record(z.string(), z.unknown()).parse(await import(new URL(name, FOLDER).href)),
    ),
  )
  return modules.flatMap((module) => Object.values(module).filter(isErrorClass))
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
