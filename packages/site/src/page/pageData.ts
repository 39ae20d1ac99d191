import type { PageData } from './pageContents.ts'

/** What the service wrote into the document of this visit. */
export const pageData: PageData = read()

function read(): PageData {
  const text = document.getElementById('page')?.textContent
  if (!text) throw new Error('The document has no data: it did not come from this service.')
  // Safe: the document and this script come from the same service, and the same declaration types both.
  return JSON.parse(text) as PageData
}
