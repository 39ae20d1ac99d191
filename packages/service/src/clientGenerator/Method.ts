import { chainParameters } from '@remit/engine/declare/codec'
import * as z from 'zod'
import type { Operation } from '../calls/serviceOperation.ts'
import { type Field, type NamedShape, type ObjectShape, readShape, type Shape } from './Shape.ts'

/** One operation as a method of the client. */
export interface Method {
  /** The method's name, in camelCase. */
  readonly name: string
  /** What the names of its types begin with, in PascalCase. */
  readonly typeName: string
  readonly summary: string
  readonly description: string | undefined
  readonly verb: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly onChain: boolean
  /** Whether it needs the admin secret. */
  readonly forOperators: boolean
  /** Whether a second call changes nothing more. */
  readonly repeatable: boolean
  /** What it takes, with the fields that every call on a chain takes. */
  readonly input: ObjectShape
  readonly answer: ObjectShape
  /** The field of the answer that is a page of rows. */
  readonly rows: string | undefined
}

/**
 * The methods of the client: one for each operation with a route, because the client speaks REST. `named` has the shapes that several
 * of them share, by their names.
 */
export function readMethods(operations: readonly Operation[]): {
  methods: readonly Method[]
  named: ReadonlyMap<string, NamedShape>
} {
  const named = new Map<string, NamedShape>()
  const methods = operations.flatMap((operation) => {
    const method = readMethod(operation, named)
    return method === undefined ? [] : [method]
  })
  // What webhooks are sent has shared shapes too. A shape is collected only as a part of another one, so an object is made of them.
  const posts = operations.flatMap((operation) => Object.entries(operation.posts))
  readShape(z.object(Object.fromEntries(posts.map(([type, { schema }]) => [type, schema]))), named)
  return { methods, named: new Map([...named].sort(([a], [b]) => (a < b ? -1 : 1))) }
}

function readMethod(operation: Operation, named: Map<string, NamedShape>): Method | undefined {
  const { rest, effect, onChain } = operation
  if (rest === null) return undefined
  const own = readObject(operation.input, named, operation.name)
  requireSendable(own, operation.name)
  const answer = readObject(operation.answer, named, operation.name)
  const { method: verb, path } = rest
  return {
    name: camelCase(operation.name),
    typeName: pascalCase(operation.name),
    summary: operation.summary,
    description: operation.description,
    verb,
    path,
    onChain,
    forOperators: operation.audience === 'operators',
    // A second DELETE changes nothing, because nothing is left to delete.
    repeatable: effect !== 'manage' || verb !== 'POST',
    input: { ...own, fields: [...own.fields, ...(onChain ? chainFields(named) : [])] },
    answer,
    // A cursor is a text. Where `after` is a number, the list is the log of events, which has no last page.
    rows: own.fields.some(({ name, shape }) => name === 'after' && shape.kind !== 'number')
      ? rowsOf(answer, operation.name)
      : undefined,
  }
}

function chainFields(named: Map<string, NamedShape>): Field[] {
  const { minBlock } = readFields(z.object(chainParameters), named)
  const chainId: Field = {
    name: 'chainId',
    optional: true,
    doc: 'Chain to use. Default: the client’s chainId, else the service’s default chain.',
    shape: { kind: 'number' },
  }
  return minBlock === undefined ? [chainId] : [chainId, minBlock]
}

function readFields(schema: z.ZodObject, named: Map<string, NamedShape>): Record<string, Field> {
  return Object.fromEntries(readObject(schema, named, 'chain').fields.map((field) => [field.name, field]))
}

function readObject(schema: z.ZodType, named: Map<string, NamedShape>, name: string): ObjectShape {
  const shape = readShape(schema, named)
  // A schema that declares no fields and allows any is a record, and no object.
  if (shape.kind !== 'object') throw new Error(`${name} must take and answer objects`)
  return shape
}

/** Throws for a hex quantity: the client writes every bigint as a decimal text. */
function requireSendable(shape: Shape, at: string): void {
  if (shape.kind === 'hexQuantity') throw new Error(`${at} is a hex quantity, which the client cannot send`)
  if (shape.kind === 'object') {
    for (const field of shape.fields) requireSendable(field.shape, `${at}.${field.name}`)
  }
  if ('of' in shape) requireSendable(shape.of, at)
}

/** The rows of a page are the only list of its answer, apart from the warnings. A page of several lists has none. */
function rowsOf({ fields }: ObjectShape, name: string): Method['rows'] {
  const lists = fields.flatMap(({ name: field, shape }) =>
    shape.kind === 'list' && field !== 'warnings' ? [field] : [],
  )
  if (lists.length === 0 || !fields.some((field) => field.name === 'nextCursor')) {
    throw new Error(`${name} is paged, so its answer needs nextCursor and a list of rows`)
  }
  return lists.length === 1 ? lists[0] : undefined
}

export function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}

function pascalCase(name: string): string {
  const camel = camelCase(name)
  return camel.slice(0, 1).toUpperCase() + camel.slice(1)
}
