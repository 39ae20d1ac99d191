import type { HistoryPort } from '@remit/engine/ports/history'
import type { BackfillProgress } from '@remit/engine/schema/health'
import { duration } from './backfill.ts'

/** How often a line is rewritten on a terminal, and how often one is written elsewhere. */
const REWRITE_MS = 250
const LINE_MS = 5_000
/** Moves the cursor of a terminal to the line's start, and clears the line. */
const BACK_TO_START = '\r\u001b[2K'

/** Where progress is printed. In production that is standard error: standard output is for the ready line. */
interface ProgressOutput {
  readonly isTTY?: boolean | undefined
  write(text: string): unknown
}

interface ProgressPrinterOptions {
  readonly chainIds: readonly number[]
  readonly history: Pick<HistoryPort, 'health'>
  readonly output: ProgressOutput
}

/** Prints the progress of backfills while there are any. */
export class ProgressPrinter {
  readonly #options: ProgressPrinterOptions
  #timer: NodeJS.Timeout | undefined
  #isLineOpen = false

  constructor(options: ProgressPrinterOptions) {
    this.#options = options
  }

  start(): void {
    const everyMs = this.#options.output.isTTY ? REWRITE_MS : LINE_MS
    this.#timer = setInterval(() => this.print(), everyMs)
    this.#timer.unref()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#endLine()
  }

  /** Writes one line, over the previous one on a terminal. Writes nothing if there is no backfill. */
  print(): void {
    const parts = this.#options.chainIds.flatMap((chainId) => {
      const backfill = this.#options.history.health(chainId)?.backfill
      return backfill ? [progressLine(chainId, backfill)] : []
    })
    if (parts.length === 0) this.#endLine()
    else if (this.#options.output.isTTY) {
      this.#options.output.write(`${BACK_TO_START}${parts.join(' | ')}`)
      this.#isLineOpen = true
    } else {
      for (const part of parts) this.#options.output.write(`${part}\n`)
    }
  }

  #endLine(): void {
    if (this.#isLineOpen) this.#options.output.write('\n')
    this.#isLineOpen = false
  }
}

/** `Chain 8453: block 33,000,000 of 34,127,185, 33.7 %, 5,120.3 blocks/s, 113 requests, 3 min 40 s left` */
function progressLine(chainId: number, progress: BackfillProgress): string {
  const { blockNumber, toBlock, percent, blocksPerSecond, requestsLeft, secondsLeft } = progress
  const count = (value: number) => value.toLocaleString('en-US')
  const requests = requestsLeft === null ? '' : `, ${count(requestsLeft)} requests`
  const left = secondsLeft === null ? '' : `${requests}, ${duration(secondsLeft)} left`
  return `Chain ${chainId}: block ${count(blockNumber)} of ${count(toBlock)}, ${percent} %, ${count(blocksPerSecond)} blocks/s${left}`
}
