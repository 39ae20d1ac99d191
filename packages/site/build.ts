/** Builds the site for the service to serve: run by `npm ci`, and by `npm run build -w @remit/site` after a change. */
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const site = fileURLToPath(new URL('.', import.meta.url))

/** The folder from which the service serves the site. */
export const BUILT = fileURLToPath(new URL('dist', import.meta.url))

/** Whether Vite is installed: `npm ci --omit=dev` leaves it out. */
export function canBuildSite(): boolean {
  try {
    return existsSync(createRequire(import.meta.url).resolve('vite'))
  } catch {
    return false
  }
}

/** @param outDir receives the files; what was in it goes */
export async function buildSite(outDir = BUILT): Promise<void> {
  // Vite would keep the "test" of a test runner: then Preact's development build is taken, up to a third larger.
  process.env.NODE_ENV = 'production'
  const { build } = await import('vite')
  await build({
    root: site,
    configFile: `${site}vite.config.ts`,
    logLevel: 'warn',
    build: { outDir, emptyOutDir: true, reportCompressedSize: false },
  })
  await buildButton(outDir)
}

/** One file without imports, under a name that stays: pages of others load it by its address. */
async function buildButton(outDir: string): Promise<void> {
  const { build } = await import('esbuild')
  await build({
    entryPoints: [join(site, 'src/button/button.ts')],
    outfile: join(outDir, 'button.js'),
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    logLevel: 'warning',
  })
}

if (import.meta.filename === process.argv[1]) {
  if (canBuildSite()) await buildSite()
  else
    process.stderr.write(
      'Vite is not installed (npm ci --omit=dev), so the site is not built and not served.\n',
    )
}
