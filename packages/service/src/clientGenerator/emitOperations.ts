import type { Method } from './Method.ts'
import { type Field, type NamedShape, type Shape, singleValue, type VariantsShape } from './Shape.ts'

/** What the client needs to know of every operation at run time. */
export function emitOperations(methods: readonly Method[], named: ReadonlyMap<string, NamedShape>): string {
  return [
    "import type { OperationRow } from '../call/OperationRow.ts'",
    "import type { WireShape } from '../call/WireShape.ts'",
    '',
    '/** The shapes that answers share. */',
    'export const shapes: Readonly<Record<string, WireShape>> = {',
    ...[...named].map(([name, { shape }]) => `  ${name}: ${literal(shape)},`),
    '}',
    '',
    'export const operations: Readonly<Record<string, OperationRow>> = {',
    ...methods.map(row),
    '}',
    '',
  ].join('\n')
}

function row(method: Method): string {
  const { name, verb, path, onChain, forOperators, repeatable, rows, answer } = method
  const facts = [
    `    method: '${verb}',`,
    `    path: '${path}',`,
    ...(onChain ? ['    onChain: true,'] : []),
    ...(forOperators ? ['    forOperators: true,'] : []),
    ...(repeatable ? ['    repeatable: true,'] : []),
    ...(rows === undefined ? [] : [`    rows: '${rows}',`]),
    `    answer: ${literal(answer)},`,
  ]
  return [`  ${name}: {`, ...facts, '  },'].join('\n')
}

/** A shape as decodeAnswer reads it: see WireShape. */
function literal(shape: Shape): string {
  switch (shape.kind) {
    case 'named':
      return `['named', '${shape.name}']`
    case 'oneOf':
      return oneOf(shape.values)
    case 'nullable':
    case 'list':
    case 'record':
      return `['${shape.kind}', ${literal(shape.of)}]`
    case 'variants':
      return variants(shape)
    case 'object':
      return objectLiteral(shape.fields)
    default:
      return `'${shape.kind}'`
  }
}

/** A text is checked to be a text and no more: a newer service may have more values. */
function oneOf(values: readonly (string | number | boolean)[]): string {
  if (values.some((value) => typeof value === 'string')) return "'string'"
  return `['oneOf', ${values.join(', ')}]`
}

/** A value with a dot or a dash in it is no name of a property by itself. */
function quotedKey(value: unknown): string {
  const text = String(value)
  return /^[A-Za-z_]\w*$/.test(text) ? text : `'${text}'`
}

function variants({ by, common, variants: shapes }: VariantsShape): string {
  const tags = shapes.flatMap(({ fields }) => fields.filter(({ name }) => name === by))
  // A text is one more common field, by which decodeAnswer knows that a newer service may have more of them.
  const isText = tags.every(({ shape }) => literal(shape) === "'string'")
  const shared = isText ? [...tags.slice(0, 1), ...common] : common
  const cases = shapes.map((shape) => {
    const own = isText ? shape.fields.filter(({ name }) => name !== by) : shape.fields
    return `${quotedKey(singleValue(shape, by))}: ${objectLiteral(own)}`
  })
  return `['variants', '${by}', ${objectLiteral(shared)}, { ${cases.join(', ')} }]`
}

function objectLiteral(fields: readonly Field[]): string {
  const rows = fields.map(({ name, optional, shape }) =>
    optional ? `'${name}?': ${literal(shape)}` : `${name}: ${literal(shape)}`,
  )
  return rows.length === 0 ? '{}' : `{ ${rows.join(', ')} }`
}
