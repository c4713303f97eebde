import type { Text } from './text.ts';

/** Failures of an upload that scripts of pages show as well. */
export type FailureTextId = 'idempotency_mismatch_form' | 'internal_error' | 'unavailable';

/** In a module of their own, so that browser scripts need not load the other texts. */
export const FAILURE_TEXTS: Readonly<Record<FailureTextId, Text>> = {
  idempotency_mismatch_form: {
    en: 'This form was used for something else: choose the folder or ZIP again.',
    ja: 'このフォームでは別の内容を公開しています。フォルダーか ZIP を選び直してください。',
  },
  internal_error: {
    en: 'Something went wrong on our side. The error was recorded: try again later.',
    ja: 'サービス側で問題が起き、記録されました。あとでもう一度お試しください。',
  },
  unavailable: {
    en: 'The service is busy, or part of it is not responding: try again shortly.',
    ja: '混み合っているか、サービスの一部が応答していません。少し待ってから、もう一度お試しください。',
  },
};
