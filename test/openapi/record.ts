import { readFile, writeFile } from 'node:fs/promises'
import { operations } from '@remit/service/operations/index'
import { EVENT_GUIDES } from './eventsGuide.ts'
import { EXAMPLES_PATH, exampleText } from './examplesFile.ts'
import { recordExamples } from './recordExamples.ts'

// `npm run examples -w @remit/testing`: writes down anew what the service answers, after something of that has changed.

const examples = await recordExamples(operations)
const text = exampleText(examples)
await writeFile(EXAMPLES_PATH, text)
for (const { path, write } of EVENT_GUIDES) {
  await writeFile(path, write(await readFile(path, 'utf8'), examples.events))
}
process.stdout.write(`${Math.round(text.length / 1024)} KiB of examples are recorded.\n`)
