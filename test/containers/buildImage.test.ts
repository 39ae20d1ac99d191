import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { buildImage } from './buildImage.ts'
import { Dockerignore } from './Dockerignore.ts'

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

function contextOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'remit-context-'))
  folders.push(folder)
  for (const [name, text] of Object.entries({ '.dockerignore': '*\n!kept\nkept/*.log\n', ...files })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

const build = (lines: string, files = {}) =>
  buildImage(contextOf({ Dockerfile: `FROM node:22.1.0-slim AS one\nWORKDIR /app\n${lines}\n`, ...files }))

describe('the steps of a Dockerfile', () => {
  it('are run in order, each stage in a folder of its own', async () => {
    const files = { 'kept/a': 'a', 'kept/a.log': 'secret', other: 'other' }
    const image = await build(
      `COPY kept ./
RUN echo "$GREETING$(cat a)" > b && \\
    test -e b
FROM node:22.1.0-slim AS two
ENV GREETING=hello
WORKDIR /srv
COPY --from=one /app/b /app/a ./
USER 7:8
CMD ["node", "a"]`,
      files,
    )
    try {
      const { runtime, stages } = image
      expect(stages.map(({ name }) => name)).toEqual(['one', 'two'])
      expect(runtime).toMatchObject({ workdir: '/srv', user: '7:8', environment: { GREETING: 'hello' } })
      expect(runtime.command).toEqual(['node', 'a'])
      expect(readFileSync(join(runtime.root, 'srv/b'), 'utf8')).toBe('a\n')
      expect(existsSync(join(stages[0]?.root ?? '', 'app/a.log'))).toBe(false)
      expect(existsSync(join(stages[0]?.root ?? '', 'app/other'))).toBe(false)
    } finally {
      image.remove()
      expect(existsSync(image.runtime.root)).toBe(false)
    }
  })

  it.each([
    [
      'an instruction that nobody knows here',
      'ADD https://elsewhere.example/x .',
      /Line 3: ADD is not known/,
    ],
    ['an option that nobody knows here', 'RUN --mount=type=cache true', /Line 3: no option of RUN/],
    ['a step that fails', 'RUN echo why >&2 && false', /Line 3: RUN .* failed:\s+why/],
    ['a step that reaches out of the stage', 'RUN cat /etc/passwd', /Line 3: RUN names an absolute path/],
    ['a shell in front of the command', 'CMD node main.js', /JSON/],
    ['a user by name', 'USER node', /Not two numeric ids: node/],
    ['a file that is not for images', 'COPY other ./', /Line 3: .dockerignore excludes other/],
    ['a stage that is not there', 'COPY --from=two /x ./', /Line 3: there is no stage two/],
    ['a base image of whatever version', 'FROM node:latest AS two', /Line 3: not a Node of one version/],
  ])('end at %s', async (_, lines, sentence) => {
    await expect(build(lines, { other: 'other' })).rejects.toThrow(sentence)
  })
})

describe('.dockerignore', () => {
  const { excludes } = { excludes: (path: string) => new Dockerignore(rules).excludes(path) }
  const rules = '# words\n*\n!src\n!client/package.json\n**/*.test.ts\n'

  it.each([
    ['src/main.ts', false],
    ['src/deep/er/main.ts', false],
    ['src/main.test.ts', true],
    ['src/deep/main.test.ts', true],
    ['client/package.json', false],
    ['client/src/index.ts', true],
    ['.env', true],
    ['src.ts', true],
  ])('excludes %s: %s', (path, isExcluded) => {
    expect(excludes(path)).toBe(isExcluded)
  })

  it('is not guessed at', () => {
    expect(() => new Dockerignore('src/[ab]')).toThrow('Not read here')
  })
})
