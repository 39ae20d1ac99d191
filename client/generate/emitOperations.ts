import type { Method } from './Method.ts'
import { type NamedShape, type ObjectShape, type Shape, singleValue } from './Shape.ts'

/** What the client needs to know of every operation while it runs. */
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

/** A shape as the interpreter of answers reads it: see WireShape. */
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
      return variants(shape.by, shape.variants)
    case 'object':
      return objectLiteral(shape)
    default:
      return `'${shape.kind}'`
  }
}

/** Of texts only that they are texts is checked: a newer service may have more of them. */
function oneOf(values: readonly (string | number | boolean)[]): string {
  if (values.some((value) => typeof value === 'string')) return "'string'"
  return `['oneOf', ${values.join(', ')}]`
}

function variants(by: string, shapes: readonly ObjectShape[]): string {
  const cases = shapes.map((shape) => `${singleValue(shape, by)}: ${objectLiteral(shape)}`)
  return `['variants', '${by}', { ${cases.join(', ')} }]`
}

function objectLiteral({ fields }: ObjectShape): string {
  const rows = fields.map(({ name, optional, shape }) =>
    optional ? `'${name}?': ${literal(shape)}` : `${name}: ${literal(shape)}`,
  )
  return rows.length === 0 ? '{}' : `{ ${rows.join(', ')} }`
}
