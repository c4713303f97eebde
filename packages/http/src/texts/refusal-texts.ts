import type { IdempotencyKeyRules, Refusal } from '@pinfold/core';
import { FAILURE_TEXTS, type FailureTextId } from './failure-texts.ts';
import type { Text } from './text.ts';

type FormRule =
  | 'archive_missing'
  | 'archive_unreadable'
  | 'field_twice'
  | 'part_unreadable'
  | 'password_header'
  | 'title_encoding'
  | 'title_file'
  | 'unknown_field';
type State = Refusal<'invalid_state'>['state'];

/** A refusal, by its code. If a code has several texts, their ids begin with it. */
export type RefusalTextId =
  | FailureTextId
  | 'account_blocked'
  | 'forbidden_viewing'
  | `form_${FormRule}`
  | 'idempotency_in_progress'
  | 'idempotency_mismatch'
  | `idempotency_key_${keyof IdempotencyKeyRules | 'twice'}`
  | 'invalid_filename'
  | 'invalid_name'
  | 'invalid_name_offer'
  | 'name_expired'
  | 'name_deleted'
  | 'not_found'
  | 'not_found_key'
  | 'not_found_name'
  | 'not_found_publication'
  | 'rate_limited'
  | 'rate_limited_publications'
  | 'rate_limited_anonymous'
  | 'read_only'
  | 'request_timeout'
  | `state_${State | 'deleted_archive' | 'expired_renewal' | 'expired_viewing' | 'stopped_before'}`;

