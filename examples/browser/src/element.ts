type Child = Node | string | undefined

/** An element with its children. Strings become text and never markup, whoever wrote them. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<Omit<HTMLElementTagNameMap[Tag], 'innerHTML' | 'outerHTML'>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const made = Object.assign(document.createElement(tag), properties)
  made.append(...children.filter((child) => child !== undefined))
  return made
}

/** The part of the page with this id. */
export function part(id: string): HTMLElement {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`The page has no #${id}`)
  return found
}

/** Puts these into a part of the page and shows it. What had the focus keeps it, where it is there again by id. */
export function show(place: HTMLElement, ...children: readonly Child[]): void {
  const focused = place.contains(document.activeElement) ? document.activeElement?.id : undefined
  place.replaceChildren(...children.filter((child) => child !== undefined))
  place.hidden = false
  if (focused) document.getElementById(focused)?.focus()
}

/** The heading of a part, which takes the focus when the part is what happens next. */
export function heading(id: string, text: string): HTMLHeadingElement {
  return element('h2', { id, tabIndex: -1 }, text)
}

/** A list of names and values. */
export function facts(
  ...rows: readonly (readonly [name: string, ...values: readonly Child[]])[]
): HTMLDListElement {
  const list = element('dl', { className: 'facts' })
  for (const [name, ...values] of rows) {
    list.append(element('div', {}, element('dt', {}, name), element('dd', {}, ...values)))
  }
  return list
}

/** Tells people who do not see the page what has just happened. */
export function announce(sentence: string): void {
  part('announcer').textContent = sentence
}
