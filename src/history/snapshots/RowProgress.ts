/** How often a line is rewritten on a terminal, and how often one is written elsewhere. */
const REWRITE_MS = 250
const LINE_MS = 5_000
const BACK_TO_START = '\r\u001b[2K'

/** Prints how many of the rows have been written or read. */
export class RowProgress {
  readonly #what: string
  readonly #output: { readonly isTTY?: boolean | undefined; write(text: string): unknown }
  readonly #now: () => number
  #all = 0
  #done = 0
  #printedAt = 0

  /** @param options.what "Export of chain 8453" */
  constructor(options: {
    what: string
    output: { readonly isTTY?: boolean | undefined; write(text: string): unknown }
    now?: () => number
  }) {
    this.#what = options.what
    this.#output = options.output
    this.#now = options.now ?? (() => performance.now())
  }

  begin(all: number): void {
    this.#all = all
    this.#print()
  }

  moved(rows: number): void {
    this.#done += rows
    const everyMs = this.#output.isTTY ? REWRITE_MS : LINE_MS
    if (this.#done >= this.#all || this.#now() - this.#printedAt >= everyMs) this.#print()
  }

  #print(): void {
    this.#printedAt = this.#now()
    const count = (value: number) => value.toLocaleString('en-US')
    // Rounded down, so that 100 is shown only at the end.
    const percent = this.#all === 0 ? 100 : Math.floor((100 * this.#done) / this.#all)
    const line = `${this.#what}: ${count(this.#done)} of ${count(this.#all)} rows, ${percent} %`
    const isOver = this.#done >= this.#all
    this.#output.write(this.#output.isTTY ? `${BACK_TO_START}${line}${isOver ? '\n' : ''}` : `${line}\n`)
  }
}
