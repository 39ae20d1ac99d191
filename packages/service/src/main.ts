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
  'subgraph-compare': () => import('./subgraphCompare/compareServices.ts'),
}

const HELP = `node main.js <command> …, each configured by the environment:

  serve               the whole service; also without a command
  index               fills the index and serves nobody
  deliver             sends events to webhooks
  check               asks the service of this environment whether it is ready
  doctor              examines configuration, store and nodes
  keys                manages keys without the API
  subgraph-compare    compares the histories of two services
`

const words = process.argv.slice(2)
const named = words[0]?.startsWith('-') === false
const name = named ? (words[0] ?? '') : 'serve'
const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
if (['--help', '-h', 'help'].includes(words[0] ?? '')) process.stdout.write(HELP)
else if (load !== undefined) await (await load()).main(named ? words.slice(1) : words)
else {
  process.stderr.write(`There is no command ${name}.\n\n${HELP}`)
  process.exitCode = 2
}
