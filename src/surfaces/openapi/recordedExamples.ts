import { Examples } from './examples.ts'
import recorded from './generated/examples.json' with { type: 'json' }

/** The committed examples. `npm run openapi:record` writes them, and a test compares them. */
export function recordedExamples(): Examples {
  return Examples.parse(recorded)
}
