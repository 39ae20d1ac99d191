import { useEffect } from 'preact/hooks'
import { strangersText } from '../words/strangersText.ts'

/** Sets the title of the browser's tab to what the page is about; until then it names the kind of page. @param words may be a stranger's */
export function useTitle(words: string | undefined): void {
  useEffect(() => {
    if (words !== undefined) document.title = `${strangersText(words, 60)} · Remit`
  }, [words])
}
