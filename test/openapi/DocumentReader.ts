import * as z from 'zod'

/** One example of a document beside its schema. */
export interface ShownExample {
  /** Where it stands, as a JSON pointer. */
  readonly at: string
  /** Where the schema stands that it is an example of. */
  readonly schemaAt: string
  readonly value: unknown
}

const JsonObject = z.record(z.string(), z.unknown())
const Reference = z.looseObject({ $ref: z.string() })
const Example = z.looseObject({ value: z.unknown().optional() })

/** An OpenAPI document as tests look into it. */
export class DocumentReader {
  readonly #document: unknown

  constructor(document: unknown) {
    this.#document = document
  }

  /** What stands there, itself or by a reference. */
  follow(value: unknown): unknown {
    const { data } = Reference.safeParse(value)
    return data === undefined ? value : this.#at(data.$ref)
  }

  /** What stands at a JSON pointer, with what its references name in their places. */
  inlined(pointer: string): unknown {
    const inline = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(inline)
      const followed = this.follow(value)
      if (followed !== value) return inline(followed)
      const { data } = JsonObject.safeParse(value)
      if (data === undefined) return value
      return Object.fromEntries(Object.entries(data).map(([name, inner]) => [name, inline(inner)]))
    }
    return inline(this.#at(pointer))
  }

  /** Every example of a body, a parameter or a header, once for each place where it is shown. */
  examples(): ShownExample[] {
    return [...this.#examplesIn(this.#document, '#')]
  }

  *#examplesIn(value: unknown, at: string): Generator<ShownExample> {
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) yield* this.#examplesIn(item, `${at}/${index}`)
      return
    }
    const { data } = JsonObject.safeParse(value)
    if (data === undefined) return
    if ('schema' in data) {
      const schemaAt = `${at}/schema`
      const named = JsonObject.parse(data.examples ?? {})
      for (const [name, example] of Object.entries(named)) {
        const { value } = Example.parse(this.follow(example))
        yield { at: `${at}/examples/${name}`, schemaAt, value }
      }
      if ('example' in data) yield { at: `${at}/example`, schemaAt, value: data.example }
      return
    }
    for (const [name, item] of Object.entries(data)) {
      // What the service answered is nobody's document.
      if (name !== 'value') yield* this.#examplesIn(item, `${at}/${escaped(name)}`)
    }
  }

  #at(pointer: string): unknown {
    const parts = pointer.split('/').slice(1)
    return parts
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce<unknown>((value, part) => JsonObject.parse(value)[part], this.#document)
  }
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}
