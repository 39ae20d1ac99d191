import { LRUCache } from 'lru-cache'
import { Representation } from '../http/Representation.ts'
import { methodOf } from './messages.ts'

/** What is the same for every caller until the process ends. */
const UNCHANGING = new Set(['tools/list', 'prompts/list', 'resources/list', 'resources/read'])

/** The SDK refuses a message that two of them name otherwise. */
const SHAPING_HEADERS = ['accept', 'mcp-protocol-version', 'mcp-method', 'mcp-name']

/** Room for some hundred lists of tools, which are its largest answers. */
const MOST_BYTES = 16 * 1024 * 1024
/** A question that is longer than this is not a usual one. */
const MOST_KEY_LENGTH = 2_000

/** An answer of the SDK that needs not be made again. */
export interface KeptAnswer {
  readonly contentType: string
  readonly content: Representation
}

/** The answers to questions that are always answered the same, by all that they depend on. Bounded in bytes. */
export class KeptAnswers {
  readonly #kept = new LRUCache<string, KeptAnswer>({
    maxSize: MOST_BYTES,
    // Twice again for what it is compressed to.
    sizeCalculation: ({ content }, key) => key.length + 3 * content.bytes.length,
  })

  /**
   * What the answer to a message depends on, or `undefined` where it is made anew each time.
   * @param view what the address chose
   */
  keyOf(request: Request, view: unknown, message: unknown): string | undefined {
    const method = methodOf(message)
    if (method === undefined || !UNCHANGING.has(method)) return undefined
    const { headers } = request
    const key = JSON.stringify([view, SHAPING_HEADERS.map((name) => headers.get(name)), message])
    return key.length > MOST_KEY_LENGTH ? undefined : key
  }

  get(key: string): KeptAnswer | undefined {
    return this.#kept.get(key)
  }

  keep(key: string, contentType: string, text: string): KeptAnswer {
    const answer = { contentType, content: new Representation(text) }
    this.#kept.set(key, answer)
    return answer
  }
}
