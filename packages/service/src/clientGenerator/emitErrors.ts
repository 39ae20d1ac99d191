import { readdir } from 'node:fs/promises'
import type { ErrorClass } from '@remit/engine/errors/base'
import * as z from 'zod'

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
