import { setTimeout as pause } from 'node:timers/promises'
import type { CallToolResult, Client } from '@modelcontextprotocol/client'
import * as z from 'zod'

/** A tool said no. The sentence is the service's; `code` is permanent. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
  readonly code: string
  readonly retryAfterSeconds: number | undefined
  readonly issues: readonly { code?: string | undefined; message: string }[]

  constructor({ error, code, retryAfterSeconds, issues = [] }: z.output<typeof Failure>) {
    super(error)
    this.code = code
    this.retryAfterSeconds = retryAfterSeconds
    this.issues = issues
  }
}

/** Every failed call carries this, which is the body that REST answers. */
const Failure = z.looseObject({
  error: z.string(),
  code: z.string(),
  retryAfterSeconds: z.number().optional(),
  issues: z.array(z.looseObject({ code: z.string().optional(), message: z.string() })).optional(),
})

/** The tools of a service, called in the ways that a call can end. */
export class Tools {
  readonly #client: Pick<Client, 'callTool' | 'listTools'>
  readonly #sleep: (ms: number) => Promise<unknown>

  constructor(client: Pick<Client, 'callTool' | 'listTools'>, sleep = (ms: number) => pause(ms)) {
    this.#client = client
    this.#sleep = sleep
  }

  /**
   * Lists what there is, and throws where a needed tool is missing or does not say what it answers.
   *
   * From then on the SDK holds every answer against its tool's output schema.
   */
  async expect(names: readonly string[]): Promise<number> {
    const { tools } = await this.#client.listTools()
    for (const name of names) {
      const tool = tools.find((one) => one.name === name)
      if (tool?.outputSchema === undefined)
        throw new Error(`The service has no tool ${name} that I can read.`)
    }
    return tools.length
  }

  /**
   * Calls a tool and reads its answer. At a limit it waits as long as it is told to, at most `most` times; every
   * other refusal is a ToolError.
   */
  async call<T>(name: string, input: Record<string, unknown>, answer: z.ZodType<T>, most = 3): Promise<T> {
    for (let waits = 0; ; waits += 1) {
      const result = await this.#client.callTool({ name, arguments: input })
      if (result.isError !== true) return answer.parse(result.structuredContent)
      const refused = new ToolError(failureOf(name, result))
      const { code, retryAfterSeconds } = refused
      if (code !== 'RATE_LIMITED' || retryAfterSeconds === undefined || waits === most) throw refused
      console.log(`… ${name} is at its limit; going on in ${retryAfterSeconds} s`)
      await this.#sleep(retryAfterSeconds * 1000)
    }
  }
}

function failureOf(name: string, { structuredContent, content }: CallToolResult): z.output<typeof Failure> {
  const failure = Failure.safeParse(structuredContent)
  if (failure.success) return failure.data
  throw new Error(`${name} failed without saying why: ${JSON.stringify(content).slice(0, 200)}`)
}
