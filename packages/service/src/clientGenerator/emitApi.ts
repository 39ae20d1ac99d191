import type { Method } from './Method.ts'
import type { Field, NamedShape, ObjectShape, Shape, VariantsShape } from './Shape.ts'

// Prints the file `api.ts` of the generated client. See `Shape.ts` for where shapes come from.

/** Whether a type is for what is sent (exact, `readonly`) or for what is answered (open for values of a newer service). */
type Side = 'input' | 'answer'

/** The TypeScript type of each shape that has no parts. */
const TYPES = {
  string: 'string',
  number: 'number',
  boolean: 'boolean',
  scalar: 'string | number | boolean',
  json: 'unknown',
  decimal: 'bigint',
  hexQuantity: 'bigint',
  time: 'Date',
  address: 'Address',
  hex: 'Hex',
} as const

/** Types that need no parentheses before `[]`. */
const SIMPLE: ReadonlySet<Shape['kind']> = new Set([
  'object',
  'named',
  'list',
  'string',
  'number',
  'boolean',
  'address',
  'hex',
])

/** The text of api.ts: the types of every operation, as programs see them. */
export function emitApi(methods: readonly Method[], named: ReadonlyMap<string, NamedShape>): string {
  const types = [...named].map(([name, { doc, shape }]) => declare(name, doc, shape, 'answer'))
  const operations = methods.flatMap(({ typeName, name, input, answer }) => [
    declare(`${typeName}Input`, `What \`${name}\` takes.`, input, 'input'),
    declare(`${typeName}Answer`, `What \`${name}\` answers.`, answer, 'answer'),
  ])
  return [
    "import type { Address, Hex } from 'viem'",
    "import type { CallOptions, EachOptions } from '../call/CallOptions.ts'",
    '',
    '/** A known value, or one that only a newer service has. */',
    'export type Open<Known extends string> = Known | (string & Record<never, never>)',
    '',
    ...types,
    ...operations,
    '/** Every operation of the service. */',
    'export interface Api {',
    ...methods.map(member),
    '}',
    '',
    '/** Every operation that pages, row by row. */',
    'export interface Each {',
    ...methods.flatMap(iterator),
    '}',
    '',
  ].join('\n')
}

/** The declaration of one exported type: an interface for an object, else a type alias. */
function declare(name: string, doc: string | undefined, shape: Shape, side: Side): string {
  const comment = comments(doc, '')
  if (shape.kind !== 'object') return `${comment}export type ${name} = ${typeOf(shape, side, '')}\n`
  if (shape.fields.length === 0 && !shape.open)
    return `${comment}export type ${name} = Record<string, never>\n`
  return `${comment}export interface ${name} ${typeOf(shape, side, '')}\n`
}

/** The method of one operation, as a member of `Api`. */
function member({ name, typeName, summary, description, verb, path, input }: Method): string {
  const text = `${summary}.${description === undefined ? '' : `\n\n${description}`}\n\n\`${verb} ${path}\``
  const question = input.fields.every(({ optional }) => optional) ? '?' : ''
  return (
    `${comments(text, '  ')}  ${name}(input${question}: ${typeName}Input, options?: CallOptions): ` +
    `Promise<${typeName}Answer>`
  )
}

/** The method of one operation that pages, as a member of `Each`; empty for an operation without pages. */
function iterator({ name, typeName, rows, input }: Method): string[] {
  if (rows === undefined) return []
  const question = input.fields.every(({ optional }) => optional) ? '?' : ''
  return [
    `${comments(`Every row of {@link Api.${name}}; \`first\` is the size of a page.`, '  ')}  ${name}(`,
    `    input${question}: Omit<${typeName}Input, 'after' | 'skip'>,`,
    `    options?: EachOptions<${typeName}Answer>,`,
    `  ): AsyncGenerator<${typeName}Answer['${rows}'][number], void, undefined>`,
  ]
}

function typeOf(shape: Shape, side: Side, indent: string): string {
  switch (shape.kind) {
    case 'named':
      return shape.name
    case 'oneOf':
      return union(shape.values, side)
    case 'nullable':
      return `${typeOf(shape.of, side, indent)} | null`
    case 'list': {
      const of = typeOf(shape.of, side, indent)
      const list = SIMPLE.has(shape.of.kind) ? `${of}[]` : `(${of})[]`
      return side === 'input' ? `readonly ${list}` : list
    }
    case 'record':
      return `Record<string, ${typeOf(shape.of, side, indent)}>`
    case 'variants':
      return variants(shape, side, indent)
    case 'object':
      return objectType(shape, side, indent)
    default:
      return TYPES[shape.kind]
  }
}

/** Numbers and booleans are exact. A text in an answer may be one that only a newer service has. */
function union(values: readonly (string | number | boolean)[], side: Side): string {
  const texts = values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value)))
  const known = texts.join(' | ')
  return side === 'answer' && values.some((value) => typeof value === 'string') ? `Open<${known}>` : known
}

function variants({ by, common, variants: own }: VariantsShape, side: Side, indent: string): string {
  const shared = objectType({ kind: 'object', fields: common, open: false }, side, indent)
  return `${shared} & (${own.map((shape) => objectType(shape, side, indent, by)).join(' | ')})`
}

/** @param by a field whose value is exact also in answers: comparing it narrows the type to its variant */
function objectType({ fields, open }: ObjectShape, side: Side, indent: string, by?: string): string {
  if (fields.length === 0 && !open) return 'Record<string, never>'
  const inner = `${indent}  `
  const lines = fields.map((field) => {
    const type = property(field, field.name === by ? 'input' : side, inner)
    return `${comments(field.doc, inner)}${inner}${type}`
  })
  const rest = open ? [`${inner}[fact: string]: unknown`] : []
  return `{\n${[...lines, ...rest].join('\n')}\n${indent}}`
}

function property({ name, optional, shape }: Field, side: Side, indent: string): string {
  const type = typeOf(shape, side, indent)
  if (!optional) return `${name}: ${type}`
  // A field that the caller sets to undefined is not sent. An answer never contains undefined.
  return side === 'input' ? `${name}?: ${type} | undefined` : `${name}?: ${type}`
}

/** A doc comment, or nothing. */
function comments(text: string | undefined, indent: string): string {
  if (text === undefined) return ''
  const lines = text.replaceAll('*/', '* /').split('\n').flatMap(wrap)
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`
  const body = lines.map((line) => `${indent} *${line === '' ? '' : ` ${line}`}\n`).join('')
  return `${indent}/**\n${body}${indent} */\n`
}

/** The most characters of a line of a comment, without its indent. */
const WIDTH = 100

function wrap(text: string): string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line !== '' && line.length + word.length >= WIDTH) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines
}
