/**
 * Makes of every tool of an endpoint what the AI SDK makes of it, and calls one.
 *
 * Arguments: the endpoint's URL, an API key, the tool to call. Prints the tools that it took, as JSON.
 */
import { createMCPClient } from '@ai-sdk/mcp'

const [url, key, called] = process.argv.slice(2)
const client = await createMCPClient({ transport: { type: 'http', url, headers: { 'X-API-Key': key } } })
try {
  const tools = await client.tools()
  const taken = Object.entries(tools).filter(
    ([, { inputSchema }]) => inputSchema.jsonSchema.type === 'object',
  )
  const result = await tools[called].execute({}, { toolCallId: '1', messages: [] })
  if (result.isError) throw new Error(JSON.stringify(result))
  console.log(JSON.stringify(taken.map(([name]) => name)))
} finally {
  await client.close()
}
