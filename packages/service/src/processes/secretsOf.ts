import { LEAST_SECRET_LENGTH, nodeSecretsOf, passwordOf } from '@remit/engine/network/urlSecrets'
import type { Config } from '../configuration/loadConfig.ts'

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
