import type { Address, Transport } from 'viem'

/** What asks a node by `request`, as EIP-1193 has it, whichever methods its type knows. */
interface Requester {
  readonly request: (request: never) => Promise<unknown>
}

/** One's own node: its URL, a wallet's provider (EIP-1193), a client of viem, or a transport of viem. */
export type OwnNode = string | URL | Requester | Transport

/** What is asked without a service. */
export interface NodeOptions {
  /**
   * Answers what a chain alone can tell, from one's own node: reads, readiness, outlooks, and every prepare with its
   * proof. Nothing has to be believed to a service then. What needs an index (search, history, revenue, events) and what
   * a service keeps is asked at `url`; without one it throws NeedsServiceError.
   *
   * @example
   * const client = createClient({ node: 'https://base.example' })
   * const { subscription } = await client.getSubscription({ id })
   */
  readonly node: OwnNode
  /** Tokens that may be approved on this chain, each confirmed by the contract, which keeps no list of them. USDC on Base is built in. */
  readonly tokens?: readonly Address[] | undefined
  /**
   * The time where the chain has been quiet for an hour, in milliseconds of unix time: it decides which day it is. Default: the
   * node's own clock where it tells one, else this machine's.
   */
  readonly now?: (() => number) | undefined
}

/** The two ways to ask a node that all forms of OwnNode come to: by its URL, or by a function. */
export type AskableNode =
  | string
  | ((request: { readonly method: string; readonly params: readonly unknown[] }) => Promise<unknown>)

/** Throws TypeError for what is no node. */
export function askableNode(node: OwnNode): AskableNode {
  if (typeof node === 'string' || node instanceof URL) return httpUrl(String(node))
  const asked = typeof node === 'function' ? node({ retryCount: 0 }) : node
  if (typeof asked?.request !== 'function')
    throw new TypeError('node must be a URL, a provider with `request`, or a client or transport of viem')
  // Safe: EIP-1193 takes any method; types know some of them.
  return (request) => asked.request(request as never)
}

/** Throws TypeError, without the URL, which may hold a key. */
function httpUrl(text: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    throw new TypeError('node must be the http or https URL of a node')
  return text
}
