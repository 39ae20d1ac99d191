/* global SwaggerUIBundle */

// The service as it was reached, whatever address it publishes: "Try it out" never leaves this origin.
const base = new URL('.', document.baseURI)

function followColourScheme() {
  const dark = matchMedia('(prefers-color-scheme: dark)')
  const apply = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
  dark.addEventListener('change', apply)
  apply()
}

async function readDescription() {
  const response = await fetch(new URL('openapi.json', base))
  const body = await response.json()
  if (!response.ok) throw new Error(body.error)
  return { ...body, servers: [{ url: base.href.replace(/\/$/, '') }] }
}

function show(spec) {
  SwaggerUIBundle({
    spec,
    dom_id: '#reference',
    deepLinking: true,
    displayRequestDuration: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    filter: true,
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

followColourScheme()
beginWithTheKey()
readDescription()
  .then(show)
  .catch((error) => {
    const told = document.querySelector('#loading')
    if (told !== null) told.textContent = `The description of the API could not be read: ${error.message}`
  })
