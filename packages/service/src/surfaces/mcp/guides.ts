import { type Resource, ResourceNotFoundError, type TextResourceContents } from '@modelcontextprotocol/server'
import type { ServedDocument } from '../../calls/servedDocument.ts'

const SCHEME = 'remit:/'
const MARKDOWN = 'text/markdown'

export type Guides = Pick<ReturnType<typeof createGuides>, 'list' | 'read'>

/** The guides as resources: the same Markdown that is served over HTTP. */
export function createGuides(documents: readonly ServedDocument[]) {
  const guides = documents.filter(({ contentType }) => contentType.startsWith(MARKDOWN))
  const byUri = new Map(guides.map((guide) => [`${SCHEME}${guide.path}`, guide]))

  /** Made at the first question: the reference among them takes a moment. */
  function list(): Resource[] {
    return [...byUri].map(([uri, { path, render }]) => {
      const text = String(render())
      const name = path.slice(path.lastIndexOf('/') + 1, -'.md'.length)
      const title = /^# (.+)$/m.exec(text)?.[1]
      return { uri, name, mimeType: MARKDOWN, ...(title === undefined ? {} : { title }) }
    })
  }

  /** Throws ResourceNotFoundError. */
  function read(uri: string): TextResourceContents {
    const guide = byUri.get(uri)
    if (guide === undefined) throw new ResourceNotFoundError(uri.slice(0, 200))
    return { uri, mimeType: MARKDOWN, text: String(guide.render()) }
  }

  return { list, read }
}
