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
  'subgraph-compare': () => import('./subgraphCompare/compareCommand.ts'),
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

const [first = 'serve', ...rest] = process.argv.slice(2)
const isOption = first.startsWith('-')
const load = Object.hasOwn(COMMANDS, first) ? COMMANDS[first] : undefined
if (['--help', '-h', 'help'].includes(first)) process.stdout.write(HELP)
else if (load !== undefined) await (await load()).main(rest)
else if (isOption) await (await import('./processes/serve.ts')).main([first, ...rest])
else {
  process.stderr.write(`There is no command ${first}.\n\n${HELP}`)
  process.exitCode = 2
}
