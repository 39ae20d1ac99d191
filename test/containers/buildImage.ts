import { execFile } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import * as z from 'zod'
import { Dockerignore } from './Dockerignore.ts'
import { npmEnvironment } from './npmEnvironment.ts'
import { type Instruction, readDockerfile, readPairs } from './readDockerfile.ts'
import { accountOf, idsOf, makeFolder, makeWritable, own, type Stage } from './Stage.ts'

const run = promisify(execFile)
const Words = z.array(z.string()).min(1)

export interface Image {
  readonly stages: readonly Stage[]
  /** The last stage: what would be run. */
  readonly runtime: Stage
  remove(): void
}

/**
 * Runs a Dockerfile's steps without Docker, in clean folders below a temporary one, each of which stands for the
 * root of a stage. Node and npm are this machine's, whatever FROM says; nothing else of a base image is there. No
 * step runs as root. An instruction that is not known here throws.
 * @param context the folder that is built from
 */
export async function buildImage(context: string): Promise<Image> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'remit-image-')))
  // Others than root shall get in.
  chmodSync(folder, 0o755)
  const stages: Stage[] = []
  const remove = () => {
    for (const { root } of stages) makeWritable(root)
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    const build = { context, folder, stages, ignored: new Dockerignore(read(context, '.dockerignore')) }
    for (const instruction of readDockerfile(read(context, 'Dockerfile'))) await take(instruction, build)
    const runtime = stages.at(-1)
    if (runtime === undefined) throw new Error('The Dockerfile has no stage.')
    return { stages, runtime, remove }
  } catch (error) {
    remove()
    throw error
  }
}

interface Build {
  readonly context: string
  readonly folder: string
  readonly stages: Stage[]
  readonly ignored: Dockerignore
}

async function take(instruction: Instruction, build: Build): Promise<void> {
  const { name, text, line, flags } = instruction
  if (name === 'FROM') return begin(instruction, build)
  const stage = build.stages.at(-1)
  if (stage === undefined) throw new Error(`Line ${line}: ${name} before any FROM.`)
  if (name !== 'COPY' && name !== 'HEALTHCHECK' && Object.keys(flags).length > 0) {
    throw new Error(`Line ${line}: no option of ${name} is known here.`)
  }
  switch (name) {
    case 'WORKDIR':
      stage.workdir = text
      makeFolder(stage, text)
      return
    case 'COPY':
      return copy(instruction, stage, build)
    case 'RUN':
      return step(instruction, stage)
    case 'ENV':
      Object.assign(stage.environment, Object.fromEntries(readPairs(text)))
      return
    case 'LABEL':
      Object.assign(stage.labels, Object.fromEntries(readPairs(text)))
      return
    case 'USER':
      stage.user = text
      idsOf(text)
      return
    case 'EXPOSE':
      stage.exposed.push(z.coerce.number().int().parse(text))
      return
    case 'STOPSIGNAL':
      stage.stopSignal = text
      return
    case 'HEALTHCHECK':
      stage.healthcheck = { command: Words.parse(JSON.parse(text.replace(/^CMD\s+/, ''))), flags }
      return
    case 'CMD':
      // The exec form alone: with a shell in front, signals would end that.
      stage.command = Words.parse(JSON.parse(text))
      return
    default:
      throw new Error(`Line ${line}: ${name} is not known here.`)
  }
}

function begin({ text, line }: Instruction, { folder, stages }: Build): void {
  const match = /^node:(\d+\.\d+\.\d+)-\S+ AS (\w+)$/.exec(text)
  if (match === null) throw new Error(`Line ${line}: not a Node of one version with a name: ${text}`)
  const name = match[2] ?? ''
  const root = join(folder, name)
  mkdirSync(join(root, 'tmp'), { recursive: true })
  mkdirSync(join(root, 'home'))
  own(root)
  chmodSync(join(root, 'tmp'), 0o1777)
  stages.push({
    name,
    root,
    workdir: '/',
    user: undefined,
    environment: {},
    labels: {},
    exposed: [],
    stopSignal: undefined,
    healthcheck: undefined,
    command: undefined,
  })
}

function copy({ text, flags, line }: Instruction, stage: Stage, { context, stages, ignored }: Build): void {
  const { from, chown, ...unknown } = flags
  if (Object.keys(unknown).length > 0) throw new Error(`Line ${line}: an option of COPY is not known here.`)
  if (/[*?[]/.test(text)) throw new Error(`Line ${line}: patterns are not known here.`)
  const source = from === undefined ? context : stages.find(({ name }) => name === from)?.root
  if (source === undefined) throw new Error(`Line ${line}: there is no stage ${from}.`)
  const paths = text.split(/\s+/)
  const target = paths.pop() ?? ''
  const intoFolder = target.endsWith('/') || paths.length > 1
  for (const path of paths) {
    const origin = join(source, path)
    const isFolder = statSync(origin).isDirectory()
    const destination = target.startsWith('/') ? target : join(stage.workdir, target)
    const parent = makeFolder(stage, isFolder || intoFolder ? destination : join(destination, '..'))
    const place = isFolder ? parent : join(parent, basename(intoFolder ? path : destination))
    const isTaken = (each: string) =>
      from !== undefined || each === context || isFolderOnTheWay(each) || !ignored.excludes(inContext(each))
    if (!isTaken(origin)) throw new Error(`Line ${line}: .dockerignore excludes ${path}.`)
    cpSync(origin, place, { recursive: true, filter: isTaken, verbatimSymlinks: true })
    own(place, chown === undefined ? undefined : idsOf(chown))
  }
  // What is excluded as a whole may have parts that are not.
  function isFolderOnTheWay(each: string): boolean {
    return statSync(each).isDirectory()
  }
  function inContext(each: string): string {
    return relative(context, each).split(sep).join('/')
  }
}

async function step({ text, line }: Instruction, stage: Stage): Promise<void> {
  if (text.startsWith('[')) throw new Error(`Line ${line}: RUN is known in its shell form alone.`)
  // It would be this machine's.
  if (/(^|[\s=:'"])\/(?!dev\/null)/.test(text)) throw new Error(`Line ${line}: RUN names an absolute path.`)
  const options = {
    ...accountOf(stage),
    cwd: join(stage.root, stage.workdir),
    env: { ...(await npmEnvironment(join(stage.root, 'home'))), ...stage.environment },
    maxBuffer: 64 * 1024 * 1024,
  }
  try {
    await run('/bin/sh', ['-c', text], options)
  } catch (cause) {
    const { stdout, stderr } = z.object({ stdout: z.string(), stderr: z.string() }).parse(cause)
    throw new Error(`Line ${line}: RUN ${text} failed:\n${stdout}\n${stderr}`, { cause })
  }
}

function read(context: string, name: string): string {
  return readFileSync(join(context, name), 'utf8')
}
