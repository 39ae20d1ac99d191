/** SQLite accepts 32,766 parameters in a statement, Postgres 65,535. */
const MOST_PARAMETERS = 32_766
/** Longer statements are not faster. */
const MOST_ROWS = 250

/** Calls `write` with the rows or keys, in groups that fit into one statement. */
export async function inChunks<Row extends object | string | number>(
  rows: readonly Row[],
  write: (chunk: readonly Row[]) => Promise<unknown>,
): Promise<void> {
  const [first] = rows
  if (first === undefined) return
  const columns = typeof first === 'object' ? Object.keys(first).length : 1
  const size = Math.min(MOST_ROWS, Math.floor(MOST_PARAMETERS / columns))
  for (let start = 0; start < rows.length; start += size) await write(rows.slice(start, start + size))
}
