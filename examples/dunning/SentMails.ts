import { appendFileSync, existsSync, readFileSync } from 'node:fs'

/** A mail that an event led to. */
export interface SentMail {
  /** The event's id. */
  readonly id: string
  readonly account: string
  /** The due day that it was about. */
  readonly day: string
}

type Line = SentMail | { readonly forgotten: string }

/** Which events have led to a mail: a file with one line for each, so that a restart forgets none. */
export class SentMails {
  readonly #file: string
  readonly #mails = new Map<string, SentMail>()

  constructor(file: string) {
    this.#file = file
    const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []
    for (const line of lines) this.#apply(JSON.parse(line))
  }

  find(id: string): SentMail | undefined {
    return this.#mails.get(id)
  }

  keep(mail: SentMail): void {
    this.#write(mail)
  }

  /** What a reorganisation took back can come again with the same id, and is then news. */
  forget(id: string): void {
    if (this.#mails.has(id)) this.#write({ forgotten: id })
  }

  #write(line: Line): void {
    appendFileSync(this.#file, `${JSON.stringify(line)}\n`)
    this.#apply(line)
  }

  #apply(line: Line): void {
    if ('forgotten' in line) this.#mails.delete(line.forgotten)
    else this.#mails.set(line.id, line)
  }
}
