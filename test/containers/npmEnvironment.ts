import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** How this machine reaches the network: proxies, and whom it trusts. */
const NETWORK = /^(https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR)$/i

/**
 * An environment in which npm asks whom it asks on this machine, as somebody else and with a home of their own.
 * @param home a folder to write to
 */
export async function npmEnvironment(home: string): Promise<Record<string, string>> {
  const network = Object.entries(process.env).filter(([name]) => NETWORK.test(name))
  const [registry, cafile, cache] = await Promise.all(['registry', 'cafile', 'cache'].map(npmConfig))
  return {
    PATH: process.env.PATH ?? '',
    HOME: home,
    ...Object.fromEntries(network.map(([name, value]) => [name, value ?? ''])),
    ...(registry && { npm_config_registry: registry }),
    ...(cafile && { npm_config_cafile: cafile }),
    // Root's cache is root's alone.
    ...(cache && process.getuid?.() !== 0 && { npm_config_cache: cache }),
    npm_config_prefer_offline: 'true',
    npm_config_update_notifier: 'false',
  }
}

async function npmConfig(name: string): Promise<string | undefined> {
  const { stdout } = await run('npm', ['config', 'get', name])
  const value = stdout.trim()
  return value === 'null' || value === 'undefined' || value === '' ? undefined : value
}
