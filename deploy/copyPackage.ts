import { cpSync, existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import * as z from 'zod'

const Manifest = z.object({
  dependencies: z.record(z.string(), z.string()).default({}),
  optionalDependencies: z.record(z.string(), z.string()).default({}),
})

/** On Linux, native packages for both C libraries are installed, but only one of them can be loaded. */
const OTHER_LIBC = isGlibc() ? /-musl/ : /-gnu/

interface Folders {
  /** The folder with the `node_modules` that holds the package. */
  readonly from: string
  readonly to: string
}

/** Copies an installed package and all its dependencies, each to the same place. Throws if one is missing. */
export function copyPackage(name: string, folders: Folders, asker: string = folders.from): void {
  const source = find(name, asker, folders.from)
  if (source === undefined) throw new Error(`${name} is not installed.`)
  const target = join(folders.to, relative(folders.from, source))
  if (existsSync(target)) return
  // Nested packages are copied when a dependency names them.
  cpSync(source, target, {
    recursive: true,
    filter: (path) => !relative(source, path).split(sep).includes('node_modules'),
  })
  const manifest = Manifest.parse(JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')))
  for (const dependency of Object.keys(manifest.dependencies)) copyPackage(dependency, folders, source)
  for (const dependency of Object.keys(manifest.optionalDependencies)) {
    const isHere = find(dependency, source, folders.from) !== undefined
    if (isHere && !OTHER_LIBC.test(dependency)) copyPackage(dependency, folders, source)
  }
}

/** The folder in which Node finds a package for a module in the folder `asker`; not above `top`. */
function find(name: string, asker: string, top: string): string | undefined {
  const candidate = join(asker, 'node_modules', name)
  if (existsSync(candidate)) return candidate
  return relative(top, asker) === '' ? undefined : find(name, dirname(asker), top)
}

function isGlibc(): boolean {
  const report = z.object({ header: z.object({ glibcVersionRuntime: z.string().optional() }) })
  return report.parse(process.report.getReport()).header.glibcVersionRuntime !== undefined
}
