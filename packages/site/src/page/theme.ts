import { signal } from '@preact/signals'
import { recall, remember } from './stored.ts'

type Theme = 'light' | 'dark'

const KEY = 'remit.theme'

/** What the visitor chose; `undefined` follows the system. */
const chosenTheme = signal<Theme | undefined>(undefined)

/** Applies what was chosen on an earlier visit. */
export function applyTheme(): void {
  const kept = recall(KEY)
  if (kept === 'light' || kept === 'dark') choose(kept)
}

export function currentTheme(): Theme {
  return chosenTheme.value ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')
}

export function toggleTheme(): void {
  const next = currentTheme() === 'dark' ? 'light' : 'dark'
  choose(next)
  remember(KEY, next)
}

function choose(theme: Theme): void {
  chosenTheme.value = theme
  document.documentElement.dataset.theme = theme
}
