import { withoutUrls } from '../core/upstream/urlSecrets.ts'

const MOST_CAUSES = 4

/** The messages of an error and its causes. URLs are cut: they may hold passwords and keys. */
export function causeOf(error: unknown): string {
  const parts: string[] = []
  for (let next = error; next instanceof Error && parts.length < MOST_CAUSES; next = next.cause) {
    parts.push(`${next.name}: ${next.message}`)
  }
  return withoutUrls(parts.join(', by '))
}
