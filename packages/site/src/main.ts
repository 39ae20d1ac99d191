import './design/tokens.css'
import './design/base.css'
import { pageData } from './page/pageData.ts'
import { show } from './page/show.tsx'
import { applyTheme } from './page/theme.ts'

// The script of every page: it mounts the component of the page that the document names.

/** What a page's module gives: its component. */
interface PageModule {
  readonly Page: () => preact.JSX.Element | null
}

/** Each page is a chunk of its own. The document has a preload link for it, so the import below finds it on its way. */
const modules = import.meta.glob<PageModule>('./pages/*/page.tsx')

applyTheme()
const load = modules[`./pages/${pageData.page}/page.tsx`]
if (load === undefined) throw new Error(`There is no page ${pageData.page}.`)
let Page: PageModule['Page'] = () => null
try {
  ;({ Page } = await load())
} finally {
  // Also where the page's code does not come: the frame says so.
  show(Page)
}
