import * as z from 'zod'

/** The environment says something that cannot be meant; the sentence names the variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

export type Environment = Readonly<Record<string, string | undefined>>

export type Reader = {
  <T>(name: string, schema: z.ZodType<T>, fallback: T): T
  <T>(name: string, schema: z.ZodType<T>, fallback: T | undefined): T | undefined
}

/** Reads single variables. What does not fit throws ConfigError, naming the variable. */
export function reader(environment: Environment): Reader {
  return <T>(name: string, schema: z.ZodType<T>, fallback: T) => {
    const value = environment[name]
    if (value === undefined || isUnset(value)) return fallback
    const parsed = schema.safeParse(value.trim())
    if (!parsed.success) {
      // The value itself stays out of the sentence: it may hold a key.
      throw new ConfigError(`${name} ${sentenceOf(parsed.error)}.`)
    }
    return parsed.data
  }
}

/** An empty variable is as good as none: that is how compose files and shells leave one out. */
export function isUnset(value: string | undefined): boolean {
  return value === undefined || value.trim() === ''
}

export function sentenceOf(error: z.core.$ZodError): string {
  const [issue] = error.issues
  const path = issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')} `
  return `${path}${issue?.message ?? 'is not valid'}`
}

export function integer(least: number, most: number) {
  return z
    .string()
    .regex(/^\d{1,16}$/, `must be a whole number from ${least} to ${most}`)
    .transform(Number)
    .refine((value) => value >= least && value <= most, `must be a whole number from ${least} to ${most}`)
}

export function list<T>(element: z.ZodType<T, string>) {
  return z
    .string()
    .transform((text) =>
      text
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    )
    .pipe(z.array(element))
}

export const boolean = z
  .enum(['true', 'false', '1', '0'], 'must be true or false')
  .transform((text) => text === 'true' || text === '1')

export const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' })
