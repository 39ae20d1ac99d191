import { Button } from '../../design/Button.tsx'

/** How many rows a page of a table may have. */
const SIZES = ['25', '50', '100'] as const
/** How many rows a page of a month has, which is printed for books. */
export const MONTH_ROWS = '100'

interface TablePagesProps {
  /** What is shown, such as "26–50 of 1,000". */
  readonly shown: string
  readonly size: string | undefined
  readonly isReading: boolean
  /** `undefined` where there is none. */
  readonly previous: (() => void) | undefined
  readonly next: (() => void) | undefined
  setSize(size: string): void
}

/** The line below a table with many rows: which are shown, the pages before and after, and how many rows a page has. */
export function TablePages({ shown, size = SIZES[0], isReading, previous, next, setSize }: TablePagesProps) {
  return (
    <div class="desk__pages">
      <span role="status">{isReading ? 'Reading …' : shown}</span>
      {previous === undefined && next === undefined ? null : (
        <span class="subject__paper"> (not all: choose more Rows, or print each page)</span>
      )}
      <span class="row">
        <label class="row desk__size">
          Rows
          <select class="input" value={size} onChange={({ currentTarget }) => setSize(currentTarget.value)}>
            {SIZES.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </label>
        <Button isSmall isOff={previous === undefined || isReading} onClick={() => previous?.()}>
          Previous
        </Button>
        <Button isSmall isOff={next === undefined || isReading} onClick={() => next?.()}>
          Next
        </Button>
      </span>
    </div>
  )
}
