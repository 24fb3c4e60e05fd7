import type { RecordedCall } from '@mutsumi/schema'

/** An event of a session that its price depends on. Times are ISO 8601. */
export type SessionEvent =
  | { readonly kind: 'user'; readonly at: string; readonly text: string }
  | { readonly kind: 'request'; readonly at: string; readonly model?: string }
  | {
      readonly kind: 'reply'
      readonly at: string
      readonly text: string
      readonly calls?: readonly RecordedCall[]
      /** It ends its round. */
      readonly final?: boolean
    }
  | {
      readonly kind: 'result'
      readonly at: string
      readonly tool: string
      readonly call: string
      /** The result as its round saw it. */
      readonly content: string
      /** Its Recall id. */
      readonly observation?: string
    }
