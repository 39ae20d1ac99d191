/**
 * Which files of the context a build may see. Reads what is used here of `.dockerignore`: `*` and `**`, exceptions
 * with `!`, and that a pattern for a folder is one for all below it. Throws for anything else.
 */
export class Dockerignore {
  readonly #rules: readonly { readonly pattern: RegExp; readonly isException: boolean }[]

  constructor(source: string) {
    this.#rules = source
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => {
        const isException = line.startsWith('!')
        return { isException, pattern: toPattern(isException ? line.slice(1) : line) }
      })
  }

  /** @param path relative to the context, with slashes. The last rule that matches decides. */
  excludes(path: string): boolean {
    const parts = path.split('/')
    const above = parts.map((_, index) => parts.slice(0, index + 1).join('/'))
    const last = this.#rules.findLast(({ pattern }) => above.some((each) => pattern.test(each)))
    return last !== undefined && !last.isException
  }
}

function toPattern(written: string): RegExp {
  if (!/^[\w.*/-]+$/.test(written) || written.startsWith('/')) throw new Error(`Not read here: ${written}`)
  const source = written
    .replaceAll('.', '\\.')
    .replaceAll('**/', '\u0000')
    .replaceAll('*', '[^/]*')
    .replaceAll('\u0000', '(?:.*/)?')
  return new RegExp(`^${source}$`)
}
