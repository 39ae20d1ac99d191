import { beforeAll, describe, expect, it } from 'vitest'
import { trials, trialsTimeoutMs } from '../support/runner/trials.ts'
import { allCommands, commandsOf, startedWith } from './commands.ts'
import { useCopyOfRepository } from './copyOfRepository.ts'
import { BLOCKS_NOT_RUN, NOT_FOLLOWED, NOT_RUN } from './leftOut.ts'
import { checkTypes, programsOf } from './programs.ts'
import { Reading } from './Reading.ts'
import { documents, placeOf, SECOND, snippetsOf } from './snippets.ts'
import { useGround } from './startGround.ts'

const LANGUAGES = ['sh', 'json', 'ts', 'text', 'html', 'css', 'yaml', 'mermaid', 'python', 'go']

const read = documents().map((file) => {
  const snippets = snippetsOf(file)
  return { file, snippets, programs: programsOf(snippets) }
})
const everything = read.flatMap(({ snippets }) => snippets)
const programs = read.flatMap((document) => document.programs)

const copy = await useCopyOfRepository(allCommands(everything), trials({ short: 1, nightly: 1_000 }))
const startGround = await useGround(startedWith(everything))
let problems: ReadonlyMap<string, readonly string[]> = new Map()

beforeAll(async () => {
  problems = await checkTypes(copy, programs)
})

describe.each(read)('$file', ({ file, snippets, programs }) => {
  const hasCommands = snippets.some(({ language, text }) => language === 'sh' && commandsOf(text) !== '')
  const isFollowed = !NOT_FOLLOWED.some((one) => one.file === file)

  it('says of every block what it is', () => {
    for (const snippet of snippets) expect(LANGUAGES, placeOf(snippet)).toContain(snippet.language)
  })

  if (!isFollowed || (programs.length === 0 && !hasCommands)) return

  it(
    'runs as it is written, from top to bottom, and answers what it shows',
    async () => {
      const ground = await startGround({ goesOn: file === SECOND })
      const reading = new Reading(copy, ground)
      try {
        await reading.read(snippets, programs)
      } finally {
        await reading.close()
        await ground.close()
      }
    },
    trialsTimeoutMs(120_000),
  )
})

it.each(programs)('$name holds against the client’s types', ({ name }) => {
  expect(problems.get(name)).toEqual([])
})

it('leaves nothing out that no document has any more', () => {
  for (const { block, why } of BLOCKS_NOT_RUN) {
    expect(
      everything.some(({ text }) => block.test(text)),
      why,
    ).toBe(true)
  }
  for (const { file, why } of NOT_FOLLOWED) expect(documents(), why).toContain(file)
  const commands = allCommands(everything)
  for (const { command, why } of NOT_RUN) {
    expect(commands.filter((one) => command.test(one)).length, `${command}: ${why}`).toBeGreaterThan(0)
  }
})
