/** One instruction of a Dockerfile, with its continuation lines put together. */
export interface Instruction {
  readonly name: string
  /** Its options, such as `--from=build`. */
  readonly flags: Readonly<Record<string, string>>
  /** The rest as it is written. */
  readonly text: string
  /** The number of its first line. */
  readonly line: number
}

/** Throws for here-documents and parser directives, which nothing here reads. */
export function readDockerfile(source: string): Instruction[] {
  const instructions: Instruction[] = []
  let pending: { text: string; line: number } | undefined
  source.split('\n').forEach((written, index) => {
    const line = index + 1
    if (/^\s*#\s*(syntax|escape|check)\s*=/i.test(written))
      throw new Error(`Line ${line}: a parser directive.`)
    if (/^\s*(#|$)/.test(written)) return
    const isContinued = written.endsWith('\\')
    const part = isContinued ? written.slice(0, -1) : written
    pending = { text: `${pending?.text ?? ''}${part.trim()} `, line: pending?.line ?? line }
    if (isContinued) return
    instructions.push(parse(pending.text.trim(), pending.line))
    pending = undefined
  })
  if (pending !== undefined) throw new Error('The last line is continued by nothing.')
  return instructions
}

function parse(text: string, line: number): Instruction {
  const match = /^([A-Za-z]+)\s+(.+)$/.exec(text)
  if (match === null) throw new Error(`Line ${line}: not an instruction.`)
  if (text.includes('<<')) throw new Error(`Line ${line}: a here-document.`)
  const [, name = '', rest = ''] = match
  const flags: Record<string, string> = {}
  let remaining = rest
  for (;;) {
    const flag = /^--([a-z-]+)=(\S+)\s+/.exec(remaining)
    if (flag === null) break
    const [whole, key = '', value = ''] = flag
    flags[key] = value
    remaining = remaining.slice(whole.length)
  }
  return { name: name.toUpperCase(), flags, text: remaining, line }
}

/** `A=1 B="two words"`, as ENV and LABEL have it. */
export function readPairs(text: string): [string, string][] {
  const pairs = [...text.matchAll(/([\w.-]+)=(?:"([^"]*)"|(\S*))(?:\s+|$)/g)]
  if (pairs.map(([whole]) => whole).join('') !== text) throw new Error(`Not a list of pairs: ${text}`)
  return pairs.map(([, name = '', quoted, plain]) => [name, quoted ?? plain ?? ''])
}
