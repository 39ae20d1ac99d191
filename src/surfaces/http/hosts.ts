import { isIP } from 'node:net'

/** Which names a request may call this service by. */
export interface HostRule {
  /** @param host as in a Host header: a name, with or without a port */
  allows(host: string): boolean
  /**
   * Whether a load balancer may ask for the service's health by this name: also by the plain address of this
   * process, which no page in a browser can have been led to by a name of its own.
   */
  allowsProbe(host: string): boolean
  /** Whether pages of this origin may call what answers as `host`. */
  allowsOrigin(origin: string, host: string): boolean
}

/** What a browser can call a service on this machine by: a rebound DNS name is none of them. */
const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]']

const LOOPBACK_ADDRESS = /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/

/**
 * The hosts that requests may name.
 * @param allowed what the operator says; an entry without a port allows every port
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
      // Its port does not matter: a tool on the same machine is served from another one.
      return name !== undefined && [...names].some((entry) => parseHost(entry)?.name === name)
    },
  }
}

function isAddress(host: string): boolean {
  const name = parseHost(host)?.name.replace(/^\[(.*)\]$/, '$1')
  return name !== undefined && isIP(name) !== 0
}

/** A host without a port is on the port of its scheme, which a proxy may have changed. */
const DEFAULT_PORTS = ['80', '443']

function parseHost(host: string): { name: string; ports: readonly string[] } | undefined {
  // Nothing but a host and a port: "a@b", "a/b" and "a?b" would parse as URLs too.
  if (!/^[^\s/?#@\\]+$/.test(host) || !URL.canParse(`http://${host}`)) return undefined
  const { hostname, port } = new URL(`http://${host}`)
  return { name: hostname, ports: port === '' ? DEFAULT_PORTS : [port] }
}

/** The host name of an Origin header, or `undefined` for "null" and for what is no origin. */
function originName(origin: string): string | undefined {
  const host = /^https?:\/\/([^/]+)$/i.exec(origin)?.[1]
  return host === undefined ? undefined : parseHost(host)?.name
}
