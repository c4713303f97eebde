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

interface Catalogue {
  readonly pages: Readonly<Record<PageName, readonly [title: string, ...text: readonly string[]]>>;
  readonly busy: string;
  readonly cookiesLink: string;
  readonly cookiesText: readonly string[];
  readonly cookiesTitle: string;
  readonly passwordButton: string;
  readonly passwordIntro: string;
  readonly passwordLabel: string;
  readonly passwordTitle: string;
  readonly report: string;
  readonly too_many_tries: string;
  readonly wrong_password: string;
}

const ASK_EN = 'Ask the person who sent you the link.';
const COOKIES_EN =
  'Your browser sends more cookies with each request than can be accepted. A shared site may have set them.';
const CLEAR_EN =
  'Delete the cookies of this website and of its whole domain in the settings of your browser. Then open the link again.';

const en: Catalogue = {
  pages: {
    bad_form: ['Something went wrong', 'Open the link again and enter the password there.'],
    bad_request: [
      'That request could not be read',
      'Browsers do not send addresses like the one in this request.',
    ],
    cookies_cleared: [
      'Too many cookies',
      COOKIES_EN,
      'This page asked your browser to delete them: open the link again. If this page comes back, delete them yourself.',
      CLEAR_EN,
    ],
    expired: ['This link has expired', 'This link was only valid for a limited time.', ASK_EN],
    foreign_form: [
      'That form was not sent from here',
      'The form came from another website. Open the link again and enter the password there.',
    ],
    internal_error: ['This page could not be shown', REFUSAL_TEXTS.internal_error.en],
    method_not_allowed: ['That cannot be done here', 'This address can only be viewed.'],
    misdirected: [
      'There is no site at this address',
      'No shared site has an address like this one. The link may have been mistyped.',
      ASK_EN,
    ],
    no_such_file: ['Page not found', 'This site has no page at this address.'],
    not_admitted: [
      'You may not see this site',
      'Only some people may see it, and you are not one of them.',
      ASK_EN,
    ],
    not_found: ['This link doesn’t work', 'It may be mistyped, or no longer shared.', ASK_EN],
    outside_site: [
      'There is no page at this address',
      'If a shared site led you here, go back to it: its link begins with “/”, or has too many “../”, and so points outside the site, because this service shows sites under a path.',
      'If the site is yours, write its links relative to the page. When you publish it, warnings list the links that point outside.',
      `If you were sent this link, it may be mistyped. ${ASK_EN}`,
    ],
    password_required: ['Password required', 'Open the shared link first, and enter its password there.'],
    service_worker: [
      'No service workers here',
      'Service workers could keep showing a site after it was stopped.',
    ],
    too_many_cookies: ['Too many cookies', COOKIES_EN, CLEAR_EN],
    unavailable: ['This site cannot be shown right now', REFUSAL_TEXTS.unavailable.en],
  },
  busy: 'Many people are entering passwords right now. Yours has not been checked: try again shortly.',
  cookiesLink: 'Open the shared link again',
  cookiesText: [
    'Only some people may see this site, and a cookie shows that you are one of them. Your browser did not send it.',
    'Allow cookies for {host} in the settings of your browser. If you opened the link inside another app, open it in a browser.',
  ],
  cookiesTitle: 'Your browser did not store the cookie',
  passwordButton: 'Open',
  passwordIntro: 'This site is password-protected.',
  passwordLabel: 'Password',
  passwordTitle: 'Enter the password',
  report: 'Report this page',
  too_many_tries: 'There were too many wrong passwords. Try again in {wait}.',
  wrong_password: 'Wrong password. Try again.',
};

const ASK_JA = 'リンクを送ってくれた人に確認してください。';
const COOKIES_JA =
  'ブラウザーが送る Cookie が、受け取れる大きさを超えています。共有されたサイトが保存したものかもしれません。';
const CLEAR_JA =
  'ブラウザーの設定で、このサイトと、同じドメイン全体の Cookie を削除してから、もう一度リンクを開いてください。';

