/** Throws where a program did not print these lines in this order; numbers, dates, ids and times may be others. */
export function samePrint(shown: string, printed: string): void {
  const lines = printed.split('\n').map(shape)
  let from = 0
  for (const line of shown.split('\n')) {
    if (line.trim() === '' || line.trim() === '…') continue
    const found = lines.indexOf(shape(line), from)
    if (found === -1) throw new Error(`it did not print "${line.trim()}", but:\n${printed.slice(0, 4_000)}`)
    from = found + 1
  }
}

/** A line without what differs from run to run. */
function shape(line: string): string {
  return (
    line
      .trim()
      .replaceAll(/0x[0-9a-fA-F]+(…[0-9a-fA-F]*)?/g, '0x')
      .replaceAll(/\d{4}-\d\d-\d\d(T[\d:.]+Z)?/g, 'day')
      .replaceAll(/\d+(\.\d+)?/g, '0')
      // Columns are as wide as what stands in them.
      .replaceAll(/\s+/g, ' ')
  )
}
