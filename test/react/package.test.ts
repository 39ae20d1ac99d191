import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import * as hooks from '@remit/react'
import { build } from 'esbuild'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { useClientPackage } from '../support/programs/useClientPackage.ts'

/** What the hooks may weigh beyond the client, React, wagmi and TanStack Query, in bytes. */
const MOST_BYTES = 6 * 1024

const packed = await useClientPackage()
const tarball = join(packed.project, 'react.tgz')
const guide = await readFile(new URL('../../docs/react.md', import.meta.url), 'utf8')
const readme = await readFile(new URL('../../packages/react/README.md', import.meta.url), 'utf8')
const snippets = [guide, readme].flatMap((text) =>
  [...text.matchAll(/^```tsx\n(.*?)^```/gms)].map(([, code = '']) => code),
)

describe('the tarball', () => {
  it('passes publint, without a warning', async () => {
    const { messages, pkg } = await publint({
      pack: { tarball: Uint8Array.from(await readFile(tarball)).buffer },
      strict: true,
    })
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([])
  })

  it('passes attw: its types are what Node and bundlers find', async () => {
    await packed.run('attw', ['--profile', 'esm-only', '--no-emoji', tarball])
  })

  it('asks for the client of its own version, and brings nothing along', async () => {
    const manifest = await readFile(join(packed.project, 'node_modules/@remit/react/package.json'), 'utf8')
    const { version, peerDependencies, ...rest } = z
      .looseObject({ version: z.string(), peerDependencies: z.record(z.string(), z.string()) })
      .parse(JSON.parse(manifest))
    expect(peerDependencies['@remit/client']).toBe(version)
    expect(Object.keys(peerDependencies).sort()).toEqual([
      '@remit/client',
      '@tanstack/react-query',
      'react',
      'viem',
      'wagmi',
    ])
    expect([rest.dependencies, rest.devDependencies]).toEqual([undefined, undefined])
  })
})

describe('a project that installs it', () => {
  it('compiles every snippet of the guide and the README strictly', async () => {
    const files = snippets.map((_, index) => `snippet${index}.tsx`)
    for (const [index, code] of snippets.entries()) {
      await writeFile(join(packed.project, `snippet${index}.tsx`), code)
    }
    const compilerOptions = {
      module: 'esnext',
      moduleResolution: 'bundler',
      jsx: 'react-jsx',
      target: 'ES2022',
      lib: ['ES2022', 'DOM', 'DOM.Iterable'],
      types: [],
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      noUnusedLocals: true,
      // React's and wagmi's declarations are theirs to check.
      skipLibCheck: true,
      noEmit: true,
    }
    await writeFile(join(packed.project, 'tsconfig.react.json'), JSON.stringify({ compilerOptions, files }))
    await packed.run('tsc', ['-p', 'tsconfig.react.json'])
  })

  it('finds a snippet for each hook and each way to prefetch', () => {
    const named = Object.keys(hooks).filter((name) => name.startsWith('use'))
    expect(named.length).toBeGreaterThan(15)
    const unshown = named.filter((name) => !snippets.some((code) => new RegExp(`\\b${name}\\(`).test(code)))
    expect(unshown).toEqual([])
    expect(Object.keys(hooks).filter((name) => !guide.includes(name))).toEqual([])
  })

  it('prefetches and renders on a server, in plain Node', async () => {
    const script = `
      import { createClient } from '@remit/client'
      import { RemitProvider, remitQueryOptions, useRemitClient } from '@remit/react'
      import { QueryClient, QueryClientProvider, useSuspenseQuery } from '@tanstack/react-query'
      import { createElement } from 'react'
      import { renderToString } from 'react-dom/server'
      const client = createClient({ url: 'https://remit.example', fetch: async () => Response.json({ ready: true }) })
      const queryClient = new QueryClient()
      await queryClient.prefetchQuery(remitQueryOptions(client, 'getReady', {}))
      const Page = () => {
        const { data } = useSuspenseQuery(remitQueryOptions(useRemitClient(), 'getReady', {}))
        return createElement('p', null, String(data.ready))
      }
      const provided = createElement(RemitProvider, { client }, createElement(Page))
      console.log(renderToString(createElement(QueryClientProvider, { client: queryClient }, provided)))
      // Queries that nobody looks at any more are kept for a while.
      queryClient.clear()
    `
    await writeFile(join(packed.project, 'server.js'), script)
    expect(await packed.node('server.js')).toBe('<p>true</p>\n')
  })

  it('is small beyond the client', async () => {
    const { outputFiles } = await build({
      stdin: { contents: "export * from '@remit/react'", resolveDir: packed.project },
      bundle: true,
      platform: 'browser',
      format: 'esm',
      target: 'es2022',
      minify: true,
      write: false,
      external: ['@remit/client', '@tanstack/react-query', 'react', 'viem', 'wagmi'],
    })
    const bytes = gzipSync(outputFiles[0]?.contents ?? '').length
    console.log(`@remit/react: ${bytes} bytes gzipped beyond the client, React, wagmi and TanStack Query`)
    expect(bytes).toBeGreaterThan(0)
    expect(bytes).toBeLessThan(MOST_BYTES)
  })
})
