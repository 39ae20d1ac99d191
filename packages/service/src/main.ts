/** A way to run the service. It reads the environment, and sets the exit code. */
type Command = (args: readonly string[]) => Promise<void>

/** Each is loaded when it is asked for. */
const COMMANDS: Readonly<Record<string, () => Promise<{ readonly main: Command }>>> = {
  serve: () => import('./processes/serve.ts'),
  index: () => import('./processes/indexer.ts'),
  deliver: () => import('./processes/deliverer.ts'),
  check: () => import('./processes/healthcheck.ts'),
  doctor: () => import('./doctor/doctorCommand.ts'),
  keys: () => import('./keysCommand/keysCommand.ts'),
  compare: () => import('./subgraphCompare/compareCommand.ts'),
}

const words = process.argv.slice(2)
const named = words[0] !== undefined && !words[0].startsWith('-')
const load = COMMANDS[named ? (words[0] ?? '') : 'serve']
if (load === undefined) {
  process.stderr.write(`There is no command ${words[0]}: it is one of ${Object.keys(COMMANDS).join(', ')}.\n`)
  process.exitCode = 2
} else {
  const { main } = await load()
  await main(named ? words.slice(1) : words)
}
