import { BUILT_IN_CHAINS, ChainEntry } from '@remit/engine/chain/registry'
import { GROUPS, type Group, type Variable } from './defineVariable.ts'
import { CHAIN } from './variables/chain.ts'
import { VARIABLES } from './variables.ts'

// The documentation of the variables, written by `document.ts` (`npm run document`): docs/configure.md and .env.example.

/** The tables of docs/configure.md: one for each group. */
export function variablesMarkdown(): string {
  return `${inGroups(tableOf).join('\n\n')}\n`
}

/** An environment file with every variable. All but the necessary ones are commented out. */
export function environmentExample(): string {
  const head = `# Every variable, written by \`npm run document -w @remit/service\`. docs/configure.md says more of each.
# A line that is commented out shows the default. Secrets are empty: never commit a file that holds them.
# Shells, compose and \`node --env-file\` read it alike: no spaces around =, and single quotes around a value that
# has a space or one of ; & # $ ( ) in it, such as RPC_LIMITS_8453='batch=10;batch=3'.
`
  return [head, ...inGroups(sectionOf)].join('\n')
}

function inGroups(write: (group: Group, variables: readonly Variable[]) => string): string[] {
  return GROUPS.map((group) =>
    write(
      group,
      VARIABLES.filter((variable) => variable.group === group),
    ),
  )
}

function tableOf(group: Group, variables: readonly Variable[]): string {
  const rows = variables.map((variable) => {
    const { name, schema, description, secret } = variable
    const note = { all: ' Secret.', parts: ' It may hold a secret.' }
    const cells = [
      `\`${name}\``,
      shownDefault(variable),
      schema.description ?? '',
      description + (secret ? note[secret] : ''),
    ]
    return cells.map((cell) => cell.replaceAll('|', '\\|'))
  })
  return [`### ${group}`, '', ...alignedTable(['variable', 'default', 'takes', ''], rows)].join('\n')
}

/** A Markdown table with aligned columns, as the formatter writes it. */
export function alignedTable(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((_, column) =>
    Math.max(3, ...[head, ...rows].map((cells) => cells[column]?.length ?? 0)),
  )
  const line = (cells: readonly string[], filler = ' ') =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width, filler)).join(' | ')} |`
  return [line(head), line([], '-'), ...rows.map((cells) => line(cells))]
}

function shownDefault(variable: Variable): string {
  const shown = defaultsInForce(variable).map(({ text, chains }) =>
    chains.length === 0 ? `\`${text}\`` : `\`${text}\` on ${chains.join(' and ')}`,
  )
  return shown.length === 0 ? '–' : shown.join('; ')
}

function sectionOf(group: Group, variables: readonly Variable[]): string {
  return [`# ${group}`, '', ...variables.map(linesOf)].join('\n')
}

/** The chain in the example file. */
const EXAMPLE = { id: '8453', name: 'Base' }

/** The variables that a service over Base, or compose, cannot start without. */
const NEEDED = ['RPC_URL_<id>', 'POSTGRES_PASSWORD', 'REDIS_PASSWORD']

/** A variable in the example file: its first sentence, and a line that sets it. */
function linesOf(variable: Variable): string {
  const { name, description, schema } = variable
  const takes = schema.description === undefined ? '' : ` (${schema.description})`
  const words = `${firstSentence(description)}${takes}.`.replaceAll('`', '')
  const defaults = defaultsInForce(variable)
  const ofExample = defaults.find(({ chains }) => chains.includes(EXAMPLE.name))
  const usual = ofExample ?? defaults.find(({ chains }) => chains.length === 0)
  const line = `${name.replace('<id>', EXAMPLE.id)}=${usual?.text ?? ''}`
  return `# ${words}\n${NEEDED.includes(name) ? '' : '# '}${line}\n`
}

/** The first sentence of a description, without its full stop. */
function firstSentence(description: string): string {
  return description.split(/\.(?: |$)/, 1)[0] ?? description
}

/** A chain entry with only the required fields, to read the defaults from. */
const PLAIN = ChainEntry.parse({ chainId: 1, name: ' ', contractAddress: `0x${'0'.repeat(40)}` })
const REQUIRED: readonly string[] = ['name', 'contractAddress']

/** A default as an operator would write it, and its chains; without chains it is the default of all others. */
interface DefaultInForce {
  readonly text: string
  readonly chains: readonly string[]
}

/** The defaults of a variable; empty where it has none. One in `CHAIN` sets a field of a chain's entry, and has that field's. */
function defaultsInForce(variable: Variable): DefaultInForce[] {
  const field = Object.entries(CHAIN).find(([, declared]) => declared.name === variable.name)?.[0]
  if (field === undefined) {
    return variable.default === undefined || variable.default === ''
      ? []
      : [{ text: variable.default, chains: [] }]
  }
  const usual = REQUIRED.includes(field) ? '' : asText(fieldOf(PLAIN, field))
  const others = new Map<string, string[]>()
  for (const entry of BUILT_IN_CHAINS) {
    const text = asText(fieldOf(entry, field))
    if (text !== usual) others.set(text, [...(others.get(text) ?? []), entry.name])
  }
  return [
    ...(usual === '' ? [] : [{ text: usual, chains: [] }]),
    ...[...others].map(([text, chains]) => ({ text, chains })),
  ]
}

function fieldOf(entry: ChainEntry, field: string): unknown {
  return Object.entries(entry).find(([name]) => name === field)?.[1]
}

function asText(value: unknown): string {
  return Array.isArray(value) ? value.join(',') : String(value ?? '')
}

/** Replaces what a command has written between its markers. Throws where the markers are missing. */
export function replaceBetween(before: string, command: string, text: string): string {
  const [begin, end] = ['begin', 'end'].map((word) => `<!-- ${word}: ${command} -->`)
  const [head, rest] = before.split(begin ?? '')
  const tail = rest?.split(end ?? '')[1]
  if (head === undefined || tail === undefined)
    throw new Error(`The markers ${begin} and ${end} are missing.`)
  return `${head}${begin}\n\n${text}\n${end}${tail}`
}
