import type { Config } from './configuration/loadConfig.ts'
import { parseUrl } from './schema/parseUrl.ts'

/** Shorter secrets would match parts of ordinary words. */
const LEAST_LENGTH = 6
/** A part of an RPC URL with at least this length is probably a key. */
const LEAST_KEY_LENGTH = 12

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
    ...[...rpcUrls, config.databaseUrl, config.redisUrl].flatMap(passwordOf),
    ...rpcUrls.flatMap(keysOf),
  ]
  const known = found.filter((secret) => secret !== undefined)
  return [...new Set(known)].filter(({ length }) => length >= LEAST_LENGTH)
}

function passwordOf(url: string | undefined): string[] {
  const password = parseUrl(url ?? '')?.password
  return password === undefined ? [] : [password, decode(password)]
}

/** Providers put their keys into the path or the query. */
function keysOf(url: string | undefined): string[] {
  const parsed = parseUrl(url ?? '')
  if (parsed === undefined) return []
  const parts = [...parsed.pathname.split('/'), ...parsed.searchParams.values()]
  return parts.filter((part) => part.length >= LEAST_KEY_LENGTH)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
