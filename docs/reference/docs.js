// Colours, copy buttons, and a search that runs in the page. Without this script the documents read all the same.

const SVG = 'http://www.w3.org/2000/svg'
// As the site's own pages have them.
const SUN =
  'M9 5.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM9 1v2M9 15v2M1 9h2M15 9h2M3.3 3.3l1.5 1.5M13.2 13.2l1.5 1.5M3.3 14.7l1.5-1.5M13.2 4.8l1.5-1.5'
const MOON = 'M15.5 10.6A6.8 6.8 0 0 1 7.4 2.5a6.8 6.8 0 1 0 8.1 8.1z'
const THEME = 'remit.theme'
const root = document.documentElement
const dark = matchMedia('(prefers-color-scheme: dark)')

/** What the visitor chose here or on a page of the site; `null` follows the system. */
function chosenTheme() {
  try {
    return localStorage.getItem(THEME)
  } catch {
    return null
  }
}

function isDark() {
  return (root.dataset.theme ?? (dark.matches ? 'dark' : 'light')) === 'dark'
}

function beginColours() {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'button button--quiet button--small'
  const picture = document.createElementNS(SVG, 'svg')
  picture.setAttribute('viewBox', '0 0 18 18')
  picture.setAttribute('class', 'docs__icon')
  picture.setAttribute('aria-hidden', 'true')
  const icon = document.createElementNS(SVG, 'path')
  picture.append(icon)
  button.append(picture)
  const show = () => {
    button.setAttribute('aria-label', isDark() ? 'Use light colours' : 'Use dark colours')
    icon.setAttribute('d', isDark() ? SUN : MOON)
    // The viewer of the reference has a class for it.
    root.classList.toggle('dark-mode', isDark())
  }
  const choose = (theme) => {
    if (theme === 'light' || theme === 'dark') root.dataset.theme = theme
    show()
  }
  button.addEventListener('click', () => {
    const next = isDark() ? 'light' : 'dark'
    choose(next)
    try {
      localStorage.setItem(THEME, next)
    } catch {
      // It is kept for as long as the page is open.
    }
  })
  dark.addEventListener('change', show)
  choose(chosenTheme())
  document.querySelector('#tools').append(button)
}

function addCopyButtons() {
  for (const code of document.querySelectorAll('.guide__code code')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'button button--small guide__copy'
    button.textContent = 'Copy'
    button.addEventListener('click', async () => {
      try {
        await navigator.clipboard.writeText(code.textContent)
        button.textContent = 'Copied'
      } catch {
        button.textContent = 'Could not be copied'
      }
      setTimeout(() => {
        button.textContent = 'Copy'
      }, 2000)
    })
    code.closest('.guide__code').append(button)
  }
}

const MOST_FOUND = 8
const AROUND = 60

function beginSearch() {
  const input = document.querySelector('#search')
  const list = document.querySelector('#found')
  const count = document.querySelector('#found-count')
  // Where this is the reference, guides are in a folder below.
  const guides = new URL(document.querySelector('#reference') === null ? '.' : 'docs/', location.href)
  let rows

  // A part counts where all words are in it; those with the words in their heading come first.
  function find(words) {
    return rows
      .map((row) => {
        const heading = `${row.title} ${row.heading}`.toLowerCase()
        const whole = `${heading} ${row.text.toLowerCase()}`
        if (!words.every((word) => whole.includes(word))) return undefined
        return { row, rank: words.filter((word) => heading.includes(word)).length }
      })
      .filter((found) => found !== undefined)
      .sort((a, b) => b.rank - a.rank)
      .slice(0, MOST_FOUND)
  }

  /** The text around the first word that stands in it. */
  function excerpt(text, words) {
    const lower = text.toLowerCase()
    const at = Math.max(
      0,
      Math.min(...words.map((word) => lower.indexOf(word)).filter((place) => place >= 0), lower.length),
    )
    // From the beginning of a word to the end of another.
    const from = at <= AROUND ? 0 : text.indexOf(' ', at - AROUND) + 1
    const cut = text
      .slice(from, from + 2.5 * AROUND)
      .replace(/\s\S*$/, '')
      .trim()
    return cut === '' ? '' : `${from > 0 ? '… ' : ''}${cut} …`
  }

  function itemOf(row, words) {
    const link = document.createElement('a')
    link.href = new URL(`${row.guide}#${row.id}`, guides).href
    const heading = document.createElement('strong')
    heading.textContent = row.heading === row.title ? row.title : `${row.title}: ${row.heading}`
    const text = document.createElement('span')
    text.className = 'quiet'
    text.textContent = excerpt(row.text, words)
    link.append(heading, text)
    const item = document.createElement('li')
    item.append(link)
    return item
  }

  function close() {
    list.replaceChildren()
    list.hidden = true
    count.textContent = ''
  }

  async function show() {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean)
    if (words.length === 0) return close()
    try {
      rows ??= await (await fetch(new URL('search.json', guides))).json()
    } catch {
      count.textContent = 'The search could not be loaded.'
      return
    }
    const found = find(words)
    count.textContent = found.length === 0 ? 'Nothing was found.' : `${found.length} found`
    const nothing = document.createElement('li')
    nothing.className = 'docs__nothing'
    nothing.textContent = 'Nothing was found.'
    list.replaceChildren(...(found.length === 0 ? [nothing] : found.map(({ row }) => itemOf(row, words))))
    list.hidden = false
  }

  input.addEventListener('input', () => void show())
  const search = input.closest('search')
  search.addEventListener('keydown', (event) => {
    const links = [...list.querySelectorAll('a')]
    const at = links.indexOf(document.activeElement)
    if (event.key === 'Escape') {
      input.value = ''
      close()
      input.focus()
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      const next = at + (event.key === 'ArrowDown' ? 1 : -1)
      const target = next < 0 ? input : links[Math.min(next, links.length - 1)]
      target?.focus()
      event.preventDefault()
    }
  })
  document.addEventListener('click', ({ target }) => {
    if (!search.contains(target)) close()
  })
  document.addEventListener('keydown', (event) => {
    const { target } = event
    const isTyping = target instanceof Element && target.closest('input, textarea, select') !== null
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    input.focus()
  })
}

beginColours()
addCopyButtons()
beginSearch()
