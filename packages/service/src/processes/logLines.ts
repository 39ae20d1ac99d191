import { LEAST_SECRET_LENGTH, nodeSecretsOf, passwordOf } from '@remit/engine/network/urlSecrets'
import type { Log, LogFields } from '@remit/engine/ports/log'
import type { Config } from '../configuration/loadConfig.ts'

/** Any API key of a caller. */
const API_KEY = 'svc_[A-Za-z0-9_-]{20,}'

/** The numbers of levels, as pino has them. */
const LEVELS: ReadonlyMap<string, number> = new Map([
  ['trace', 10],
  ['debug', 20],
  ['info', 30],
  ['warn', 40],
  ['error', 50],
  ['fatal', 60],
])

/** One line of the log, before it is text. */
export interface Line {
  readonly level: number
  /** Milliseconds of unix time. */
  readonly at: number
  readonly message: string
  readonly facts: LogFields | undefined
}

/** A log that hands on lines from this level up; `silent` hands on none. */
export function linesFrom(level: string, add: (line: Line) => void): Log {
  const least = LEVELS.get(level) ?? Number.POSITIVE_INFINITY
  /** The method of the log for one level. */
  function sayer(name: keyof Log): Log[typeof name] {
    const number = LEVELS.get(name) ?? 0
    if (number < least) return () => {}
    return (message, facts) => add({ level: number, at: Date.now(), message, facts })
  }
  return { info: sayer('info'), warn: sayer('warn'), error: sayer('error') }
}

/** Writes lines as JSON, each with a line break at its end, without any secret. */
export function lineWriter(secrets: readonly string[]): (lines: readonly Line[]) => string {
  const secret = new RegExp([...secrets.map(inJson).map(literally), API_KEY].join('|'), 'g')
  return (lines) => textOf(lines).replace(secret, '…')
}

/** Lines as pino makes them. Its own way to make one, for facts that may be anything, takes three times as long. */
function textOf(lines: readonly Line[]): string {
  let text = ''
  let last: number | undefined
  let time = ''
  for (const { level, at, message, facts } of lines) {
    // The text of a time takes longer to make than the rest of many a line, so lines of the same millisecond share it.
    if (at !== last) time = new Date(at).toISOString()
    last = at
    const said = facts === undefined ? '' : JSON.stringify(facts).slice(1, -1)
    text += `{"level":${level},"time":"${time}",${said}${said && ','}"msg":${JSON.stringify(message)}}\n`
  }
  return text
}

/** The text as JSON escapes it. */
function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** A pattern that matches this text alone. */
function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

/** The secrets of a configuration. The log removes them from every line. */
export function secretsOf(config: Config): string[] {
  const rpcUrls = config.chains.flatMap(({ rpcUrls, headUrls, subgraphUrl }) => [
    ...rpcUrls,
    ...headUrls,
    subgraphUrl,
  ])
  const found = [
    config.basicAuth?.password,
    config.developerKeysAdminSecret,
    config.subgraphApiKey,
    config.logIdentityKey,
    ...(config.secretsKeys ?? []),
    ...[config.databaseUrl, config.redisUrl].flatMap(passwordOf),
    ...rpcUrls.flatMap((url) => nodeSecretsOf(url)),
  ]
  const known = found.filter((secret) => secret !== undefined)
  return [...new Set(known)].filter(({ length }) => length >= LEAST_SECRET_LENGTH)
}
