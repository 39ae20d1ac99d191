import { STATUS_CODES } from 'node:http'
import type { JsonObject } from './openApiDocument.ts'

/** Responses that operations share, each once under `components`. */
export class ResponseBook {
  readonly #named = new Map<string, { readonly text: string; readonly response: JsonObject }>()

  /** A reference to a response like this one. */
  add(status: number, response: JsonObject): JsonObject {
    const text = JSON.stringify(response)
    const word = (STATUS_CODES[status] ?? `Status ${status}`).replaceAll(/\W/g, '')
    for (let number = 1; ; number += 1) {
      const name = number === 1 ? word : `${word}${number}`
      const known = this.#named.get(name)
      if (known !== undefined && known.text !== text) continue
      this.#named.set(name, { text, response })
      return { $ref: `#/components/responses/${name}` }
    }
  }

  entries(): JsonObject {
    const rows = [...this.#named].sort(([a], [b]) => (a < b ? -1 : 1))
    return Object.fromEntries(rows.map(([name, { response }]) => [name, response]))
  }
}
