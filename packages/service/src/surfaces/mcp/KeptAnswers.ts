import { LRUCache } from 'lru-cache'
import { Representation } from '../http/Representation.ts'
import { methodOf } from './messages.ts'

/** Methods whose answer is the same until the process ends, for every caller of one lane. */
const UNCHANGING = new Set(['tools/list', 'prompts/list', 'resources/list', 'resources/read'])

/** The headers that an answer depends on. The SDK refuses a message whose method or name is not that of the headers. */
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

/**
 * Answers of the SDK that are the same each time, so that they are made and
 * compressed once. Bounded in bytes.
 */
export class KeptAnswers {
  readonly #kept = new LRUCache<string, KeptAnswer>({
    maxSize: MOST_BYTES,
    // It is kept in its two compressed forms too: each counts as much again.
    sizeCalculation: ({ content }, key) => key.length + 3 * content.bytes.length,
  })

  /**
   * The key of everything that the answer to a message depends on; `undefined` where it has to be made each time.
   * @param view what the endpoint's address chose (`readView`), and the lane
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
