import type { ErrorClass } from '../../src/errors/base.ts'

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
