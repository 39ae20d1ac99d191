/**
 * Writes the client's generated files: `npm run generate -w @remit/service`. With `--check` it compares instead, and fails if the
 * committed files differ.
 */
import { GeneratedFolder, generateFiles } from './generateFiles.ts'

const folder = new GeneratedFolder(new URL('../../../client/src/generated/', import.meta.url))
const files = await generateFiles()

if (process.argv.includes('--check')) {
  const stale = await folder.stale(files)
  if (stale.length > 0) {
    console.error(
      `${stale.join(', ')} in packages/client/src/generated differ from their sources: run npm run generate -w @remit/service.`,
    )
    process.exitCode = 1
  }
} else {
  await folder.write(files)
}
