/** The names of this machine, by which a browser on it may have opened a page of the service. */
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]']

/** The URL at which the service is reached: where it is published, or else where it listens, which is known only later. */
export class OwnAddress {
  readonly #published: string | undefined
  #listening = ''

  /** @param published PUBLIC_URL */
  constructor(published: string | undefined) {
    this.#published = published
  }

  /** Called once it is known where the process listens. */
  listensAt(url: string): void {
    this.#listening = url
  }

  /** The URL without a slash at its end; empty before the process listens. */
  get url(): string {
    return this.#published ?? this.#listening
  }

  /** The origins of the service's own pages. */
  origins(): readonly string[] {
    if (this.#published !== undefined) return [new URL(this.#published).origin]
    if (this.#listening === '') return []
    const { port, origin } = new URL(this.#listening)
    return [...new Set([origin, ...LOOPBACK.map((name) => `http://${name}:${port}`)])]
  }
}