export const REFUSAL_TEXTS: Readonly<Record<RefusalTextId, Text>> = {
  ...FAILURE_TEXTS,
  account_blocked: {
    en: 'The operator blocked the account, which can now only read and revoke keys: ask the operator to unblock it.',
    ja: 'アカウントは運営者によって停止されています。できるのは閲覧とキーの無効化だけです。運営者に問い合わせてください。',
  },
  forbidden_viewing: {
    en: 'This service decides who may view a site, and a link alone is not enough: open the shared URL and sign in there.',
    ja: 'このサイトを閲覧できる人は、このサービスが決めます。共有 URL を開いて、サインインしてください。',
  },
  form_archive_missing: {
    en: 'Send the ZIP as a file named “archive”.',
    ja: 'ZIP を「archive」という名前のファイルとして送ってください。',
  },
  form_archive_unreadable: {
    en: 'The headers of the file cannot be read: put only a line end after the boundary, and in Content-Disposition name=“archive” and filename=“…”, each in quotation marks.',
    ja: 'ファイルのヘッダーを読み取れません。boundary の後は改行だけにし、Content-Disposition には name=“archive” と filename=“…” を引用符を付けて書いてください。',
  },
  form_field_twice: {
    en: 'Send the field “{field}” once.',
    ja: 'フィールド「{field}」は 1 回だけ送ってください。',
  },
  form_part_unreadable: {
    en: 'The headers of a part cannot be read: write name=“title” into Content-Disposition, in quotation marks, and nothing after it.',
    ja: 'パートのヘッダーを読み取れません。Content-Disposition には name=“title” を引用符を付けて書き、その後には何も書かないでください。',
  },
  form_password_header: {
    en: 'Send the password as encodeURIComponent writes it (UTF-8 with percent escapes), or leave the header out.',
    ja: 'パスワードは encodeURIComponent の形式（UTF-8 のパーセントエスケープ）で送るか、ヘッダーを省いてください。',
  },
  form_title_encoding: { en: 'Send the title in UTF-8.', ja: 'タイトルは UTF-8 で送ってください。' },
  form_title_file: {
    en: 'Send the title as text, without a file name.',
    ja: 'タイトルは、ファイル名のない文字として送ってください。',
  },
  form_unknown_field: {
    en: 'Only the fields “archive” and “title” are accepted; a name goes into the query (?name=…), a password into the header Pinfold-Password.',
    ja: '使えるフィールドは「archive」と「title」だけです。名前はクエリ（?name=…）に、パスワードはヘッダー Pinfold-Password に入れてください。',
  },
  idempotency_in_progress: {
    en: 'The same publication is still running: wait a moment, then try again.',
    ja: '同じ内容の公開処理が続いています。少し待ってから、もう一度お試しください。',
  },
  idempotency_mismatch: {
    en: 'The Idempotency-Key was used for something else: another ZIP, file name or title needs a new key.',
    ja: 'この Idempotency-Key では別の内容を公開しています。ZIP、ファイル名、タイトルを変えた場合は、新しいキーを使ってください。',
  },
  idempotency_key_empty: { en: 'The Idempotency-Key is empty.', ja: 'Idempotency-Key が空です。' },
  idempotency_key_characters: {
    en: 'The Idempotency-Key must be printable ASCII.',
    ja: 'Idempotency-Key に使えるのは、ASCII の印字可能な文字だけです。',
  },
  idempotency_key_too_long: {
    en: 'The Idempotency-Key is too long: it has {actual} characters, and {limit} are allowed.',
    ja: 'Idempotency-Key が長すぎます（{actual} 文字、上限は {limit} 文字）。',
  },
  idempotency_key_secret: {
    en: 'The Idempotency-Key contains the API key.',
    ja: 'Idempotency-Key に API キーが含まれています。',
  },
  idempotency_key_twice: {
    en: 'Send one Idempotency-Key header.',
    ja: 'Idempotency-Key ヘッダーは 1 つだけ送ってください。',
  },
  invalid_filename: {
    en: 'The file needs a name of 1 to 255 characters in UTF-8, without control characters.',
    ja: 'ファイルには 1～255 文字の UTF-8 の名前が必要です。制御文字は使えません。',
  },
  invalid_name: {
    en: 'A name has 1 to 63 of the characters a to z, 0 to 9 and “-”, without “-” at an end: choose one that fits.',
    ja: '名前は半角の a～z、0～9、「-」で 1～63 文字です。「-」は最初と最後には使えません。',
  },
  invalid_name_offer: {
    en: 'A name has 1 to 63 of the characters a to z, 0 to 9 and “-”, without “-” at an end: try “{name}”.',
    ja: '名前は半角の a～z、0～9、「-」で 1～63 文字です。「-」は最初と最後には使えません。「{name}」なら使えます。',
  },
  name_expired: {
    en: 'The publication is expired: point the name at one that is in service.',
    ja: 'この公開は有効期限が切れています。公開中のものを選んでください。',
  },
  name_deleted: {
    en: 'The publication is stopped and deleted: point the name at one that is in service.',
    ja: 'この公開は停止されています。公開中のものを選んでください。',
  },
  not_found: {
    en: 'Your account has nothing at this address: check the address.',
    ja: '見つからないか、別のアカウントのものです。アドレスを確かめてください。',
  },
  not_found_key: {
    en: 'There is no such key in your account.',
    ja: 'そのキーは、このアカウントにありません。',
  },
  not_found_name: {
    en: 'There is no such name in your account.',
    ja: 'その名前は、このアカウントにありません。',
  },
  not_found_publication: {
    en: 'There is no such publication in your account.',
    ja: 'その公開は、このアカウントにありません。',
  },
  rate_limited: {
    en: 'The account has used up its rate of requests, in which a change counts as ten: wait, then try again.',
    ja: 'リクエストが多すぎます（変更は 10 件と数えます）。しばらく待ってから、もう一度お試しください。',
  },
  rate_limited_publications: {
    en: 'The account has used up its rate of publications: wait, then try again.',
    ja: 'いま公開できる件数の上限に達しました。しばらく待ってから、もう一度お試しください。',
  },
  rate_limited_anonymous: {
    en: 'Too many requests with wrong keys or links came from your network address: wait, then try again.',
    ja: 'お使いのネットワークから、誤ったキーやリンクによるリクエストが続きました。しばらく待ってから、もう一度お試しください。',
  },
  read_only: {
    en: 'The service is read-only for maintenance, so nothing can be published or changed for now: try again later.',
    ja: 'メンテナンス中のため、いまは公開や変更ができません。あとでもう一度お試しください。',
  },
  request_timeout: {
    en: 'The upload was ended because it stopped, or was too slow while others waited: try again over a better connection.',
    ja: '送信が止まったか、ほかの人が待つ間に遅すぎたため、打ち切られました。よりよい接続で、もう一度お試しください。',
  },
  state_archive_removed: {
    en: 'The ZIP of this publication was removed and can no longer be downloaded: publish the site again from your own copy.',
    ja: 'この公開の ZIP はすでに削除されていて、ダウンロードできません。手元のファイルから、もう一度公開してください。',
  },
  state_deleted: {
    en: 'The publication is stopped and deleted, and can no longer change: publish the site again for a new URL.',
    ja: '公開はすでに停止されていて、変更できません。共有するには、もう一度公開してください。',
  },
  state_deleted_archive: {
    en: 'The publication is stopped and deleted, so its ZIP can no longer be downloaded: publish the site again from your own copy.',
    ja: '公開は停止されているため、ZIP をダウンロードできません。手元のファイルから、もう一度公開してください。',
  },
  state_expired: {
    en: 'The publication is expired and can only be stopped: publish the site again for a new URL.',
    ja: '有効期限が切れているため、停止しかできません。共有するには、もう一度公開してください。',
  },
  state_expired_renewal: {
    en: 'The publication is expired and cannot be restored or renewed: publish the site again for a new URL.',
    ja: '有効期限が切れているため、延長できません。共有するには、もう一度公開してください。',
  },
  state_expired_viewing: {
    en: 'The publication is expired, and viewers can no longer see it: publish the site again for a new URL.',
    ja: '有効期限が切れているため、閲覧できません。共有するには、もう一度公開してください。',
  },
  state_pinned: {
    en: 'The publication is pinned and has no expiration: to give it one, unpin it in the management screen.',
    ja: 'ピン留めされているため、有効期限がありません。設定するには、管理画面でピン留めを外してください。',
  },
  state_stopped_before: {
    en: 'The publication is already deleted: treat it as stopped.',
    ja: '公開はすでに停止されています。',
  },
};
