import { useSignal } from '@preact/signals'
import { Button } from '../../design/Button.tsx'
import { Copy } from '../../design/values/Address.tsx'
import { apiUrl } from '../../page/api.ts'
import { quickStarts } from './quickStarts.ts'

/** Ready texts with a key in them, to paste into a terminal, a program or an agent. */
export function QuickStarts({ apiKey }: { readonly apiKey: string }) {
  const chosen = useSignal(0)
  const starts = quickStarts(apiUrl, apiKey)
  const start = starts[chosen.value]
  return (
    <div class="stack-small">
      <div class="portal__tools">
        {starts.map(({ name }, index) => (
          <Button
            key={name}
            isSmall
            isPressed={index === chosen.value}
            onClick={() => {
              chosen.value = index
            }}
          >
            {name}
          </Button>
        ))}
      </div>
      {start === undefined ? null : (
        <figure class="portal__start">
          <figcaption class="quiet">
            <span>{start.into}</span> <Copy text={start.text} what={`text for ${start.name}`} />
          </figcaption>
          <pre>
            <code>{start.text}</code>
          </pre>
        </figure>
      )}
    </div>
  )
}

/** The same where the key is not known: `inPlace` stands where it goes. */
export function LaterKey({ inPlace }: { readonly inPlace: string }) {
  return (
    <div class="stack">
      <p>
        Your key goes where <code>{inPlace}</code> stands.
      </p>
      <QuickStarts apiKey={inPlace} />
    </div>
  )
}
