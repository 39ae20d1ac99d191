import { render } from 'preact'
import { Frame } from '../design/frame/Frame.tsx'

/** Puts a page into the document, with the frame that all pages have. */
export function show(Page: () => preact.JSX.Element | null): void {
  const place = document.getElementById('site')
  if (place === null) throw new Error('The document has no place for the page.')
  render(
    <Frame>
      <Page />
    </Frame>,
    place,
  )
}
