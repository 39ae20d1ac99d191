import { Examples } from './examples.ts'
import recorded from './generated/examples.json' with { type: 'json' }

/** The examples that are committed: `npm run openapi:record` makes them, and its test compares them. */
export function recordedExamples(): Examples {
  return Examples.parse(recorded)
}
