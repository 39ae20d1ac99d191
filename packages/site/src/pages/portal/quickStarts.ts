/** How to begin with a tool: what it is, and what to paste. */
interface QuickStart {
  readonly name: string
  /** Where the text goes. */
  readonly into: string
  readonly text: string
}

/** The texts for each tool, with the address and the key in place. @param url of the service */
export function quickStarts(url: string, key: string): readonly QuickStart[] {
  const authorization = `Bearer ${key}`
  const json = (value: object) => JSON.stringify(value, undefined, 2)
  const server = { url: `${url}/mcp`, headers: { Authorization: authorization } }
  return [
    {
      name: 'curl',
      into: 'A terminal',
      text: `curl -H 'Authorization: ${authorization}' ${url}/protocol/state`,
    },
    {
      name: 'TypeScript',
      into: `A program, after npm install ${url}/client.tgz viem`,
      text: `import { createClient } from '@remit/client'\n\nconst client = createClient({ url: '${url}', apiKey: '${key}' })\nconsole.log(await client.getProtocolState())`,
    },
    {
      name: 'Claude Code',
      into: 'A terminal',
      text: `claude mcp add --transport http remit ${url}/mcp --header "Authorization: ${authorization}"`,
    },
    { name: 'Cursor', into: '.cursor/mcp.json', text: json({ mcpServers: { remit: server } }) },
    {
      name: 'VS Code',
      into: '.vscode/mcp.json',
      text: json({ servers: { remit: { type: 'http', ...server } } }),
    },
  ]
}