const ja: Catalogue = {
  pages: {
    bad_form: [
      'フォームを読み取れませんでした',
      'フォームの内容が正しく届きませんでした。もう一度リンクを開き、パスワードを入力してください。',
    ],
    bad_request: [
      'リクエストを読み取れませんでした',
      'このリクエストのアドレスは、ブラウザーが送る形式ではありません。',
    ],
    cookies_cleared: [
      'Cookie が多すぎます',
      COOKIES_JA,
      'Cookie を削除するよう、ブラウザーに伝えました。もう一度リンクを開いてください。同じページが表示される場合は、ご自身で削除してください。',
      CLEAR_JA,
    ],
    expired: ['リンクの有効期限が切れています', 'このリンクの有効期間は終わりました。', ASK_JA],
    foreign_form: [
      'ここから送られたフォームではありません',
      'フォームが別のサイトから送信されました。もう一度リンクを開き、パスワードを入力してください。',
    ],
    internal_error: ['ページを表示できませんでした', REFUSAL_TEXTS.internal_error.ja],
    method_not_allowed: ['この操作はできません', 'このアドレスでできるのは閲覧だけです。'],
    misdirected: [
      'このアドレスにサイトはありません',
      '共有サイトのアドレスの形式ではありません。リンクが間違っている可能性があります。',
      ASK_JA,
    ],
    no_such_file: ['ページが見つかりません', 'このアドレスのページは、このサイトにありません。'],
    not_admitted: [
      'このサイトを閲覧する権限がありません',
      'このサイトを閲覧できる人は限られています。',
      ASK_JA,
    ],
    not_found: ['このリンクは使えません', 'リンクが間違っているか、共有が終わっています。', ASK_JA],
    outside_site: [
      'このアドレスにページはありません',
      '共有サイトのリンクから来た場合は、前のページに戻ってください。このサービスではサイトがパスの下にあるため、「/」で始まるリンクや、「../」で上がりすぎるリンクはサイトの外を指します。',
      'サイトの作成者の方は、リンクをページからの相対パスにしてください。サイトの外を指すリンクがあると、公開時に警告が出ます。',
      `リンクを受け取った方は、リンクが間違っているかもしれません。${ASK_JA}`,
    ],
    password_required: ['パスワードが必要です', '先に共有 URL を開き、パスワードを入力してください。'],
    service_worker: [
      'Service Worker は使えません',
      'Service Worker は、公開を停止したあともサイトを表示し続けることがあるためです。',
    ],
    too_many_cookies: ['Cookie が多すぎます', COOKIES_JA, CLEAR_JA],
    unavailable: ['ただいまこのサイトを表示できません', REFUSAL_TEXTS.unavailable.ja],
  },
  busy: 'ただいま混み合っています。パスワードはまだ確認していません。少し待ってから、もう一度お試しください。',
  cookiesLink: 'もう一度、共有 URL を開く',
  cookiesText: [
    'このサイトを閲覧できる人は限られており、その確認に Cookie を使います。Cookie がブラウザーから届きませんでした。',
    'ブラウザーの設定で {host} の Cookie を許可してください。ほかのアプリの中でリンクを開いた場合は、ブラウザーで開き直してください。',
  ],
  cookiesTitle: 'Cookie が保存されませんでした',
  passwordButton: '開く',
  passwordIntro: 'このサイトはパスワードで保護されています。',
  passwordLabel: 'パスワード',
  passwordTitle: 'パスワードを入力してください',
  report: 'このページを報告',
  too_many_tries:
    'パスワードの誤りが続いたため、いまは受け付けていません。{wait}後に、もう一度お試しください。',
  wrong_password: 'パスワードが違います。もう一度入力してください。',
};

export const catalogues: Readonly<Record<Language, Catalogue>> = { en, ja };

export function waitText(language: Language, seconds: number): string {
  const [count, unit] = seconds < 60 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute'];
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(count);
}
