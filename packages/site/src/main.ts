import './design/tokens.css'
import './design/base.css'
import { pageData } from './page/pageData.ts'
import { show } from './page/show.tsx'
import { applyTheme } from './page/theme.ts'

/** What a page's module gives: its component. */
interface PageModule {
  readonly Page: () => preact.JSX.Element
}

/** Each page is a chunk of its own. The document has named it to the browser already. */
const modules = import.meta.glob<PageModule>('./pages/*/page.tsx')

applyTheme()
const load = modules[`./pages/${pageData.page}/page.tsx`]
if (load === undefined) throw new Error(`There is no page ${pageData.page}.`)
const { Page } = await load()
show(Page)
