import type * as z from 'zod'
import { ConfigError, Problems } from './ConfigError.ts'
import type { Variable } from './defineVariable.ts'

export type Environment = Readonly<Record<string, string | undefined>>

type Variables = Readonly<Record<string, Variable>>

/** The values of some variables, by the names that the program has for them. */
export type Values<V extends Variables> = {
  readonly [Name in keyof V]: V[Name] extends Variable<infer T> ? T : never
}

export interface Reader {
  one<T>(variable: Variable<T>): T
  all<V extends Variables>(variables: V): Values<V>
}

/** Reads declared variables. What does not fit throws ConfigError, naming every variable that does not. */
export function reader(environment: Environment): Reader {
  function one<T>({ name, schema, fallback }: Variable<T>): T {
    const text = environment[name]
    if (text === undefined || isUnset(text)) return fallback
    const parsed = schema.safeParse(text.trim())
    // The value itself stays out of the sentence: it may hold a key.
    if (!parsed.success) throw new ConfigError(`${name} ${sentenceOf(parsed.error)}.`)
    return parsed.data
  }
  return {
    one,
    all<V extends Variables>(variables: V) {
      const problems = new Problems()
      const values = Object.entries(variables).map(([key, variable]) => [
        key,
        problems.of(() => one(variable)),
      ])
      problems.throwIfAny()
      // Safe: under each key stands what the schema of that key's own variable gave.
      return Object.fromEntries(values) as Values<V>
    },
  }
}

/** An empty variable is as good as none: that is how compose files and shells leave one out. */
export function isUnset(value: string | undefined): boolean {
  return value === undefined || value.trim() === ''
}

/** The first thing that is wrong, with its place in the value; follows the variable's name. */
export function sentenceOf(error: z.core.$ZodError): string {
  const [issue] = error.issues
  const path = issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')} `
  return `${path}${issue?.message ?? 'is not valid'}`
}
