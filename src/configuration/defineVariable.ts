import type * as z from 'zod'

/** What a variable is about; the table has a part for each, in this order. */
export const GROUPS = [
  'Chains',
  'Store and index',
  'Listening',
  'Callers and keys',
  'Limits',
  'Log and metrics',
  'Connections',
  'Development',
  'Compose',
] as const

export interface VariableDeclaration<T> {
  /** With `<id>` in it, there is one for every chain. */
  readonly name: string
  readonly group: (typeof GROUPS)[number]
  /** What it decides: one or two sentences in Markdown. */
  readonly description: string
  /** Reads its text; its own description says in a few words what it takes. */
  readonly schema: z.ZodType<T, string>
  /** Where it is not set, as an operator would write it. */
  readonly default?: string
  /** Whether nobody but the operator may read it: all of it, or parts such as the password of a URL. */
  readonly secret?: 'all' | 'parts'
}

/** One variable of the environment, and all that is known of it. */
export interface Variable<T = unknown> extends VariableDeclaration<T> {
  /** What counts where it is not set; `undefined` where it has no default. */
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
