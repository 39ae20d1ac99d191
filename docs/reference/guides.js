// Copy buttons, and a search that runs in the page. Without this script the guides read all the same.

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

function beginSearch() {
  const input = document.querySelector('#search')
  const list = document.querySelector('#found')
  const said = document.querySelector('.guide__said')
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

  async function show() {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean)
    list.replaceChildren()
    list.hidden = words.length === 0
    said.textContent = ''
    if (words.length === 0) return
    try {
      rows ??= await (await fetch('search.json')).json()
    } catch {
      said.textContent = 'The search could not be loaded.'
      return
    }
    const found = find(words)
    said.textContent = found.length === 0 ? 'Nothing was found.' : `${found.length} found`
    for (const { row } of found) {
      const link = document.createElement('a')
      link.href = `${row.guide}#${row.id}`
      link.textContent = row.heading === row.title ? row.title : `${row.title}: ${row.heading}`
      const item = document.createElement('li')
      item.append(link)
      list.append(item)
    }
  }

  input.addEventListener('input', () => void show())
  input.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape') return
    input.value = ''
    void show()
  })
}

addCopyButtons()
beginSearch()
