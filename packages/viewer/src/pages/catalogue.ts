/** The languages the pages speak; the first is for everybody else. */
export const LANGUAGES = ['en', 'ja'] as const;
export type Language = (typeof LANGUAGES)[number];

const en = {
  askSender: 'Ask the person who sent you the link.',
  badFormText: 'The form did not arrive intact. Open the link again and enter the password there.',
  badFormTitle: 'That form could not be read',
  badRequestText: 'The address in this request is not one that a browser sends.',
  badRequestTitle: 'That request could not be read',
  busy: 'Many people are entering passwords right now. Yours has not been checked: try again shortly.',
  cookiesClear:
    'Delete the cookies of this website and of its whole domain in the settings of your browser. Then open the link again.',
  cookiesCleared:
    'Your browser has just been told to delete them: open the link again. If this page comes back, delete them yourself.',
  cookiesText:
    'Your browser sends more cookies with each request than can be accepted. A shared site may have set them.',
  cookiesTitle: 'Too many cookies',
  errorText:
    'Something went wrong on our side. Trying again is unlikely to help; the error has been recorded.',
  errorTitle: 'This page could not be shown',
  expiredText: 'This link was shared for a limited time, which is over.',
  expiredTitle: 'This link has expired',
  forbiddenText: 'Open the shared link first, and enter its password there.',
  forbiddenTitle: 'Password required',
  foreignFormText: 'The form came from another website. Open the link again and enter the password there.',
  foreignFormTitle: 'That form was not sent from here',
  methodText: 'This address can only be viewed.',
  methodTitle: 'That cannot be done here',
  misdirectedText: 'No shared site has an address like this one. The link may have been mistyped.',
  misdirectedTitle: 'There is no site at this address',
  missingPageText: 'This site has no page at this address.',
  missingPageTitle: 'Page not found',
  notAdmittedText: 'It is shown to some people only, and you are not among them.',
  notAdmittedTitle: 'You may not see this site',
  notFoundText: 'The link may have been mistyped, or its owner has stopped sharing.',
  notFoundTitle: 'There is nothing at this link',
  passwordButton: 'Open',
  passwordIntro: 'Whoever shared this link has put a password on it.',
  passwordLabel: 'Password',
  passwordTitle: 'Enter the password',
  passwordWrong: 'That password is not right. Check it and try again.',
  serviceWorkerText: 'Service workers could keep showing a site after it was stopped.',
  serviceWorkerTitle: 'No service workers here',
  tooManyTries: 'There were too many wrong passwords. Try again in {wait}.',
  unavailableText: 'Part of the service is not responding. Try again shortly.',
  unavailableTitle: 'This site cannot be shown right now',
} as const;

/** Everything the viewers' pages say. */
export type MessageId = keyof typeof en;

const ja: Readonly<Record<MessageId, string>> = {
  askSender: 'リンクを送ってくれた人に確認してください。',
  badFormText: 'フォームの内容が正しく届きませんでした。もう一度リンクを開き、パスワードを入力してください。',
  badFormTitle: 'フォームを読み取れませんでした',
  badRequestText: 'このリクエストのアドレスは、ブラウザーが送る形式ではありません。',
  badRequestTitle: 'リクエストを読み取れませんでした',
  busy: 'ただいま混み合っています。パスワードはまだ確認していません。少し待ってから、もう一度お試しください。',
  cookiesClear:
    'ブラウザーの設定で、このサイトと、同じドメイン全体の Cookie を削除してから、もう一度リンクを開いてください。',
  cookiesCleared:
    'Cookie を削除するよう、ブラウザーに伝えました。もう一度リンクを開いてください。同じページが表示される場合は、ご自身で削除してください。',
  cookiesText:
    'ブラウザーが送る Cookie が、受け取れる大きさを超えています。共有されたサイトが保存したものかもしれません。',
  cookiesTitle: 'Cookie が多すぎます',
  errorText: 'こちら側で問題が起きました。再読み込みでは直らない可能性があります。エラーは記録されています。',
  errorTitle: 'ページを表示できませんでした',
  expiredText: 'このリンクの公開期間は終わりました。',
  expiredTitle: 'リンクの有効期限が切れています',
  forbiddenText: '先に共有 URL を開き、パスワードを入力してください。',
  forbiddenTitle: 'パスワードが必要です',
  foreignFormText:
    'フォームが別のサイトから送信されました。もう一度リンクを開き、パスワードを入力してください。',
  foreignFormTitle: 'ここから送られたフォームではありません',
  methodText: 'このアドレスでできるのは閲覧だけです。',
  methodTitle: 'この操作はできません',
  misdirectedText: '共有サイトのアドレスの形式ではありません。リンクが間違っている可能性があります。',
  misdirectedTitle: 'このアドレスにサイトはありません',
  missingPageText: 'このアドレスのページは、このサイトにありません。',
  missingPageTitle: 'ページが見つかりません',
  notAdmittedText: 'このサイトを閲覧できる人は限られています。',
  notAdmittedTitle: 'このサイトを閲覧する権限がありません',
  notFoundText: 'リンクが間違っているか、公開が停止された可能性があります。',
  notFoundTitle: 'このリンクの先には何もありません',
  passwordButton: '開く',
  passwordIntro: 'このリンクにはパスワードが設定されています。',
  passwordLabel: 'パスワード',
  passwordTitle: 'パスワードを入力してください',
  passwordWrong: 'パスワードが違います。確かめて、もう一度入力してください。',
  serviceWorkerText: 'Service Worker は、公開を停止したあともサイトを表示し続けることがあるためです。',
  serviceWorkerTitle: 'Service Worker は使えません',
  tooManyTries:
    'パスワードの誤りが続いたため、いまは受け付けていません。{wait}後に、もう一度お試しください。',
  unavailableText: 'サービスの一部が応答していません。少し待ってから、もう一度お試しください。',
  unavailableTitle: 'ただいまこのサイトを表示できません',
};

/** The messages of a language. */
export const catalogues: Readonly<Record<Language, Readonly<Record<MessageId, string>>>> = { en, ja };

/** How long to wait, in words: "40 seconds", "4 minutes". */
export function waitInWords(language: Language, seconds: number): string {
  const [count, unit] = seconds < 60 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute'];
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(count);
}
