/** Where a command writes. */
export interface Terminal {
  /** Whether standard output is a terminal. */
  readonly isTty: boolean
  /** Cells in a line; infinite without a terminal. */
  readonly columns: number
  readonly colours: boolean
  /** Standard output: the answer and nothing else. */
  out(text: string): void
  /** Standard error: hints and errors. */
  err(text: string): void
}

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow'

const CODES: Readonly<Record<Style, readonly [on: number, off: number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
}

/** The text in a style where the terminal shows colours. Strangers’ text must be plain by then. */
export function styled(terminal: Pick<Terminal, 'colours'>, style: Style, text: string): string {
  if (!terminal.colours) return text
  const [on, off] = CODES[style]
  return `\u001b[${on}m${text}\u001b[${off}m`
}

/** The parts of a process that a terminal needs. */
export interface Streams {
  readonly stdout: { readonly isTTY?: boolean; readonly columns?: number; write(text: string): unknown }
  readonly stderr: { write(text: string): unknown }
  readonly env: Readonly<Record<string, string | undefined>>
}

/** The terminal of a process. NO_COLOR, set to anything, and TERM=dumb switch colours off. */
export function terminalOf({ stdout, stderr, env }: Streams): Terminal {
  const isTty = stdout.isTTY === true
  return {
    isTty,
    columns: isTty ? (stdout.columns ?? 80) : Number.POSITIVE_INFINITY,
    colours: isTty && !env.NO_COLOR && env.TERM !== 'dumb',
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
  }
}
