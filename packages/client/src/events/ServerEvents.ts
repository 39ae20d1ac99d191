/** One event of a stream, as the standard of server-sent events reads it. */
interface ServerEvent {
  /** `message` where the stream names none. */
  readonly name: string
  readonly data: string
  /** The last id that came, with this event or before it. */
  readonly id: string
}

/** Longer than any event. What is longer is not this service's stream. */
const MOST_CHARACTERS = 1024 * 1024

/** Reads the text of a stream, in whatever pieces it comes. */
export class ServerEvents {
  #rest = ''
  #name = ''
  #data: string[] = []
  /** Of the block that is being read: it counts where the block ends. */
  #nextId: string
  #id: string

  /** @param id the id that the stream goes on after */
  constructor(id: string) {
    this.#id = id
    this.#nextId = id
  }

  /** The last id of which all has come. The stream goes on after it. */
  get lastId(): string {
    return this.#id
  }

  /** The events that a piece completes. Throws RangeError for a line without an end. */
  *read(piece: string): Generator<ServerEvent> {
    const lines = (this.#rest + piece).split(/\r\n|\n/)
    this.#rest = lines.pop() ?? ''
    if (this.#rest.length > MOST_CHARACTERS) throw new RangeError('the stream has a line without an end')
    for (const line of lines) {
      if (line !== '') this.#field(line)
      else yield* this.#dispatch()
    }
  }

  #field(line: string): void {
    const colon = line.indexOf(':')
    const [field, text] = colon < 0 ? [line, ''] : [line.slice(0, colon), line.slice(colon + 1)]
    const value = text.startsWith(' ') ? text.slice(1) : text
    if (field === 'data') this.#data.push(value)
    else if (field === 'event') this.#name = value
    else if (field === 'id') this.#nextId = value
  }

  *#dispatch(): Generator<ServerEvent> {
    const [name, data] = [this.#name || 'message', this.#data]
    this.#name = ''
    this.#data = []
    this.#id = this.#nextId
    if (data.length > 0) yield { name, data: data.join('\n'), id: this.#id }
  }
}
