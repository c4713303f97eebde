import type { Language } from '@pinfold/http/internal';
import { REFUSAL_TEXTS } from '@pinfold/http/internal/texts';

export type PageName =
  | 'bad_form'
  | 'bad_request'
  | 'cookies_cleared'
  | 'expired'
  | 'foreign_form'
  | 'internal_error'
  | 'method_not_allowed'
  | 'misdirected'
  | 'no_such_file'
  | 'not_admitted'
  | 'not_found'
  | 'outside_site'
  | 'password_required'
  | 'service_worker'
  | 'too_many_cookies'
  | 'unavailable';

/** A title, then sentences, each a paragraph. */
type PageText = readonly [title: string, ...sentences: readonly string[]];

const ASK = {
  en: 'Ask the person who sent you the link.',
  ja: 'リンクを送ってくれた人に確認してください。',
};
const TOO_MANY_COOKIES = {
  en: 'Your browser sends more cookies with each request than can be accepted. A shared site may have set them.',
  ja: 'ブラウザーが送る Cookie が、受け取れる大きさを超えています。共有されたサイトが保存したものかもしれません。',
};
const DELETE_COOKIES = {
  en: 'Delete the cookies of this website and of its whole domain in the settings of your browser. Then open the link again.',
  ja: 'ブラウザーの設定で、このサイトと、同じドメイン全体の Cookie を削除してから、もう一度リンクを開いてください。',
};

export const PAGES: Readonly<Record<PageName, Readonly<Record<Language, PageText>>>> = {
  bad_form: {
    en: ['Something went wrong', 'Open the link again and enter the password there.'],
    ja: [
      'フォームを読み取れませんでした',
      'フォームの内容が正しく届きませんでした。もう一度リンクを開き、パスワードを入力してください。',
    ],
  },
  bad_request: {
    en: ['That request could not be read', 'Browsers do not send addresses like the one in this request.'],
    ja: [
      'リクエストを読み取れませんでした',
      'このリクエストのアドレスは、ブラウザーが送る形式ではありません。',
    ],
  },
  cookies_cleared: {
    en: [
      'Too many cookies',
      TOO_MANY_COOKIES.en,
      'This page asked your browser to delete them: open the link again. If this page comes back, delete them yourself.',
      DELETE_COOKIES.en,
    ],
    ja: [
      'Cookie が多すぎます',
      TOO_MANY_COOKIES.ja,
      'Cookie を削除するよう、ブラウザーに伝えました。もう一度リンクを開いてください。同じページが表示される場合は、ご自身で削除してください。',
      DELETE_COOKIES.ja,
    ],
  },
  expired: {
    en: ['This link has expired', 'This link was only valid for a limited time.', ASK.en],
    ja: ['リンクの有効期限が切れています', 'このリンクの有効期間は終わりました。', ASK.ja],
  },
  foreign_form: {
    en: [
      'That form was not sent from here',
      'The form came from another website. Open the link again and enter the password there.',
    ],
    ja: [
      'ここから送られたフォームではありません',
      'フォームが別のサイトから送信されました。もう一度リンクを開き、パスワードを入力してください。',
    ],
  },
  internal_error: {
    en: ['This page could not be shown', REFUSAL_TEXTS.internal_error.en],
    ja: ['ページを表示できませんでした', REFUSAL_TEXTS.internal_error.ja],
  },
  method_not_allowed: {
    en: ['That cannot be done here', 'This address can only be viewed.'],
    ja: ['この操作はできません', 'このアドレスでできるのは閲覧だけです。'],
  },
  misdirected: {
    en: [
      'There is no site at this address',
      'No shared site has an address like this one. The link may have been mistyped.',
      ASK.en,
    ],
    ja: [
      'このアドレスにサイトはありません',
      '共有サイトのアドレスの形式ではありません。リンクが間違っている可能性があります。',
      ASK.ja,
    ],
  },
  no_such_file: {
    en: ['Page not found', 'This site has no page at this address.'],
    ja: ['ページが見つかりません', 'このアドレスのページは、このサイトにありません。'],
  },
  not_admitted: {
    en: ['You may not see this site', 'Only some people may see it, and you are not one of them.', ASK.en],
    ja: ['このサイトを閲覧する権限がありません', 'このサイトを閲覧できる人は限られています。', ASK.ja],
  },
  not_found: {
    en: ['This link doesn’t work', 'It may be mistyped, or no longer shared.', ASK.en],
    ja: ['このリンクは使えません', 'リンクが間違っているか、共有が終わっています。', ASK.ja],
  },
  outside_site: {
    en: [
      'There is no page at this address',
      'If a shared site led you here, go back to it: its link begins with “/”, or has too many “../”, and so points outside the site, because this service shows sites under a path.',
      'If the site is yours, write its links relative to the page. When you publish it, warnings list the links that point outside.',
      `If you were sent this link, it may be mistyped. ${ASK.en}`,
    ],
    ja: [
      'このアドレスにページはありません',
      '共有サイトのリンクから来た場合は、前のページに戻ってください。このサービスではサイトがパスの下にあるため、「/」で始まるリンクや、「../」で上がりすぎるリンクはサイトの外を指します。',
      'サイトの作成者の方は、リンクをページからの相対パスにしてください。サイトの外を指すリンクがあると、公開時に警告が出ます。',
      `リンクを受け取った方は、リンクが間違っているかもしれません。${ASK.ja}`,
    ],
  },
  password_required: {
    en: ['Password required', 'Open the shared link first, and enter its password there.'],
    ja: ['パスワードが必要です', '先に共有 URL を開き、パスワードを入力してください。'],
  },
  service_worker: {
    en: ['No service workers here', 'Service workers could keep showing a site after it was stopped.'],
    ja: [
      'Service Worker は使えません',
      'Service Worker は、公開を停止したあともサイトを表示し続けることがあるためです。',
    ],
  },
  too_many_cookies: {
    en: ['Too many cookies', TOO_MANY_COOKIES.en, DELETE_COOKIES.en],
    ja: ['Cookie が多すぎます', TOO_MANY_COOKIES.ja, DELETE_COOKIES.ja],
  },
  unavailable: {
    en: ['This site cannot be shown right now', REFUSAL_TEXTS.unavailable.en],
    ja: ['ただいまこのサイトを表示できません', REFUSAL_TEXTS.unavailable.ja],
  },
};

