/**
 * Where callers of REST find the operation that a sentence has just named.
 * @param route method and path, such as "GET /approved-tokens"
 */
export function byRoute(route: string): string {
  return ` (${route})`
}

/** The same sentences for callers of tools, who know operations by name alone. */
export function withoutRoutes(text: string): string {
  return text.replace(/ \((?:GET|POST|DELETE) \/[\w/:?=]+\)/g, '')
}
