import { writeFile } from 'node:fs/promises'
import { operations } from '../../src/operations/index.ts'
import { EXAMPLES_PATH, exampleText } from './examplesFile.ts'
import { recordExamples } from './recordExamples.ts'

// `npm run openapi:record`: writes down anew what the service answers, after something of that has changed.

const text = exampleText(await recordExamples(operations))
await writeFile(EXAMPLES_PATH, text)
process.stdout.write(`${Math.round(text.length / 1024)} KiB of examples are recorded.\n`)
