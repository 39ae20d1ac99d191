import { isIP } from 'node:net'
import { parseUrl } from '@remit/engine/schema/text'

/** Which Host names a request may use. */
interface HostRule {
  /** @param host as in a Host header: a name, with or without a port */
  allows(host: string): boolean
  /**
   * Whether a health check may use this name. Plain IP addresses are allowed too: DNS rebinding needs a name, so it
   * cannot use them.
   */
  allowsProbe(host: string): boolean
  /** Whether pages of this origin may call this host. */
  allowsOrigin(origin: string, host: string): boolean
}

/** The names of a service on this machine. A rebound DNS name is none of them. */
const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]']

const LOOPBACK_ADDRESS = /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/

/**
 * The hosts that requests may name. This stops DNS rebinding, where a page points its own name at this machine.
 * @param allowed the operator's list. An entry without a port allows every port
 * @param listenHost the address that the server listens on: on loopback only loopback names are allowed
 */
export function createHostRule(allowed: readonly string[] | undefined, listenHost: string): HostRule {
  const entries = allowed ?? (LOOPBACK_ADDRESS.test(listenHost) ? LOOPBACK_NAMES : undefined)
  if (entries === undefined) {
    return {
      allows: () => true,
      allowsProbe: () => true,
      allowsOrigin: (origin, host) => originName(origin) === parseHost(host)?.name,
    }
  }
  const names = new Set(entries.map((entry) => entry.toLowerCase()))
  function allows(host: string): boolean {
    const parsed = parseHost(host)
    if (parsed === undefined) return false
    const { name, ports } = parsed
    return names.has(name) || ports.some((port) => names.has(`${name}:${port}`))
  }
  return {
    allows,
    allowsProbe: (host) => allows(host) || isAddress(host),
    allowsOrigin(origin) {
      const name = originName(origin)
      // Its port does not matter: tools on the same machine run on other ports.
      return name !== undefined && [...names].some((entry) => parseHost(entry)?.name === name)
    },
  }
}

function isAddress(host: string): boolean {
  const name = parseHost(host)?.name.replace(/^\[(.*)\]$/, '$1')
  return name !== undefined && isIP(name) !== 0
}

/** The ports of a host without a port. The scheme is not known here, because a proxy may have changed it. */
const DEFAULT_PORTS = ['80', '443']

function parseHost(host: string): { name: string; ports: readonly string[] } | undefined {
  // Nothing but a host and a port: "a@b", "a/b" and "a?b" would parse as URLs too.
  const url = /^[^\s/?#@\\]+$/.test(host) ? parseUrl(`http://${host}`) : undefined
  if (url === undefined) return undefined
  const { hostname, port } = url
  return { name: hostname, ports: port === '' ? DEFAULT_PORTS : [port] }
}

/** The host name of an Origin header; `undefined` for "null" and for text that is no origin. */
function originName(origin: string): string | undefined {
  const host = /^https?:\/\/([^/]+)$/i.exec(origin)?.[1]
  return host === undefined ? undefined : parseHost(host)?.name
}
