import { isSignedByKey } from '@remit/engine/block/signatures'
import { type Address, getAddress, type Hex, hashMessage } from 'viem'
import type { ShownSession } from '../../calls/sessionCookie.ts'
import { PortalClosedError, SignInFailedError, UnauthorizedError } from '../../errors/access.ts'
import type { CallerSession } from '../../ports/access.ts'
import type { OpenedSession, PortalMode, Session, SessionsPort, SignInTerms } from '../../ports/sessions.ts'
import type { StoreAccess } from '../StoreAccess.ts'
import { readSignIn } from './readSignIn.ts'
import { SessionStore, type SessionStoreOptions } from './SessionStore.ts'

/** A session ends after this time, whatever is done in it. */
const SESSION_MS = 2 * 60 * 60 * 1000

/** A message that a wallet is said to have signed. */
interface Claim {
  readonly address: Address
  /** Of the message. */
  readonly hash: Hex
  readonly signature: Hex
}

/** Whether a contract confirms a signature in its name (ERC-1271, ERC-6492). */
export type AskContract = (chainId: number, claim: Claim) => Promise<boolean>

/** Which wallets may make API keys and webhooks here: none, all, or those listed (addresses in lower case). */
export type PortalRule = 'off' | 'open' | { readonly listed: ReadonlySet<string> }

export interface SessionsOptions extends SessionStoreOptions {
  readonly access: StoreAccess
  readonly portal: PortalRule
  /** Whether members sign in for passes or rescues, whatever the portal's rule is. */
  readonly forMembers: boolean
  /** The origins of this service's own pages: a message must name one, and only these pages may use sessions. */
  readonly origins: () => readonly string[]
  /** The chains that a message may name. */
  readonly chainIds: ReadonlySet<number>
  /** The one chain whose contracts manage keys and webhooks, which belong to an address alone. */
  readonly keysChainId: number
  readonly askContract: AskContract
}

/**
 * Signs wallets in (EIP-4361), and says which session a request shows and what it may do.
 *
 * A sign-in: the page asks for `terms`, writes a message with their nonce, has the wallet sign it, and sends both to `open`. Where the
 * wallet's key has signed, that is all; a signature that is no key's costs one question to a node, whether a contract at the address
 * confirms it. The session is then known by two secrets, one in a cookie and one with the page (`SessionStore`), until it ends.
 */
export class Sessions implements SessionsPort {
  readonly #options: SessionsOptions
  readonly #store: SessionStore

  constructor(options: SessionsOptions) {
    this.#options = options
    this.#store = new SessionStore(options)
  }

  get portal(): PortalMode {
    const { portal } = this.#options
    return typeof portal === 'string' ? portal : 'allowlist'
  }

  /** What the wallet's message has to contain: a nonce that can be used once, and the origins that it may name. */
  async terms(): Promise<SignInTerms> {
    this.#requireOpen()
    const made = await this.#options.access.ask(() => this.#store.makeNonce())
    return { ...made, origins: this.#options.origins() }
  }

  /** Opens a session for a signed message. Throws SignInFailedError. @param chargeExpensive charges the caller for a question to a node */
  async open(
    { message, signature }: { readonly message: string; readonly signature: Hex },
    chargeExpensive: <T>(ask: () => Promise<T>) => Promise<T>,
  ): Promise<OpenedSession> {
    this.#requireOpen()
    const { origins, chainIds, now } = this.#options
    const signIn = readSignIn(message, { origins: origins(), chainIds, now: now() })
    const { address, chainId, nonce } = signIn
    const claim = { address, hash: hashMessage(message), signature }
    const isByKey = await isSignedByKey(claim)
    if (isByKey) await this.#spend(nonce)
    else await chargeExpensive(() => this.#requireContract(chainId, nonce, claim))
    const startedAt = now()
    const expiresAt = Math.min(startedAt + SESSION_MS, signIn.expiresAt ?? Number.POSITIVE_INFINITY)
    const contract = isByKey ? null : { chainId, hash: claim.hash, signature }
    const session = { subject: address.toLowerCase(), expiresAt, contract }
    const secrets = await this.#options.access.ask(() => this.#store.open(session))
    return { ...session, ...secrets, lastsSeconds: Math.floor((expiresAt - startedAt) / 1000) }
  }

  /** Throws SignInFailedError where the wallet is no contract, or does not confirm the signature. */
  async #requireContract(chainId: number, nonce: string, claim: Claim): Promise<void> {
    // Spent first, so that one nonce never costs more than one question to a node.
    await this.#spend(nonce)
    if (await this.#options.askContract(chainId, claim)) return
    throw new SignInFailedError('the signature is not that of the wallet')
  }

  async #spend(nonce: string): Promise<void> {
    if (await this.#options.access.ask(() => this.#store.spendNonce(nonce))) return
    throw new SignInFailedError('its nonce is not known here, was used before, or is too old')
  }

  /** Ends a session; nothing where it has ended. */
  async close(id: string): Promise<void> {
    await this.#options.access.ask(() => this.#store.close(id))
  }

  /** Asks a contract wallet again whether it signed. Ends the session and throws UnauthorizedError where it says no. */
  async confirm({ id, subject, contract }: Session & { readonly id: string }): Promise<void> {
    if (contract === null) return
    const { chainId, ...signed } = contract
    if (await this.#options.askContract(chainId, { address: getAddress(subject), ...signed })) return
    await this.close(id)
    throw UnauthorizedError.contractChanged()
  }

  /** The live session that a request shows; `undefined` where there is none. @param address the caller's, which is kept with it */
  async find({ tokens, secret }: ShownSession, address: string): Promise<CallerSession | undefined> {
    if (!this.#isOpen || secret === undefined) return undefined
    const session = await this.#options.access.ask(() => this.#store.find(tokens, secret))
    return session && { ...session, address }
  }

  /**
   * Throws PortalClosedError where the wallet may not have keys.
   *
   * Keys and webhooks belong to an address, on whichever chain. So a contract manages them on one chain alone: on another one,
   * such as a testnet, the contract at the same address can be anybody's.
   */
  requireKeysFor(session: Session): void {
    const closed = this.#closedTo(session)
    if (closed !== undefined) throw closed
  }

  /** Whether `requireKeysFor` lets the session pass. */
  mayHaveKeys(session: Session): boolean {
    return this.#closedTo(session) === undefined
  }

  /** Why the wallet may not have keys; `undefined` where it may. */
  #closedTo({ subject, contract }: Session): PortalClosedError | undefined {
    const { portal, keysChainId } = this.#options
    if (portal === 'off') return PortalClosedError.off()
    if (portal !== 'open' && !portal.listed.has(subject)) return PortalClosedError.notListed()
    if (contract === null || contract.chainId === keysChainId) return undefined
    return PortalClosedError.contractElsewhere(contract.chainId, keysChainId)
  }

  /** Whether a page of this origin is one of the service's own. */
  owns(origin: string): boolean {
    return this.#options.origins().includes(origin)
  }

  get #isOpen(): boolean {
    return this.#options.portal !== 'off' || this.#options.forMembers
  }

  #requireOpen(): void {
    if (!this.#isOpen) throw PortalClosedError.off()
  }
}
