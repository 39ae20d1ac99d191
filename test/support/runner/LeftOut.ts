import { relative } from 'node:path'
import type { Reporter, TestModule, Vitest } from 'vitest/node'

const root = new URL('../../..', import.meta.url).pathname

/** Says in one line, at the very end, what a run has left out: where a program is missing, nobody may think it passed. */
export class LeftOut implements Reporter {
  #isChosen = false

  /** With `-t`, whoever runs the tests has left the others out. */
  onInit({ config }: Vitest): void {
    this.#isChosen = config.testNamePattern !== undefined
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (this.#isChosen) return
    const counts = modules.flatMap(({ moduleId, children }) => {
      const count = [...children.allTests('skipped')].length
      return count === 0 ? [] : [{ file: relative(root, moduleId), count }]
    })
    const sentence = leftOutSentence(counts)
    // After the summary of the default reporter, which is written at the same event.
    if (sentence !== undefined) process.once('exit', () => process.stdout.write(`${sentence}\n`))
  }
}

/** The line, or `undefined` where nothing was left out. */
export function leftOutSentence(
  counts: readonly { readonly file: string; readonly count: number }[],
): string | undefined {
  if (counts.length === 0) return undefined
  const total = counts.reduce((sum, { count }) => sum + count, 0)
  const files = counts.map(({ file, count }) => `${file} (${count})`).join(', ')
  return `Left out: ${total} tests that need Postgres, Redis, Chromium, buildah, geth, Python, Go, the compiled subgraph, MCP’s conformance suites, Hardhat’s node, a bundler, workerd, Bun, schemathesis, the makers of clients, the schemas of Kubernetes, nginx, HAProxy, promtool, oasdiff, the linter and the reader of descriptors or a network, in ${files}`
}
