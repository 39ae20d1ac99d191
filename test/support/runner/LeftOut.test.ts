import { expect, it } from 'vitest'
import { leftOutSentence } from './LeftOut.ts'

it('says in one line what was left out, and where', () => {
  const counts = [
    { file: 'test/limitsFaults.test.ts', count: 9 },
    { file: 'test/callers.test.ts', count: 2 },
  ]
  expect(leftOutSentence(counts)).toBe(
    'Left out: 11 tests that need Postgres, Redis, Chromium, buildah, geth, Python, Go, the compiled subgraph, MCP’s conformance suites, Hardhat’s node, a bundler, workerd, Bun, schemathesis, the makers of clients, the schemas of Kubernetes, nginx, HAProxy, promtool, oasdiff, the linter and the reader of descriptors or a network, in ' +
      'test/limitsFaults.test.ts (9), test/callers.test.ts (2)',
  )
})

it('says nothing where all of it ran', () => expect(leftOutSentence([])).toBeUndefined())
