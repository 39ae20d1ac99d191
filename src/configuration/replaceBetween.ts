/** Replaces what a command has written between its markers. Throws where the markers are missing. */
export function replaceBetween(before: string, command: string, text: string): string {
  const [begin, end] = ['begin', 'end'].map((word) => `<!-- ${word}: ${command} -->`)
  const [head, rest] = before.split(begin ?? '')
  const tail = rest?.split(end ?? '')[1]
  if (head === undefined || tail === undefined)
    throw new Error(`The markers ${begin} and ${end} are missing.`)
  return `${head}${begin}\n\n${text}\n${end}${tail}`
}
