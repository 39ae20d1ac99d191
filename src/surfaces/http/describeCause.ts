const MOST_CHARACTERS = 4000
const MOST_CAUSES = 4

/** What is behind an error, for the log: with its own causes, but without the URLs, which may hold keys. */
export function describeCause(cause: unknown): string | undefined {
  if (cause === undefined) return undefined
  const parts: string[] = []
  for (let next: unknown = cause; next !== undefined && parts.length < MOST_CAUSES; ) {
    parts.push(next instanceof Error ? (next.stack ?? `${next.name}: ${next.message}`) : String(next))
    next = next instanceof Error ? next.cause : undefined
  }
  return parts
    .join('\nCaused by: ')
    .replace(/\b(?!file:)([a-z][a-z0-9+.-]*):\/\/[^\s"'<>)]+/gi, '$1://…')
    .slice(0, MOST_CHARACTERS)
}
