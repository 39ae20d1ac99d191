/** SQLite accepts 32,766 parameters in a statement, Postgres 65,535. */
const MOST_PARAMETERS = 32_766
/** Longer statements are not faster. */
const MOST_ROWS = 250

/** Calls `write` with the rows, in groups that fit into one statement. */
export async function inChunks<Row extends object>(
  rows: readonly Row[],
  write: (chunk: readonly Row[]) => Promise<unknown>,
): Promise<void> {
  const [first] = rows
  if (first === undefined) return
  const size = Math.min(MOST_ROWS, Math.floor(MOST_PARAMETERS / Object.keys(first).length))
  for (let start = 0; start < rows.length; start += size) await write(rows.slice(start, start + size))
}
