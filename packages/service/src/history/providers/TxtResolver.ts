import { Resolver } from 'node:dns/promises'
import { type DecodedPacket, decode, encode, RECURSION_DESIRED, type TxtAnswer } from 'dns-packet'

/** The TXT records at a name, each with its strings joined; none where there is no such name. */
export interface TxtAnswerOf {
  readonly records: readonly string[]
  /** How long they may be kept; `undefined` where the resolver does not tell. */
  readonly ttlSeconds: number | undefined
}

/** The resolver works, and the name's own servers have told it nothing that it may use (SERVFAIL). */
export class NameUnresolvedError extends Error {
  override readonly name = 'NameUnresolvedError'
}

/** Asks one resolver for TXT records. Rejects where it does not answer, or not about this name, and with NameUnresolvedError. */
export type AskTxt = (name: string, signal: AbortSignal) => Promise<TxtAnswerOf>

/** For one name. The resolver may have to ask other servers in turn, and no caller waits for a look-up. */
const TIMEOUT_MS = 5_000
const TRIES = 2
/** Aliases that are followed from a name to its records. */
const MOST_ALIASES = 8
/** The longest message of DNS: over TCP, its length has two bytes. */
const MOST_BYTES = 65_535

/**
 * Makes what looks up TXT records, by DNS or by DNS over HTTPS.
 * @param server `system` for the servers that this machine uses, an address with or without a port, or a URL of DNS over
 *   HTTPS (RFC 8484)
 * @param timeoutMs default 5 s
 */
export function createTxtResolver(server: string, timeoutMs = TIMEOUT_MS): AskTxt {
  return /^https?:/i.test(server) ? overHttps(server, timeoutMs) : overDns(server, timeoutMs)
}

function overDns(server: string, timeoutMs: number): AskTxt {
  return async (name, signal) => {
    // One for each question, because a resolver can only cancel all of its questions together.
    const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / TRIES), tries: TRIES })
    if (server !== 'system') resolver.setServers([server])
    const cancel = () => resolver.cancel()
    signal.addEventListener('abort', cancel, { once: true })
    try {
      const records = await resolver.resolveTxt(name)
      return { records: records.map((strings) => strings.join('')), ttlSeconds: undefined }
    } catch (error) {
      const code = codeOf(error)
      // There is no such name, or no such record at it.
      if (code === 'ENOTFOUND' || code === 'ENODATA') return { records: [], ttlSeconds: undefined }
      throw code === 'ESERVFAIL' ? new NameUnresolvedError(`${name} cannot be resolved`) : error
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

function overHttps(url: string, timeoutMs: number): AskTxt {
  return async (name, signal) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/dns-message', Accept: 'application/dns-message' },
      // An id of 0, so that answers can be cached (RFC 8484).
      body: new Uint8Array(
        encode({ type: 'query', id: 0, flags: RECURSION_DESIRED, questions: [{ type: 'TXT', name }] }),
      ),
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    const type = response.headers.get('Content-Type') ?? ''
    if (response.status !== 200 || !type.startsWith('application/dns-message')) {
      await response.body?.cancel()
      throw new Error(`the resolver answers HTTP ${response.status} with ${type || 'no type'}`)
    }
    return readAnswer(decode(await readBytes(response)), name)
  }
}

async function readBytes(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  // Without `for await`, which the types of fetch do not have.
  const reader = response.body?.getReader()
  for (let read = await reader?.read(); read?.value !== undefined; read = await reader?.read()) {
    bytes += read.value.byteLength
    if (bytes > MOST_BYTES) {
      await reader?.cancel()
      throw new Error('the resolver’s answer is too long')
    }
    chunks.push(read.value)
  }
  return Buffer.concat(chunks)
}

/** Only records of the name count, and of what it is an alias of: an answer may carry records of other names too. */
function readAnswer(packet: DecodedPacket, name: string): TxtAnswerOf {
  const [question] = packet.questions ?? []
  const isAnswer = packet.type === 'response' && !packet.flag_tc && question?.type === 'TXT'
  if (!isAnswer || !isSame(question.name, name)) throw new Error('the resolver answers something else')
  // `rcode` is missing from the package's types.
  const rcode = 'rcode' in packet ? packet.rcode : undefined
  if (rcode === 'NXDOMAIN') return { records: [], ttlSeconds: undefined }
  if (rcode === 'SERVFAIL') throw new NameUnresolvedError(`${name} cannot be resolved`)
  if (rcode !== 'NOERROR') throw new Error(`the resolver answers ${rcode}`)
  // Follows aliases (CNAME) from the name to the records, which may be kept as long as the shortest-lived of them.
  let owner = name
  let ttlSeconds = Number.POSITIVE_INFINITY
  for (let aliases = 0; aliases <= MOST_ALIASES; aliases += 1) {
    const answers = (packet.answers ?? []).filter((answer) => isSame(answer.name, owner))
    const texts = answers.filter((answer): answer is TxtAnswer => answer.type === 'TXT' && isInternet(answer))
    if (texts.length > 0) {
      ttlSeconds = Math.min(ttlSeconds, ...texts.map(({ ttl = 0 }) => ttl))
      return { records: texts.map(({ data }) => joined(data)), ttlSeconds }
    }
    const alias = answers.find((answer) => answer.type === 'CNAME')
    if (alias?.type !== 'CNAME') break
    ttlSeconds = Math.min(ttlSeconds, alias.ttl ?? 0)
    owner = alias.data
  }
  return { records: [], ttlSeconds: undefined }
}

function isInternet({ class: of }: TxtAnswer): boolean {
  return of === undefined || of === 'IN'
}

function isSame(one: string, other: string): boolean {
  return plain(one) === plain(other)
}

function plain(name: string): string {
  return name.toLowerCase().replace(/\.$/, '')
}

function joined(data: TxtAnswer['data']): string {
  const strings = Array.isArray(data) ? data : [data]
  return strings
    .map((part) => (typeof part === 'string' ? part : Buffer.from(part).toString('latin1')))
    .join('')
}
