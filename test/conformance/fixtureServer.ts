import { ResourceNotFoundError } from '@modelcontextprotocol/server'
import { SubscriptionNotFoundError } from '@remit/engine/errors/chain'
import { defineServiceOperation } from '@remit/service/testing/calls/serviceOperation'
import { createPrompts, type Guides } from '@remit/service/testing/surfaces/mcp/prompts'
import { startServer } from '@remit/service/testing/surfaces/server/server'
import { afterAll } from 'vitest'
import * as z from 'zod'
import { smallApp } from '../support/app/smallApp.ts'

const declared = { effect: 'read', access: 'read', rest: null, input: z.object({}) } as const

const operations = [
  defineServiceOperation({
    ...declared,
    name: 'test_simple_text',
    summary: 'A tool that answers a text',
    tool: { profiles: ['read'], text: ({ said }) => said },
    output: z.object({ said: z.string() }),
    handle: async () => ({ said: 'This is a simple text response for testing.' }),
  }),
  defineServiceOperation({
    ...declared,
    name: 'test_error_handling',
    summary: 'A tool that always fails',
    errors: [SubscriptionNotFoundError],
    output: z.object({}),
    async handle() {
      throw new SubscriptionNotFoundError(`0x${'00'.repeat(32)}`, 31337)
    },
  }),
]

/** Tools that the suites call to see that a server does not ask the client, nor log, unasked. */
const quiet = ['test_streaming_elicitation', 'test_logging_tool'].map((name) =>
  defineServiceOperation({
    ...declared,
    name,
    summary: 'A tool that only answers',
    output: z.object({ said: z.string() }),
    handle: async () => ({ said: 'Nothing was asked and nothing was logged.' }),
  }),
)

const STATIC = { uri: 'test://static-text', mimeType: 'text/plain' } as const

const guides: Guides = {
  list: () => [{ ...STATIC, name: 'static-text' }],
  read(uri) {
    if (uri !== STATIC.uri) throw new ResourceNotFoundError(uri)
    return { ...STATIC, text: 'This is the content of the static text resource.' }
  },
}

const argument = (name: string) => ({ name, description: 'A word.', required: true })

const prompts = createPrompts([
  {
    name: 'test_simple_prompt',
    title: 'A prompt',
    description: 'A prompt without arguments.',
    arguments: [],
    text: () => 'This is a simple prompt for testing.',
  },
  {
    name: 'test_prompt_with_arguments',
    title: 'A prompt with arguments',
    description: 'A prompt with two arguments.',
    arguments: [argument('arg1'), argument('arg2')],
    text: ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
  },
])

/** The service's own HTTP and MCP surface over the tools, resources and prompts that the suites name. */
export async function useFixtureServer(): Promise<string> {
  const { app } = smallApp({ operations: [...operations, ...quiet], guides, prompts })
  const server = await startServer({ fetch: app.fetch, refuse: app.refuse, host: '127.0.0.1', port: 0 })
  afterAll(() => server.close(1000))
  return `${server.url}/mcp?tools=all`
}
