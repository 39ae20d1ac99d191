import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import * as z from 'zod'

/** Moves the focus on by the Tab key until it is there; throws where it never comes. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab')
    // Within a shadow tree, too.
    if (await target.evaluate((element) => element.matches(':focus'))) return
  }
  throw new Error(`Tab never comes to ${target}`)
}

/** What somebody without a mouse does in place of a click: goes there by Tab, and presses Enter. */
export async function pressOn(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  await tabTo(page, target)
  await page.keyboard.press('Enter')
}

const Stops = z.object({ missed: z.array(z.string()), unseen: z.array(z.string()) })

/**
 * Everything on the page that can be pressed or filled in is come to by Tab alone, is in sight then, and shows that it
 * has the focus.
 */
export async function expectReachable(page: Page): Promise<void> {
  const count = await page.evaluate(`(() => {
    document.activeElement?.blur()
    window.stops = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')]
      .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.disabled && one.tabIndex >= 0)
    window.stopsReached = new Set()
    window.stopsUnseen = []
    addEventListener('focusin', ({ target }) => {
      window.stopsReached.add(target)
      const { outlineStyle, boxShadow } = getComputedStyle(target)
      const { top, bottom } = target.getBoundingClientRect()
      const isMarked = outlineStyle !== 'none' || boxShadow !== 'none'
      if (!isMarked || bottom <= 0 || top >= innerHeight) window.stopsUnseen.push(target.outerHTML.slice(0, 120))
    })
    return window.stops.length
  })()`)
  for (let presses = 0; presses <= z.int().parse(count); presses += 1) await page.keyboard.press('Tab')
  const stops = Stops.parse(
    await page.evaluate(`({
      missed: window.stops.filter((one) => !window.stopsReached.has(one)).map((one) => one.outerHTML.slice(0, 120)),
      unseen: window.stopsUnseen,
    })`),
  )
  expect(stops).toEqual({ missed: [], unseen: [] })
}
