import { useEffect } from 'preact/hooks'
import { strangersText } from '../words/strangersText.ts'

/** Names what the page is about in its tab. The service has named the kind of page. @param words may be a stranger's */
export function useTitle(words: string | undefined): void {
  useEffect(() => {
    if (words !== undefined) document.title = `${strangersText(words, 60)} · Remit`
  }, [words])
}
