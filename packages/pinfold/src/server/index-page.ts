import {
  ALL_LANGUAGES,
  type Html,
  html,
  type PublicPage,
  preferredLanguage,
  publicPage,
} from '@pinfold/http/internal';

const PIN = html`<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M9.5 1.8 14.2 6.5 12.6 7.4 9.9 10.1 9.6 13.2 2.8 6.4 5.9 6.1 8.6 3.4z"/><path d="M6 10 2 14"/></svg>`;

const words = {
  en: {
    report: 'Report a page',
    text: 'Pinfold shares static sites by link. If someone sent you a link, check that you copied all of it.',
    publish: html`To publish, open the <a href="manage/">management screen</a>, or send a ZIP with your API key; see the <a href="openapi.json">API reference</a>.`,
  },
  ja: {
    report: 'ページを報告',
    text: 'サイトをリンクで共有するサービスです。リンクを受け取った方は、全体をコピーしたか確かめてください。',
    publish: html`公開するには、<a href="manage/">管理画面</a>を開くか、API キーを添えて ZIP を送ります。方法は <a href="openapi.json">API リファレンス</a>にあります。`,
  },
} as const;

export function renderIndexPage(acceptLanguage: string | undefined, service: PublicPage): Html {
  const language = preferredLanguage(acceptLanguage, ALL_LANGUAGES);
  const { text, publish, report } = words[language];
  const content = html`<h1>${PIN}Pinfold</h1>
<p>${text}</p>
<p>${publish}</p>`;
  return publicPage(service, { language, title: 'Pinfold', content, report });
}
