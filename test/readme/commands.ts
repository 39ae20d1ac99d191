import { BLOCKS_NOT_RUN, NOT_RUN, RUN_ELSEWHERE } from './leftOut.ts'
import type { Snippet } from './snippets.ts'

/** The commands of a block, line by line, and of a line what `&&` ties together; comments at their end are gone. */
function linesOf(text: string): string[][] {
  return text
    .replaceAll(/[ \t]*\\\n\s*/g, ' ')
    .split('\n')
    .map((line) => line.split(' && ').map((part) => part.trimEnd().replace(/\s+#.*$/, '')))
}

/** What is left to run of a block. */
export function commandsOf(text: string): string {
  if (BLOCKS_NOT_RUN.some(({ block }) => block.test(text))) return ''
  const kept = linesOf(text).map((parts) => parts.filter((part) => !isLeftOut(part.trim())).join(' && '))
  return kept.filter((line) => line.trim() !== '').join('\n')
}

function isLeftOut(command: string): boolean {
  return [...RUN_ELSEWHERE, ...NOT_RUN].some(({ command: pattern }) => pattern.test(command))
}

/** What a transcript shows: commands after a `$`, each with what it printed. */
export function transcriptOf(text: string): { command: string; printed: string }[] {
  const parts = text.split(/^\$ /m).slice(1)
  return parts.map((part) => {
    const [command = '', ...printed] = part.split('\n')
    return { command: commandsOf(command), printed: printed.join('\n') }
  })
}

export function allCommands(snippets: readonly Snippet[]): string[] {
  const blocks = snippets.filter(({ language }) => language === 'sh')
  return blocks.flatMap(({ text }) => linesOf(text).flat()).map((part) => part.trim())
}

/** What documents set before `npm start`: all of it at once does no harm. */
export function startedWith(snippets: readonly Snippet[]): Record<string, string> {
  const starts = allCommands(snippets).flatMap(
    (command) => command.match(/^(?:[A-Z_]+=\S+ )+(?=npm start$)/) ?? [],
  )
  return Object.fromEntries(
    starts.flatMap((set) =>
      set
        .trim()
        .split(' ')
        .map((one) => [one.slice(0, one.indexOf('=')), one.slice(one.indexOf('=') + 1)]),
    ),
  )
}
