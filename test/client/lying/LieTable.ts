/** What became of each lie in each flow. */
export class LieTable {
  readonly #flows: readonly string[]
  readonly #rows = new Map<string, Map<string, string>>()
  readonly #reasons: string[] = []

  constructor(flows: readonly string[]) {
    this.#flows = flows
  }

  /**
   * @param outcomes one for each wallet and way of naming the chain: the refusal's name, or `same`
   * @param untold why the lie could not be told
   */
  note(lie: string, flow: string, outcomes: readonly string[], untold: string | undefined): void {
    const row = this.#rows.get(lie) ?? new Map<string, string>()
    this.#rows.set(lie, row)
    row.set(
      flow,
      untold === undefined ? [...new Set(outcomes.map(markOf))].join('/') : this.#reasonOf(untold),
    )
  }

  /** Cells that nothing is known of, as "lie × flow". */
  holes(lies: readonly string[]): string[] {
    return lies.flatMap((lie) =>
      this.#flows.filter((flow) => !this.#rows.get(lie)?.has(flow)).map((flow) => `${lie} × ${flow}`),
    )
  }

  text(): string {
    const rows = [...this.#rows].map(([lie, cells], index) => [
      `${index + 1}`,
      lie,
      ...this.#flows.map((flow) => cells.get(flow) ?? '?'),
    ])
    const widths = ['', '', ...this.#flows].map((_, column) =>
      Math.max(...rows.map((row) => row[column]?.length ?? 0)),
    )
    const lines = rows.map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    const marks = Object.entries(WORDS).map(([code, words]) => `${markOf(code)} ${words}`)
    return [
      'What a wallet is asked where the service lies. A row is a lie: the service’s answer …',
      `Columns: ${this.#flows.join(' | ')}`,
      ...marks,
      ...this.#reasons.map((reason, index) => `${letterOf(index)} cannot be told: ${reason}`),
      '',
      ...lines,
      '',
    ].join('\n')
  }

  #reasonOf(reason: string): string {
    if (!this.#reasons.includes(reason)) this.#reasons.push(reason)
    return letterOf(this.#reasons.indexOf(reason))
  }
}

const MARKS: Readonly<Record<string, string>> = {
  same: '=',
  UNSAFE_TRANSACTION: 'U',
  PREPARED_EXPIRED: 'U',
  UnexpectedAnswerError: 'X',
  NetworkError: 'N',
}

const WORDS: Readonly<Record<string, string>> = {
  same: 'the wallet is asked for the same, to the byte, as with an honest service',
  UNSAFE_TRANSACTION:
    'refused, UnsafeTransactionError or PreparedExpiredError: nothing is asked of the wallet',
  UnexpectedAnswerError: 'refused, UnexpectedAnswerError: nothing is asked of the wallet',
  NetworkError: 'refused, NetworkError: nothing is asked of the wallet',
}

function markOf(outcome: string): string {
  return MARKS[outcome] ?? outcome
}

function letterOf(index: number): string {
  return String.fromCharCode('a'.charCodeAt(0) + index)
}
