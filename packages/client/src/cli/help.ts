import { GLOBAL_OPTIONS } from './globalOptions.ts'
import type { Command, Options } from './invocation/Command.ts'

/** The text of `remit --help`. */
export function overview(commands: readonly Command[]): string {
  const rows = commands.map(({ name, operands, summary }) => [`${name} ${operands}`.trim(), summary] as const)
  return `Recurring payments on chain: reads, prepared transactions, a keeper.

  remit <command> [options]

${columnsOf(rows)}

Everywhere:
${optionsOf(GLOBAL_OPTIONS)}

remit <command> --help says more. Exit codes: 0 done; 1 the service said no; 2 the command line is wrong;
3 the service, its chain or the network failed, or a limit is spent; 130 interrupted.
`
}

/** The text of `remit <command> --help`. */
export function helpOf({ name, operands, summary, options, notes }: Command): string {
  const own = Object.keys(options).length === 0 ? '' : `\n${optionsOf(options)}\n`
  return `${summary}

  remit ${[name, operands].filter((part) => part !== '').join(' ')} [options]
${own}${notes === undefined ? '' : `\n${notes}\n`}
Everywhere:
${optionsOf(GLOBAL_OPTIONS)}
`
}

function optionsOf(options: Options): string {
  return columnsOf(
    Object.entries(options).map(([name, { value, help }]) => [
      [`--${name}`, value].filter((part) => part !== undefined).join(' '),
      help,
    ]),
  )
}

function columnsOf(rows: readonly (readonly [left: string, right: string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n')
}
