/** `npx tsx deploy/release/main.ts <version> [--dry-run]`: see CONTRIBUTING.md, "Releases". Publishes nothing. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Artifacts, makeArtifacts } from './makeArtifacts.ts'
import { git, planRelease, ReleaseError, type ReleasePlan } from './planRelease.ts'

const USAGE = 'npx tsx deploy/release/main.ts <version> [--dry-run], with a version such as 1.2.3'

const root = fileURLToPath(new URL('../..', import.meta.url))

try {
  const { version, isDry } = readArguments()
  const plan = planRelease(root, version, new Date().toISOString().slice(0, 10))
  if (isDry) describe(plan)
  else release(plan)
} catch (error) {
  if (!(error instanceof ReleaseError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}

function readArguments(): { version: string; isDry: boolean } {
  const { values, positionals } = parse()
  const [version, ...others] = positionals
  if (version === undefined || others.length > 0) throw new ReleaseError(USAGE)
  return { version, isDry: values['dry-run'] }
}

function parse() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: { 'dry-run': { type: 'boolean', default: false } },
    })
  } catch (cause) {
    // An option that it does not know.
    throw new ReleaseError(USAGE, { cause })
  }
}

function describe({ tag, section, files }: ReleasePlan): void {
  say(`${tag} would change ${files.map(({ path }) => path).join(', ')}, be committed and tagged.`)
  say(`Its section of CHANGELOG.md:\n\n${section}`)
  if (!isClean()) say('A release needs a clean tree: some changes here are not committed.')
}

function release(plan: ReleasePlan): void {
  if (!isClean()) throw new ReleaseError('Commit or stash first: a release is made from what is committed.')
  const { tag, section, files } = plan
  for (const { path, text } of files) writeFileSync(join(root, path), text)
  const paths = files.map(({ path }) => path)
  let made: Artifacts
  try {
    made = makeArtifacts(root, plan)
  } catch (error) {
    git(root, 'checkout', '--', ...paths)
    throw error
  }
  git(root, 'commit', '--quiet', '--message', `Release ${plan.version}`, '--', ...paths)
  // Lines with "#" in front are headings here, and no comments.
  git(root, 'tag', '--annotate', '--cleanup=verbatim', '--message', section, tag)
  sayWhatIsNext(plan, made)
}

function sayWhatIsNext({ version, tag }: ReleasePlan, { folder, files, image }: Artifacts): void {
  say(`${tag} is committed and tagged here. ${folder} has ${files.join(', ')}.`)
  say(
    image === undefined
      ? 'No image was built: neither docker nor podman nor buildah is installed.'
      : `${image.builder} has the image ${image.name}.`,
  )
  say(`Nothing is published yet. Look at it, then:
  git push --follow-tags
  npm publish ${folder}/remit-client-${version}.tgz
  npm publish ${folder}/remit-react-${version}.tgz
and push the image to a registry of yours, and put the other files beside the tag. To take it back instead:
  git tag --delete ${tag} && git reset --keep HEAD~1`)
}

function isClean(): boolean {
  return git(root, 'status', '--porcelain') === ''
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
