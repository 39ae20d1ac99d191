import * as z from 'zod'

/** Prints what happens. */
export function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** Something is not as the demo expects. */
export class DemoError extends Error {
  override readonly name = 'DemoError'
}

/** Checks a step of the demo, and prints what was checked. Throws DemoError where it does not hold. */
export function expect(holds: boolean, sentence: string): void {
  if (!holds) throw new DemoError(`Not as expected: ${sentence}`)
  say(`   ✓ ${sentence}`)
}

/** Calls the service as any program would: by plain HTTP, without code of this repository. */
export class Api {
  readonly #baseUrl: string

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl.replace(/\/+$/, '')
  }

  async get<T>(path: string, answer: z.ZodType<T>): Promise<T> {
    return parse(`GET ${path}`, await this.#call('GET', path), answer)
  }

  async post<T>(path: string, body: unknown, answer: z.ZodType<T>): Promise<T> {
    return parse(`POST ${path}`, await this.#call('POST', path, body), answer)
  }

  /** For a call that may be refused. */
  async attempt<T>(
    path: string,
    body: unknown,
    answer: z.ZodType<T>,
  ): Promise<{ answer: T } | { refusal: Refusal }> {
    const result = await this.#call('POST', path, body)
    if (result.status !== 422) return { answer: parse(`POST ${path}`, result, answer) }
    const { code, issues } = RefusalBody.parse(result.json)
    return { refusal: { code, issues: (issues ?? []).map((issue) => issue.code) } }
  }

  async #call(method: 'GET' | 'POST', path: string, body?: unknown) {
    say(`\n→ ${method} ${path}${body === undefined ? '' : ` ${JSON.stringify(body)}`}`)
    const response = await fetch(`${this.#baseUrl}${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    }).catch((cause: unknown) => {
      throw new DemoError(`Nothing answers at ${this.#baseUrl}: run \`npm start\` first.`, { cause })
    })
    const json: unknown = await response.json()
    say(`← ${response.status} ${shorten(JSON.stringify(json))}`)
    return { status: response.status, json }
  }
}

/** The reasons why the chain's state forbids a call. */
export interface Refusal {
  readonly code: string
  readonly issues: readonly string[]
}

const RefusalBody = z.object({
  error: z.string(),
  code: z.string(),
  issues: z.array(z.object({ code: z.string() })).optional(),
})

function parse<T>(
  call: string,
  { status, json }: { status: number; json: unknown },
  answer: z.ZodType<T>,
): T {
  if (status !== 200) {
    const refusal = RefusalBody.safeParse(json)
    throw new DemoError(`${call} answered ${status}: ${refusal.success ? refusal.data.error : 'no sentence'}`)
  }
  const parsed = answer.safeParse(json)
  if (!parsed.success)
    throw new DemoError(`${call} answered in another form:\n${z.prettifyError(parsed.error)}`)
  return parsed.data
}

function shorten(text: string): string {
  return text.length <= 700 ? text : `${text.slice(0, 700)}… (${text.length} characters)`
}
