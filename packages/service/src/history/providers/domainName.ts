import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'

/** The label below a domain at which its provider proves that it is theirs, as the protocol's first site has it. */
const PROOF_LABEL = 'ct'
/** Of a name in DNS. */
const MOST_CHARACTERS = 253

/**
 * Last labels of names that belong to a machine, a network or another system of names. Anybody can publish a profile, and
 * nobody's profile may have the operator's resolver asked for names of the operator's own network.
 */
const NOT_PUBLIC = new Set([
  ...['alt', 'arpa', 'invalid', 'local', 'localhost', 'onion', 'test'],
  ...['corp', 'home', 'internal', 'intranet', 'lan', 'localdomain', 'mail', 'private'],
])

/**
 * The domain that a profile states, as DNS has it: lower case, and letters of other scripts as `xn--`. So it is shown too:
 * what looks like another domain cannot pass for it. `undefined` for all that is no public domain name.
 */
export function domainName(stated: string): string | undefined {
  const text = stated.trim()
  if (text.length > MOST_CHARACTERS || /[\s/?#@\\:%*[\]]/.test(text)) return undefined
  const name = domainToASCII(text.replace(/\.$/, '')).toLowerCase()
  const labels = name.split('.')
  const last = labels.at(-1) ?? ''
  const isDomain =
    labels.length > 1 &&
    labels.every((label) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(label)) &&
    // No top-level domain is a number, and what ends in one is an address to some programs.
    /^([a-z]{2,}|xn--[a-z0-9-]+)$/.test(last) &&
    !NOT_PUBLIC.has(last) &&
    isIP(name) === 0
  return isDomain && proofName(name).length <= MOST_CHARACTERS ? name : undefined
}

/** Where the TXT record of a domain's proof stands. */
export function proofName(domain: string): string {
  return `${PROOF_LABEL}.${domain}`
}
