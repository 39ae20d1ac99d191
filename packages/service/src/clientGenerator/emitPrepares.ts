import type { Method } from './Method.ts'
import type { ObjectShape } from './Shape.ts'

const PREFIX = '/prepare/'

/** The fields of each prepare, for the command line's help. */
export function emitPrepares(methods: readonly Method[]): string {
  const rows = methods
    .filter(({ path }) => path.startsWith(PREFIX))
    .map(({ name, path, summary, input }) => {
      const fields = leavesOf(input).map((field) => `      ${JSON.stringify(field)},`)
      const facts = [`    method: '${name}',`, `    summary: ${JSON.stringify(summary)},`]
      return [
        `  ${path.slice(PREFIX.length)}: {`,
        ...facts,
        '    fields: [',
        ...fields,
        '    ],',
        '  },',
      ].join('\n')
    })
  return [
    '/** A prepare of the service: the method that calls it, and the fields of its input by their paths. */',
    'export interface Prepare {',
    '  readonly method: string',
    '  readonly summary: string',
    '  readonly fields: readonly { readonly path: string; readonly required: boolean; readonly doc?: string }[]',
    '}',
    '',
    '/** By the last part of their paths. */',
    'export const prepares: Readonly<Record<string, Prepare>> = {',
    ...rows,
    '}',
    '',
  ].join('\n')
}

/** Every field that is not an object. A required field of an optional object is marked as required. */
function leavesOf({ fields }: ObjectShape, parent = ''): { path: string; required: boolean; doc?: string }[] {
  return fields
    .filter(({ name }) => name !== 'chainId')
    .flatMap(({ name, optional, doc, shape }) => {
      const path = parent + name
      if (shape.kind === 'object') return leavesOf(shape, `${path}.`)
      return [{ path, required: !optional, ...(doc === undefined ? {} : { doc }) }]
    })
}