/** The page for a browser that stored no cookie; `{host}` is the host that needs one. */
export const COOKIES_PAGE: Readonly<Record<Language, PageText>> = {
  en: [
    'Your browser did not store the cookie',
    'Only some people may see this site, and a cookie shows that you are one of them. Your browser did not send it.',
    'Allow cookies for {host} in the settings of your browser. If you opened the link inside another app, open it in a browser.',
  ],
  ja: [
    'Cookie が保存されませんでした',
    'このサイトを閲覧できる人は限られており、その確認に Cookie を使います。Cookie がブラウザーから届きませんでした。',
    'ブラウザーの設定で {host} の Cookie を許可してください。ほかのアプリの中でリンクを開いた場合は、ブラウザーで開き直してください。',
  ],
};

export const TEXTS = {
  busy: {
    en: 'Many people are entering passwords right now. Yours has not been checked: try again shortly.',
    ja: 'ただいま混み合っています。パスワードはまだ確認していません。少し待ってから、もう一度お試しください。',
  },
  cookiesLink: { en: 'Open the shared link again', ja: 'もう一度、共有 URL を開く' },
  passwordButton: { en: 'Open', ja: '開く' },
  passwordIntro: { en: 'This site is password-protected.', ja: 'このサイトはパスワードで保護されています。' },
  passwordLabel: { en: 'Password', ja: 'パスワード' },
  passwordTitle: { en: 'Enter the password', ja: 'パスワードを入力してください' },
  report: { en: 'Report this page', ja: 'このページを報告' },
  too_many_tries: {
    en: 'There were too many wrong passwords. Try again in {wait}.',
    ja: 'パスワードの誤りが続いたため、いまは受け付けていません。{wait}後に、もう一度お試しください。',
  },
  wrong_password: {
    en: 'Wrong password. Try again.',
    ja: 'パスワードが違います。もう一度入力してください。',
  },
} as const;

export function waitText(language: Language, seconds: number): string {
  const [count, unit] = seconds < 60 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute'];
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(count);
}
