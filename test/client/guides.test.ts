import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { transform } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { useLife } from '../parity/life.ts'
import { useClientPackage } from '../support/programs/useClientPackage.ts'
import { indexed } from '../support/service/indexed.ts'
import { ADMIN_SECRET, useTestService } from '../support/service/testService.ts'

const packed = await useClientPackage()
const life = await useLife()
const service = await useTestService([life.chain])
await indexed(service, life.chain)

/** The blocks of a guide as one program, up to what needs a wallet. */
async function programOf(file: string): Promise<string> {
  const text = await readFile(new URL(`../../${file}`, import.meta.url), 'utf8')
  const [calling = ''] = text.split(/^## Sending/m)
  const blocks = [...calling.matchAll(/^```ts\n(.*?)^```/gms)].map(([, block]) => block)
  return blocks
    .join('\n')
    .replaceAll('https://remit.example', service.url)
    .replaceAll('https://rpc.example', life.chain.url)
}

const GUIDES: [file: string, says: RegExp[]][] = [
  [
    'docs/client.md',
    [
      /days behind; next is/,
      /^one call of remit charges \d+ at most/m,
      /10 USDC is 10000000/,
      /^subscription\.created \d+$/m,
      /INSUFFICIENT_BALANCE/,
      /shown this once: 53 char/,
    ],
  ],
  [
    'packages/client/README.md',
    [/days behind, next is/, /^0x[0-9a-f]{64} 10000000n USDC$/m, /There is no subscription/],
  ],
]

const nameOf = (file: string) => file.replaceAll(/\W/g, '_')

it('their blocks compile strictly against the package', async () => {
  const files = GUIDES.map(([file]) => `${nameOf(file)}.ts`)
  for (const [file] of GUIDES)
    await writeFile(join(packed.project, `${nameOf(file)}.ts`), await programOf(file))
  const compilerOptions = {
    module: 'nodenext',
    target: 'ES2022',
    lib: ['ES2022', 'DOM'],
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
  }
  await writeFile(join(packed.project, 'tsconfig.guides.json'), JSON.stringify({ compilerOptions, files }))
  await packed.run('tsc', ['-p', 'tsconfig.guides.json'])
})

describe.each(GUIDES)('%s', (file, says) => {
  const name = nameOf(file)

  it('has blocks that do what they say, in plain Node', async () => {
    const { code } = await transform(await programOf(file), { loader: 'ts', format: 'esm' })
    await writeFile(join(packed.project, `${name}.js`), code)
    const said = await packed.node(`${name}.js`)
    for (const line of says) expect(said).toMatch(line)
    expect(said).not.toContain(ADMIN_SECRET)
  })
})
