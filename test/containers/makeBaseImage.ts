import { execFile, execFileSync } from 'node:child_process'
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Buildah } from './buildah.ts'

const runFile = promisify(execFile)

/** What a shell, the programs that a build step calls, and Node need of a Debian. */
const PACKAGES = [
  'coreutils',
  'dash',
  'libacl1',
  'libattr1',
  'libc6',
  'libgcc-s1',
  'libgmp10',
  'libpcre2-8-0',
  'libselinux1',
  'libstdc++6',
]

/** The npm that comes with Node 24. */
const NPM = '11.21.2'

/**
 * Makes a small stand-in for the official image of Node, since a registry of images is not within reach of every
 * machine: this Debian's own files, and Node and npm from npm's registry.
 * @param image its name as FROM has it, such as `node:24.21.0-bookworm-slim`: it gets exactly this version of Node
 */
export async function makeBaseImage(buildah: Buildah, image: string): Promise<void> {
  const version = /^node:(\d+\.\d+\.\d+)-/.exec(image)?.[1]
  if (version === undefined) throw new Error(`Not a Node of one version: ${image}`)
  const folder = mkdtempSync(join(tmpdir(), 'remit-base-'))
  try {
    const root = join(folder, 'root')
    addDebian(root)
    await addNode(root, version)
    const dockerfile = join(folder, 'Dockerfile')
    writeFileSync(dockerfile, dockerfileOf(version))
    const options = ['--format', 'docker', '--quiet', '--file', dockerfile]
    await buildah.run('build', ...options, '--tag', `docker.io/library/${image}`, root)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const dockerfileOf = (version: string) => `FROM scratch
COPY . /
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin NODE_VERSION=${version}
CMD ["node"]
`

function addDebian(root: string): void {
  for (const each of ['bin', 'lib', 'lib64', 'sbin']) {
    mkdirSync(join(root, 'usr', each), { recursive: true })
    symlinkSync(join('usr', each), join(root, each))
  }
  for (const each of ['dev', 'etc', 'home', 'proc', 'root', 'run', 'sys', 'tmp', 'var'])
    mkdirSync(join(root, each))
  chmodSync(join(root, 'tmp'), 0o1777)
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/sh\n')
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\n')
  const paths = execFileSync('dpkg-query', ['--listfiles', ...PACKAGES], { encoding: 'utf8' }).split('\n')
  // Manuals are not installed on every machine, whatever the package lists.
  const files = paths.filter(
    (path) => path.startsWith('/') && !path.startsWith('/usr/share/') && isFile(path),
  )
  const archive = execFileSync('tar', ['--create', '--directory=/', '--files-from=-'], {
    input: files.map((path) => path.slice(1)).join('\n'),
    maxBuffer: 128 * 1024 * 1024,
  })
  execFileSync('tar', ['--extract', '--keep-directory-symlink', `--directory=${root}`], { input: archive })
}

/** A file or a link, and no folder: a link to a folder, such as /lib, is one of the root's own. */
function isFile(path: string): boolean {
  const status = lstatSync(path, { throwIfNoEntry: false })
  return status !== undefined && !status.isDirectory()
}

async function addNode(root: string, version: string): Promise<void> {
  const node = `node-linux-${process.arch}`
  const prefix = join(root, 'usr/local')
  const options = [
    '--global',
    `--prefix=${prefix}`,
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--prefer-offline',
  ]
  await runFile('npm', ['install', ...options, `${node}@${version}`, `npm@${NPM}`])
  // Headers and manuals are a third of it.
  for (const each of ['include', 'share']) {
    rmSync(join(prefix, 'lib/node_modules', node, each), { recursive: true, force: true })
  }
}
