/** Sources are TypeScript, which npm's scripts start; the bundle is JavaScript, which Node starts by itself. */
const fromSources = import.meta.filename.endsWith('.ts')

/**
 * What somebody types who has the service in front of them: `npm run keys -- list` where its sources run, and
 * `node main.js keys list` for its bundle.
 * @param script what npm is told, where that is more than the command's name
 */
export function commandLine(command: string, words = '', script = command): string {
  if (!fromSources) return `node main.js ${command} ${words}`.trimEnd()
  return words === '' ? `npm run ${script}` : `npm run ${script} -- ${words}`
}
