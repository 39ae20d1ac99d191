import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ChainOperation } from '@remit/engine/declare/operation'
import { camelCase, type Method } from './Method.ts'
import {
  type Field,
  type NamedShape,
  type ObjectShape,
  type Shape,
  singleValue,
  type VariantsShape,
} from './Shape.ts'

// Makes the text of three files of the generated client. `operations.ts` says of every operation how it is called and how its answer is
// decoded, `nodeOperations.ts` which operations a client with a node of its own answers itself; `prepares.ts` is for the command line's help.

/** The text of operations.ts: what the client needs to know of every operation at run time. */
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

/** A value as the key of an object literal: in quotes where it is no identifier, as with a dot or a dash in it. */
function quotedKey(value: unknown): string {
  const text = String(value)
  return /^[A-Za-z_]\w*$/.test(text) ? text : `'${text}'`
}

function variants({ by, common, variants: shapes }: VariantsShape): string {
  /** The field that tells the variants apart, as each of them has it. */
  const tags = shapes.flatMap(({ fields }) => fields.filter(({ name }) => name === by))
  // A field of text is given as a common one, so that decodeAnswer takes a variant that only a newer service has.
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

const FOLDER = fileURLToPath(new URL('../../../engine/src/operations/', import.meta.url))

/** An operation that needs nothing but a chain, and where it is declared. */
export interface NodeOperation {
  readonly name: string
  /** The path of its file under engine/src/operations, without `.ts`. */
  readonly module: string
  /** The name of its export there, or of the property of one: `prepareX.byId`. */
  readonly place: string
  /** Whether an index would make its answer better. */
  readonly readsIndex: boolean
}

/** The engine's operations that a node alone can answer, in the order of their files. */
export async function readNodeOperations(): Promise<readonly NodeOperation[]> {
  const files = (await readdir(FOLDER, { recursive: true }))
    .filter((name) => /^[\w/]+\.ts$/.test(name))
    .sort()
  const found = await Promise.all(
    files.map(async (file) => {
      const module: object = await import(join(FOLDER, file))
      return Object.entries(module)
        .flatMap(([name, value]) => declaredIn(name, value))
        .map((declared) => ({ ...declared, module: file.slice(0, -'.ts'.length) }))
    }),
  )
  return found.flat()
}

/** The operation that an export is, or those that it has as properties: some have two forms. Empty for what needs an index. */
function declaredIn(place: string, value: unknown): Omit<NodeOperation, 'module'>[] {
  if (typeof value !== 'object' || value === null) return []
  if (!isOperation(value)) {
    return Object.entries(value).flatMap(([name, inner]) =>
      isOperation(inner) ? declaredIn(`${place}.${name}`, inner) : [],
    )
  }
  const { declaration, name } = value
  const reads = declaration.kind === 'chain' ? declaration : undefined
  if (reads?.query !== undefined && reads.withoutIndex === undefined) return []
  const readsIndex = reads?.query !== undefined || reads?.fromIndex !== undefined
  return [{ name: camelCase(name), place, readsIndex }]
}

function isOperation(value: unknown): value is ChainOperation {
  return typeof value === 'object' && value !== null && 'declaration' in value && 'onChain' in value
}

/** The text of nodeOperations.ts. There, each operation's module is loaded when it is first called. */
export function emitNodeOperations(operations: readonly NodeOperation[]): string {
  return [
    "import type { ChainOperation } from '@remit/engine/declare/operation'",
    '',
    '/** An operation that a node alone can answer. */',
    'export interface NodeOperation {',
    '  /** Whether an index would know more: a service that has one is asked instead, where there is one. */',
    '  readonly readsIndex?: true',
    '  readonly load: () => Promise<ChainOperation>',
    '}',
    '',
    'export const nodeOperations: Readonly<Record<string, NodeOperation>> = {',
    ...operations.map(
      ({ name, module, place, readsIndex }) =>
        `  ${name}: { ${readsIndex ? 'readsIndex: true, ' : ''}load: async () => ` +
        `(await import('@remit/engine/operations/${module}')).${place} },`,
    ),
    '}',
    '',
  ].join('\n')
}

const PREFIX = '/prepare/'

/** The text of prepares.ts: the fields of each prepare, for the command line's help. */
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

/** All fields but objects, with the paths of those inside objects. A required field of an optional object is marked as required. */
function leavesOf({ fields }: ObjectShape, parent = ''): { path: string; required: boolean; doc?: string }[] {
  return fields
    .filter(({ name }) => name !== 'chainId')
    .flatMap(({ name, optional, doc, shape }) => {
      const path = parent + name
      if (shape.kind === 'object') return leavesOf(shape, `${path}.`)
      return [{ path, required: !optional, ...(doc === undefined ? {} : { doc }) }]
    })
}
