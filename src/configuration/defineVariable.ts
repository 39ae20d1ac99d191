import type * as z from 'zod'

/** The groups of variables, in the order of the documentation. */
export const GROUPS = [
  'Chains',
  'Store and index',
  'Listening',
  'Callers and keys',
  'Webhooks',
  'Limits',
  'Log and metrics',
  'Connections',
  'Development',
  'Compose',
] as const

interface VariableDeclaration<T> {
  /** A name with `<id>` stands for one variable per chain. */
  readonly name: string
  readonly group: (typeof GROUPS)[number]
  /** What it decides, in Markdown. The first sentence stands alone in `.env.example`. */
  readonly description: string
  /** Parses its text. The description of the schema says which values it takes. */
  readonly schema: z.ZodType<T, string>
  /** The default, as an operator would write it. */
  readonly default?: string
  /** Whether it is secret: all of it, or parts, such as the password of a URL. */
  readonly secret?: 'all' | 'parts'
}

/** One variable of the environment. */
export interface Variable<T = unknown> extends VariableDeclaration<T> {
  /** The parsed default; `undefined` where there is none. */
  readonly fallback: T
}

export function defineVariable<T>(
  declaration: VariableDeclaration<T> & { readonly default: string },
): Variable<T>
export function defineVariable<T>(
  declaration: VariableDeclaration<T> & { readonly default?: never },
): Variable<T | undefined>
export function defineVariable<T>(declaration: VariableDeclaration<T>): Variable<T | undefined> {
  const { schema, default: text } = declaration
  return { ...declaration, schema, fallback: text === undefined ? undefined : schema.parse(text) }
}
