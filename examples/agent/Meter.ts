import type { CallToolResult, Client } from '@modelcontextprotocol/client'
import { Tiktoken } from 'js-tiktoken/lite'
import o200k from 'js-tiktoken/ranks/o200k_base'

/** What a model had to read for one call. */
interface Reading {
  readonly what: string
  readonly text: string
}

/** How much an errand may cost a model. */
export interface MeterLimits {
  readonly calls: number
  readonly tokens: number
}

type ToolClient = Pick<Client, 'callTool' | 'listTools'>

/**
 * A client that counts what a model would have to read: the list of tools as JSON, and the text of each result. The
 * tokenizer is that of today's OpenAI models; others come to much the same.
 */
export class Meter implements ToolClient {
  readonly #client: ToolClient
  readonly #limits: MeterLimits
  /** Made when it is asked for the first time: that takes a second. */
  #tokenizer: Tiktoken | undefined
  readonly #read: Reading[] = []

  constructor(client: ToolClient, limits: MeterLimits) {
    this.#client = client
    this.#limits = limits
  }

  /** Tool calls: the list is none, though its tokens count. */
  get calls(): number {
    return this.#read.filter(({ what }) => what !== LIST).length
  }

  get tokens(): number {
    return this.#read.reduce((sum, { text }) => sum + this.#tokensIn(text), 0)
  }

  get isWithin(): boolean {
    return this.calls <= this.#limits.calls && this.tokens <= this.#limits.tokens
  }

  async listTools(...asked: Parameters<ToolClient['listTools']>) {
    const answer = await this.#client.listTools(...asked)
    this.#note(LIST, JSON.stringify(answer.tools))
    return answer
  }

  async callTool(...asked: Parameters<ToolClient['callTool']>): Promise<CallToolResult> {
    const result = await this.#client.callTool(...asked)
    this.#note(
      asked[0].name,
      result.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n'),
    )
    return result
  }

  /** Every call with its tokens, and the sums beside what is allowed. */
  table(): string {
    const { calls, tokens } = this.#limits
    const rows = this.#read.map(({ what, text }) => `${String(this.#tokensIn(text)).padStart(7)}  ${what}`)
    return [
      ' tokens  read',
      ...rows,
      `${String(this.tokens).padStart(7)}  in ${this.calls} calls (at most ${tokens} in ${calls})`,
    ].join('\n')
  }

  #note(what: string, text: string): void {
    this.#read.push({ what, text })
  }

  #tokensIn(text: string): number {
    this.#tokenizer ??= new Tiktoken(o200k)
    return this.#tokenizer.encode(text, 'all').length
  }
}

const LIST = 'tools/list'
