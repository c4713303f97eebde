import type { PasswordRules, QuotaRules, TitleRules } from '@pinfold/core';
import type { Text } from './text.ts';

/** A rule for the input of a publication, or a quota of the account. */
export type InputTextId =
  | `title_${keyof TitleRules}`
  | `password_${keyof PasswordRules}`
  | `quota_${keyof QuotaRules}`;

export const INPUT_TEXTS: Readonly<Record<InputTextId, Text>> = {
  title_type: { en: 'The title must be text, or null for none.', ja: 'タイトルは文字で指定してください。' },
  title_encoding: {
    en: 'The title has characters that cannot be stored.',
    ja: '保存できない文字が含まれています。',
  },
  title_control_character: {
    en: 'The title has a line break or another control character.',
    ja: '改行などの制御文字は使えません。',
  },
  title_too_long: {
    en: 'The title is too long: it has {actual} characters, and {limit} are allowed.',
    ja: 'タイトルが長すぎます（{actual} 文字、上限は {limit} 文字）。',
  },
  password_type: {
    en: 'The password must be text, or null for none.',
    ja: 'パスワードは文字で指定してください。',
  },
  password_encoding: {
    en: 'The password has characters that cannot be stored.',
    ja: '保存できない文字が含まれています。',
  },
  password_too_short: {
    en: 'The password is too short: it needs {limit} characters.',
    ja: 'パスワードが短すぎます。{limit} 文字以上にしてください。',
  },
  password_too_long: {
    en: 'The password is too long: it has {actual} bytes, and {limit} are allowed. English letters take one each, others two to four.',
    ja: 'パスワードが長すぎます（{actual} バイト、上限は {limit} バイト）。英数字は 1 文字 1 バイト、日本語は 1 文字 3 バイトです。',
  },
  quota_sites: {
    en: 'The account has reached its limit of publications ({limit}). Stop one that is no longer needed.',
    ja: '同時に公開できるのは {limit} 件までです。不要な公開を停止してください。',
  },
  quota_bytes: {
    en: 'The archives of the account can have {limit} together, and with this one they would have {actual}. Stop a publication that is no longer needed.',
    ja: 'ZIP は合わせて {limit} までで、これを加えると {actual} になります。不要な公開を停止してください。',
  },
  quota_names: {
    en: 'The account has reached its limit of names ({limit}). Delete one that is no longer needed.',
    ja: 'このアカウントの名前は {limit} 個までです。不要な名前を削除してください。',
  },
  quota_keys: {
    en: 'The account has reached its limit of API keys ({limit}). Revoke one that is no longer needed.',
    ja: '有効にできる API キーは {limit} 個までです。新しく作成するには、不要なキーを無効にしてください。',
  },
};
