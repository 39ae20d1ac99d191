import { useSignal } from '@preact/signals'
import { Button } from '../../../design/Button.tsx'
import { api } from '../../../page/api.ts'
import { subject } from '../../../subject/subject.ts'
import { errorWords } from '../../../words/errors.ts'
import { paymentsCsv } from './paymentsCsv.ts'

/** All payments as one file for a spreadsheet. It is made here: the API gives whole lists only to those with a key. */
export function PaymentsFile() {
  const said = useSignal('')
  const isBusy = useSignal(false)
  const download = async () => {
    const address = subject.peek()
    if (address === undefined) return
    isBusy.value = true
    try {
      const rows = []
      said.value = 'Reading the payments …'
      for await (const row of api.each.listProviderPayments({ address, first: 1_000 })) {
        rows.push(row)
        if (rows.length % 1_000 === 0) said.value = `Read ${rows.length} payments …`
      }
      if (rows.length > 0) save(paymentsCsv(rows), 'payments.csv')
      said.value = rows.length === 0 ? 'There is no payment yet.' : `${rows.length} payments saved.`
    } catch (error) {
      said.value = errorWords(error)
    } finally {
      isBusy.value = false
    }
  }
  return (
    <span class="row">
      <span class="quiet" role="status">
        {said.value}
      </span>
      <Button isSmall isOff={isBusy.value} onClick={() => void download()}>
        Payments as CSV
      </Button>
    </span>
  )
}

function save(text: string, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }))
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
