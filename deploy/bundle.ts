/**
 * Makes `dist/`: the programs of this package with all that they need at run time. Copy it to any machine with Node.
 * Run it with `node --import tsx deploy/bundle.ts`.
 */
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packClient } from '@remit/client/pack/packClient'
import { buildSite } from '@remit/site/build'
import { build } from 'esbuild'
import packageJson from '../package.json' with { type: 'json' }
import { copyPackage } from './copyPackage.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')

const PROGRAMS = {
  main: 'packages/service/src/main.ts',
  // A thread of the others, which makes forecasts.
  forecaster: 'packages/service/src/forecasting/forecaster.ts',
}

/** These cannot be bundled: they are native, or loaded only if they are installed. */
const EXTERNAL = ['libsql', 'pg-native']

/** The files that the reference page loads. Their package holds each file in four versions. */
const VIEWER = [
  'package.json',
  'LICENSE',
  'NOTICE',
  'swagger-ui-bundle.js',
  'swagger-ui.css',
  'favicon-32x32.png',
]

/** CommonJS packages expect these names. */
const COMMON_JS = `import { createRequire as __createRequire } from 'node:module'
const require = __createRequire(import.meta.url)
const __filename = import.meta.filename
const __dirname = import.meta.dirname`

rmSync(dist, { recursive: true, force: true })
mkdirSync(dist)
await build({
  absWorkingDir: root,
  entryPoints: PROGRAMS,
  outdir: dist,
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  external: EXTERNAL,
  banner: { js: COMMON_JS },
  // For stack traces, which do not need the sources themselves.
  sourcemap: true,
  sourcesContent: false,
  // Names stay, for stack traces.
  minifyWhitespace: true,
  legalComments: 'linked',
  logLevel: 'warning',
})
copyPackage('libsql', { from: root, to: dist })
for (const file of VIEWER) copyFile(join('node_modules/swagger-ui-dist', file))
copyFile('docs')
// The service reads both from here.
await packClient(join(dist, 'packages/client/pack/dist'))
await buildSite(join(dist, 'packages/site/dist'))
copyFile('LICENSE')
const { name, version, license } = packageJson
writeFileSync(join(dist, 'package.json'), `${JSON.stringify({ name, version, license, type: 'module' })}\n`)

function copyFile(path: string): void {
  mkdirSync(dirname(join(dist, path)), { recursive: true })
  cpSync(join(root, path), join(dist, path), { recursive: true })
}
