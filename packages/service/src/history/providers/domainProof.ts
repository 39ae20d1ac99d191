import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { isSignedByKey } from '@remit/engine/block/signatures'
import type { DomainOutcome } from '@remit/engine/ports/providerChecks'
import { type Address, getAddress, type Hex, hashMessage } from 'viem'

// How a provider proves that the domain in its profile is its own: a TXT record at `ct.<domain>` holds a signature by the provider.
// Here is what counts as a domain, as such a proof, and what two resolvers say together. `ProviderLookups` asks the resolvers.

/** The label below a domain at which the record stands, as the protocol's first site has it. */
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
 * The domain that a profile states, as DNS has it: lower case, and letters of other scripts as `xn--`. It is shown in this form too,
 * so that a domain of look-alike letters cannot pass for another. `undefined` for all that is no public domain name.
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

/** What one resolver’s records say of a provider. */
type Proof = Extract<DomainOutcome, 'SIGNED' | 'OTHER_SIGNATURE' | 'NO_RECORD'>

/** Whoever owns a domain can publish any number of records. */
const MOST_SIGNATURES = 16
/** Signatures about which a contract is asked: each takes two requests to a node, one for each text that it may be of. */
const MOST_ASKED = 2
/** A key’s signature has 65 bytes, or 64 by EIP-2098. A contract’s may have more. */
const SIGNATURE_BYTES = { least: 64, most: 2_048 }

/** The texts of which a signature proves a domain. The first one is that of the protocol’s first site, for any domain. */
function provingTexts(domain: string, provider: Address): readonly string[] {
  return ['clocktower', `${domain} belongs to ${getAddress(provider)}`]
}

/**
 * Whether the TXT records of a domain name a provider: by the signature of its key, which recovers to its address alone.
 *
 * A contract confirms whatever it likes, another provider’s signature too. So where a contract is to confirm one, the records
 * must also name the contract’s address: only then did the owner of the domain mean it.
 *
 * @param isConfirmed asks the provider’s contract
 */
export async function readProof(
  records: readonly string[],
  { provider, domain }: { readonly provider: Address; readonly domain: string },
  isConfirmed: (claim: {
    readonly address: Address
    readonly hash: Hex
    readonly signature: Hex
  }) => Promise<boolean>,
): Promise<Proof> {
  const words = records.flatMap((record) => record.trim().split(/\s+/))
  const signatures = [...new Set(words.flatMap(toSignature))].slice(0, MOST_SIGNATURES)
  if (signatures.length === 0) return 'NO_RECORD'
  const hashes = provingTexts(domain, provider).map((text) => hashMessage(text))
  const claims = signatures.flatMap((signature) =>
    hashes.map((hash) => ({ address: provider, hash, signature })),
  )
  for (const claim of claims) if (await isSignedByKey(claim)) return 'SIGNED'
  const isNamed = words.some((word) => word.toLowerCase() === provider.toLowerCase())
  if (!isNamed) return 'OTHER_SIGNATURE'
  for (const claim of claims.slice(0, MOST_ASKED * hashes.length))
    if (await isConfirmed(claim)) return 'SIGNED'
  return 'OTHER_SIGNATURE'
}

function toSignature(word: string): Hex[] {
  const digits = word.toLowerCase().replace(/^0x/, '')
  const bytes = digits.length / 2
  const { least, most } = SIGNATURE_BYTES
  return bytes >= least && bytes <= most && /^([0-9a-f]{2})+$/.test(digits) ? [`0x${digits}`] : []
}

/** What the answers of two resolvers say of a domain together: it is its provider's only if both show the proof. */
export function combineOutcomes(
  one: DomainOutcome | undefined,
  other: DomainOutcome | undefined,
): DomainOutcome {
  const both = [one, other]
  if (both.every((outcome) => outcome === 'SIGNED')) return 'SIGNED'
  if (both.includes('SIGNED')) return 'RESOLVERS_DISAGREE'
  return both.includes('OTHER_SIGNATURE') ? 'OTHER_SIGNATURE' : 'NO_RECORD'
}
