/* global SwaggerUIBundle */

// The service as it was reached, whatever address it publishes: "Try it out" never leaves this origin.
const base = new URL('.', document.baseURI)

// The viewer gives its lists no names, and lets nobody scroll its examples by keyboard.
function nameParts() {
  const reference = document.querySelector('#reference')
  const name = () => {
    for (const list of reference.querySelectorAll('select:not([aria-label])')) {
      list.setAttribute(
        'aria-label',
        list.matches('.examples-select-element') ? 'Which example' : 'Which form',
      )
    }
    for (const opener of reference.querySelectorAll('.json-schema-2020-12-accordion:not([aria-label])')) {
      if (opener.textContent.trim() === '') opener.setAttribute('aria-label', 'Its fields')
    }
    for (const text of reference.querySelectorAll('pre:not([tabindex])')) text.tabIndex = 0
  }
  new MutationObserver(name).observe(reference, { childList: true, subtree: true })
}

async function readDescription() {
  const response = await fetch(new URL('openapi.json', base))
  const body = await response.json()
  if (!response.ok) throw new Error(body.error)
  return { ...body, paths: withoutTwins(body.paths), servers: [{ url: base.href.replace(/\/$/, '') }] }
}

/** What is posted and also asked by GET is shown once: a page of every call twice takes long to draw, and to read. */
function withoutTwins(paths) {
  const isTwin = ({ operationId = '' }) => operationId.endsWith('_by_get')
  const shown = Object.entries(paths).map(([path, methods]) => [
    path,
    Object.fromEntries(Object.entries(methods).filter(([, operation]) => !isTwin(operation))),
  ])
  return Object.fromEntries(shown)
}

/** The viewer's parts, without its landmarks, headings and links that stand within others: the page has its own. */
function DocsPlugin({ React: { createElement } }) {
  function DocsLayout({ getComponent }) {
    const part = (name) => createElement(getComponent(name, true))
    const row = (...parts) =>
      createElement(getComponent('Row'), null, createElement(getComponent('Col'), { mobile: 12 }, ...parts))
    return createElement(
      'div',
      { className: 'swagger-ui' },
      part('SvgAssets'),
      createElement('div', { className: 'scheme-container' }, row(part('AuthorizeBtnContainer'))),
      part('FilterContainer'),
      row(part('errors'), part('operations')),
      row(part('Webhooks')),
      row(createElement('h3', { className: 'unseen' }, 'Types'), part('Models')),
    )
  }
  // It stands within a button, which opens what it would lead to.
  function DeepLink({ text }) {
    return createElement('span', { className: 'nostyle' }, text)
  }
  return { components: { DocsLayout, DeepLink } }
}

function show(spec) {
  SwaggerUIBundle({
    spec,
    plugins: [DocsPlugin],
    layout: 'DocsLayout',
    dom_id: '#reference',
    deepLinking: true,
    displayRequestDuration: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    filter: true,
    // The numbers of its own theme are hard to read.
    syntaxHighlight: { theme: 'tomorrow-night' },
    // A key is kept until the page is left, and no longer.
    persistAuthorization: false,
    // Nothing is sent to a validator elsewhere.
    validatorUrl: null,
  })
}

// Swagger UI focuses the last of the credentials, an operator's: a reader comes with the first, a key.
function beginWithTheKey() {
  document.addEventListener('click', ({ target }) => {
    if (!(target instanceof Element) || target.closest('.auth-wrapper > .authorize') === null) return
    requestAnimationFrame(() => document.querySelector('.modal-ux-content input')?.focus())
  })
}

beginWithTheKey()
nameParts()
readDescription()
  .then(show)
  .catch((error) => {
    const told = document.querySelector('#loading')
    if (told !== null) told.textContent = `The description of the API could not be read: ${error.message}`
  })
