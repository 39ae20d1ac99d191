import type { Config } from './configuration/loadConfig.ts'

/** Shorter ones would be found in half of all words. */
const LEAST_LENGTH = 6
/** Of a part of an RPC URL, from which on it is more likely a key than a word. */
const LEAST_KEY_LENGTH = 12

/** What of a configuration nobody but its operator may ever read: the log leaves it out, whoever brings it there. */
export function secretsOf(config: Config): string[] {
  const rpcUrls = config.chains.flatMap(({ rpcUrls, subgraphUrl }) => [...rpcUrls, subgraphUrl])
  const found = [
    config.basicAuth?.password,
    config.developerKeysAdminSecret,
    config.subgraphApiKey,
    config.logIdentityKey,
    ...[...rpcUrls, config.databaseUrl, config.redisUrl].flatMap(passwordOf),
    ...rpcUrls.flatMap(keysOf),
  ]
  const known = found.filter((secret) => secret !== undefined)
  return [...new Set(known)].filter(({ length }) => length >= LEAST_LENGTH)
}

function passwordOf(url: string | undefined): string[] {
  const password = parse(url)?.password
  return password === undefined ? [] : [password, decode(password)]
}

/** Providers put their keys into the path or the query. */
function keysOf(url: string | undefined): string[] {
  const parsed = parse(url)
  if (parsed === undefined) return []
  const parts = [...parsed.pathname.split('/'), ...parsed.searchParams.values()]
  return parts.filter((part) => part.length >= LEAST_KEY_LENGTH)
}

function parse(url: string | undefined): URL | undefined {
  return url !== undefined && URL.canParse(url) ? new URL(url) : undefined
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
