import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import * as z from 'zod'

const Service = z.looseObject({
  image: z.string(),
  build: z.string().optional(),
  command: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.string()).default({}),
  env_file: z.string().optional(),
  container_name: z.never().optional(),
  healthcheck: z
    .union([z.object({ disable: z.literal(true) }), z.looseObject({ test: z.array(z.string()).min(2) })])
    .optional(),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
  ports: z.array(z.string()).default([]),
  networks: z.array(z.string()),
  volumes: z.array(z.string()).default([]),
})

export type ComposeService = z.output<typeof Service>

const Compose = z.looseObject({
  services: z.record(z.string(), Service),
  networks: z.record(z.string(), z.object({ internal: z.boolean().default(false) }).nullable()),
  volumes: z.record(z.string(), z.null()),
})

export interface ComposeFile {
  /** As it is written, with merges made. */
  readonly document: unknown
  service(name: string): ComposeService
  readonly services: Readonly<Record<string, ComposeService>>
  readonly networks: z.output<typeof Compose>['networks']
  readonly volumes: readonly string[]
}

/**
 * Reads a compose file, with the variables that it names taken from `environment` as compose takes them from
 * `.env`. Throws for a part that these tests do not know, and for a variable that is needed and not set.
 */
export function readCompose(path: string, environment: Readonly<Record<string, string>>): ComposeFile {
  const document: unknown = parse(interpolate(readFileSync(path, 'utf8'), environment), { merge: true })
  const { services, networks, volumes } = Compose.parse(document)
  return {
    document,
    services,
    networks,
    volumes: Object.keys(volumes),
    service(name) {
      const found = services[name]
      if (found === undefined) throw new Error(`There is no service ${name}.`)
      return found
    },
  }
}

/** `${NAME:-default}`, `${NAME:?why}` and `$$` for a dollar, the forms that are used. */
export function interpolate(text: string, environment: Readonly<Record<string, string>>): string {
  return text.replace(
    /\$\$|\$\{(\w+)(?::([-?])([^}]*))?\}/g,
    (written, name = '', kind?: string, rest = '') => {
      if (written === '$$') return '$'
      const value = environment[name]
      if (value) return value
      if (kind === '-') return rest
      throw new Error(kind === '?' ? `${name}: ${rest}` : `Not known here: ${written}`)
    },
  )
}

/** The lines of an environment file, as compose reads those without quotes. */
export function readEnvironmentFile(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'))
  return Object.fromEntries(
    lines.map((line) => {
      const match = /^([A-Z][A-Z0-9_]*)=([^'"\s]*)$/.exec(line)
      if (match === null) throw new Error(`Not a line of an environment file: ${line}`)
      return [match[1], match[2]]
    }),
  )
}
