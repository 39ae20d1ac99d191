import type { ApiKey } from '@remit/client'
import { Button } from '../../design/Button.tsx'
import { Badge } from '../../design/Card.tsx'
import { momentWords } from '../../words/time.ts'
import { KeyUsage } from './KeyUsage.tsx'

interface KeyRowProps {
  readonly apiKey: ApiKey
  readonly isBusy: boolean
  onUse(): void
  onRename(): void
  onReplace(): void
  onRevoke(): void
}

/** A key that works: its name, since or until when it works, what can be done with it, and what it has used. */
export function KeyRow({ apiKey, isBusy, onUse, onRename, onReplace, onRevoke }: KeyRowProps) {
  const { id, label, prefix, createdAt, expiresAt } = apiKey
  const name = label ?? 'Without a name'
  return (
    <li class="portal__row">
      <div class="portal__head">
        <div>
          <h3>{name}</h3>
          {/* Both are as high: when the key is replaced, nothing moves. */}
          <p class="portal__state quiet">
            <code>{prefix}…</code>
            {expiresAt === null ? (
              <span>made {at(createdAt)}</span>
            ) : (
              <Badge kind="mind">ends {at(expiresAt)}</Badge>
            )}
          </p>
        </div>
        <div class="portal__acts">
          <Button isSmall onClick={onUse} label={`Use ${name}`}>
            Use
          </Button>
          <Button isSmall onClick={onRename} label={`Rename ${name}`}>
            Rename
          </Button>
          <Button isSmall isOff={isBusy || expiresAt !== null} onClick={onReplace} label={`Replace ${name}`}>
            Replace
          </Button>
          <Button isSmall kind="danger" onClick={onRevoke} label={`Revoke ${name}`}>
            Revoke
          </Button>
        </div>
      </div>
      <KeyUsage id={id} />
    </li>
  )
}

const at = (seconds: number) => momentWords(new Date(seconds * 1000))
