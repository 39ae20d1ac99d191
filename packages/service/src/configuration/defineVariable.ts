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

export type Group = (typeof GROUPS)[number]

interface VariableDeclaration<T> {
  /** A name with `<id>` stands for one variable per chain. */
  readonly name: string
  /** What it decides, in Markdown. The first sentence stands alone in `.env.example`. */
  readonly description: string
  /** Parses its text. The description of the schema says which values it takes. */
  readonly schema: z.ZodType<T, string>
  /** The default, as an operator would write it. */
  readonly default?: string
  /** Whether it is secret: all of it, or parts, such as the password of a URL. */
  readonly secret?: 'all' | 'parts'
}

/** One variable of the environment, as `reader.ts` reads it and `documentVariables.ts` documents it. */
export interface Variable<T = unknown> extends VariableDeclaration<T> {
  readonly group: Group
  /** The parsed default; `undefined` where there is none. */
  readonly fallback: T
}

/** Makes the function that declares variables of one group. Without a default, a variable may be `undefined`. */
export function variablesOf(group: Group) {
  function define<T>(declaration: VariableDeclaration<T> & { readonly default: string }): Variable<T>
  function define<T>(
    declaration: VariableDeclaration<T> & { readonly default?: never },
  ): Variable<T | undefined>
  function define<T>(declaration: VariableDeclaration<T>): Variable<T | undefined> {
    const { schema, default: text } = declaration
    return { ...declaration, group, schema, fallback: text === undefined ? undefined : schema.parse(text) }
  }
  return define
}
