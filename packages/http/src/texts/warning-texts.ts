import type { OriginNeed, SecretKind, SiteTool, Warning } from '@pinfold/core';
import type { Finding, Text } from './text.ts';

type AdviceId = `advice_${'base_path' | 'by_hand' | 'none' | 'relative' | 'setting'}` | 'page_alone';
type SeenId = `seen_${'encoding' | 'file' | 'names' | 'target'}`;

export type WarningTextId = Warning['rule'] | AdviceId | SecretKind | `need_${OriginNeed}` | SeenId;

const RULES: Readonly<Record<Warning['rule'], Text>> = {
  password_dropped: {
    en: 'The name showed a publication with a password, and this one has none: anyone with the link can open it.',
    ja: 'この名前で公開していたものにはパスワードがありましたが、今回のものにはありません。リンクを知る人は誰でも開けます。',
  },
  names_nearly_full: {
    en: 'The account has almost as many names as it may have. Delete those that are no longer needed.',
    ja: '名前の数が上限に近づいています。不要な名前を削除してください。',
  },
  names_decoded: {
    en: 'The ZIP does not state the encoding of its names. If they are wrong, publish the folder itself, or make the ZIP again with names in UTF-8 (in 7-Zip, with the parameter cu=on).',
    ja: 'ZIP にファイル名の文字コードが記録されていません。名前が正しくない場合は、フォルダーをそのまま公開するか、UTF-8 の名前で ZIP を作り直してください（7-Zip ではパラメーター cu=on）。',
  },
  case_mismatch: {
    en: 'References must match the names of files, including upper and lower case. Write them alike.',
    ja: 'リンクとファイル名の大文字・小文字が違います。同じ表記にしてください。',
  },
  broken_reference: {
    en: 'These references name files that the site does not have. Add the files, or correct the references.',
    ja: 'リンク先のファイルがサイトにありません。ファイルを加えるか、リンクを直してください。',
  },
  source_map: {
    en: 'Source maps show your source code to anyone with the link. Build without them, unless you want that.',
    ja: 'ソースマップから、リンクを知る人が元のソースコードを読めます。見せたくない場合は、ソースマップなしでビルドしてください。',
  },
  possible_secret: {
    en: 'Anyone with the link can read what looks like a secret. If it is real, stop the publication and revoke it.',
    ja: '秘密の鍵やトークンのようなものを、リンクを知る人は誰でも読めます。本物なら、公開を停止してその鍵を無効にしてください。',
  },
  absolute_reference: {
    en: 'References that begin with “/”, or have too many “../”, point outside the site here.',
    ja: 'ここでは「/」で始まるリンクと、「../」でサイトより上に出るリンクは、サイトの外を指します。',
  },
  needs_origin: {
    en: 'This service shows sites without an origin of their own, so this may not work. Try the site, or ask the operator for a service in origin mode.',
    ja: 'このサービスではサイトが専用のオリジンを持たないため、動かないことがあります。表示を確かめるか、オリジンモードのサービスについて運営者に相談してください。',
  },
  needs_referrer: {
    en: 'Embeds that check which site embeds them may show nothing, because browsers do not send that here. Add referrerpolicy="strict-origin-when-cross-origin" to each <iframe>.',
    ja: '埋め込み元のサイトを確認する埋め込みは表示されないことがあります。ここではブラウザーが埋め込み元を伝えません。<iframe> に referrerpolicy="strict-origin-when-cross-origin" を付けてください。',
  },
  service_worker: {
    en: 'Service workers are refused here. The site has to work without them, and cannot work offline.',
    ja: 'ここでは Service Worker は使えません。なしでも動くサイトにしてください。オフライン表示などの機能は動きません。',
  },
  unused_server_file: {
    en: 'Settings for other servers have no effect here, and anyone with the link can read them. Leave them out.',
    ja: '別のサーバーの設定ファイルはここでは効果がなく、リンクを知る人は誰でも読めます。除いてください。',
  },
  not_all_checked: {
    en: 'Only part of this large site was checked, so there may be more to warn about.',
    ja: '大きなサイトのため、一部だけを確認しました。ほかにも注意すべき点があるかもしれません。',
  },
};

export const WARNING_RULES: readonly string[] = Object.keys(RULES);

const ADVICE: Readonly<Record<AdviceId, Text>> = {
  advice_base_path: {
    en: 'Without “{basePath}” they lead to files: if the site was built for that path, build it for “/” (the “base”, “basePath”, “baseUrl” or “--base-href” of its tool).',
    ja: '「{basePath}」を除くとファイルがあります。そのパスで公開するためのビルドなら、「/」用にビルドし直してください（ツールの base、basePath、baseUrl、--base-href など）。',
  },
  advice_relative: {
    en: 'Make them relative. If the tool that builds the site cannot do that, ask the operator for a service in origin mode.',
    ja: '相対パスにしてください。サイトを作ったツールでできない場合は、オリジンモードのサービスについて運営者に相談してください。',
  },
  advice_setting: {
    en: 'The site was built with {name}: use “{setting}” and build it again.',
    ja: 'このサイトは {name} で作られています。「{setting}」を使ってビルドし直してください。',
  },
  advice_by_hand: {
    en: 'The site was built with {name}: write relative references in its templates.',
    ja: 'このサイトは {name} で作られています。テンプレートのリンクを相対パスにしてください。',
  },
  advice_none: {
    en: 'The site was built with {name}, which has no setting for relative references: ask the operator for a service in origin mode.',
    ja: 'このサイトは {name} で作られていますが、{name} には相対パスで出力する設定がありません。オリジンモードのサービスについて運営者に相談してください。',
  },
  page_alone: {
    en: 'The page was published alone. Publish the folder that contains it and these files, or all of them together.',
    ja: 'ページだけを公開しました。ページとこれらのファイルが入っているフォルダーか、すべてのファイルをまとめて公開してください。',
  },
};

const SECRETS: Readonly<Record<SecretKind, Text>> = {
  private_key: { en: 'private key', ja: '秘密鍵' },
  aws_access_key: { en: 'AWS access key', ja: 'AWS アクセスキー' },
  github_token: { en: 'GitHub token', ja: 'GitHub トークン' },
  gitlab_token: { en: 'GitLab token', ja: 'GitLab トークン' },
  slack_token: { en: 'Slack token', ja: 'Slack トークン' },
  stripe_secret_key: { en: 'Stripe secret key', ja: 'Stripe シークレットキー' },
  anthropic_api_key: { en: 'Anthropic API key', ja: 'Anthropic API キー' },
  openai_api_key: { en: 'OpenAI API key', ja: 'OpenAI API キー' },
  npm_token: { en: 'npm token', ja: 'npm トークン' },
  pinfold_api_key: { en: 'Pinfold API key', ja: 'Pinfold API キー' },
  secret_file: {
    en: 'a name that files with secrets usually have',
    ja: '秘密の情報を入れるファイルによくある名前',
  },
};

const NEEDS: Readonly<Record<`need_${OriginNeed}`, Text>> = {
  need_storage: {
    en: 'storage (localStorage, sessionStorage, IndexedDB, caches or cookies)',
    ja: 'ストレージ（localStorage、sessionStorage、IndexedDB、caches、Cookie）',
  },
  need_worker: { en: 'a worker', ja: 'Worker' },
  need_track: {
    en: 'subtitles (add “crossorigin” to the video)',
    ja: '字幕（動画に crossorigin を付けてください）',
  },
  need_external_use: {
    en: '<use> of another file (put the symbol into the page)',
    ja: '別ファイルを参照する <use>（シンボルをページの中に入れてください）',
  },
  need_embedded_pdf: {
    en: 'an embedded PDF (link to it instead)',
    ja: '埋め込みの PDF（リンクにしてください）',
  },
};

const SEEN: Readonly<Record<SeenId, Text>> = {
  seen_target: { en: '“{target}”', ja: '「{target}」' },
  seen_file: { en: '“{target}” is the file “{file}”', ja: '「{target}」（実際のファイル名は「{file}」）' },
  seen_encoding: { en: 'read as {encoding}', ja: '{encoding} として読みました' },
  seen_names: { en: '{used} of {most} names', ja: '名前 {used} 個（上限 {most} 個）' },
};

export const WARNING_TEXTS: Readonly<Record<WarningTextId, Text>> = {
  ...RULES,
  ...ADVICE,
  ...SECRETS,
  ...NEEDS,
  ...SEEN,
};

/** A tool that builds sites, and how it writes relative references. */
interface BuildTool {
  readonly name: string;
  /** The command or setting, the same in every language; absent if the tool has none. */
  readonly setting?: string;
  /** Whether people write the references themselves, in templates and pages. */
  readonly byHand?: true;
}

const TOOLS: Readonly<Record<SiteTool, BuildTool>> = {
  angular: { name: 'Angular', setting: 'ng build --base-href ./' },
  astro: { name: 'Astro' },
  blazor: { name: 'Blazor' },
  create_react_app: { name: 'Create React App', setting: '"homepage": "." (package.json)' },
  docusaurus: { name: 'Docusaurus', setting: "future: { experimental_router: 'hash' }" },
  eleventy: { name: 'Eleventy', byHand: true },
  flutter: { name: 'Flutter', setting: '<base href="./"> (web/index.html)' },
  gatsby: { name: 'Gatsby' },
  hexo: { name: 'Hexo', setting: "relative_link: true, url_for('about/')" },
  hugo: { name: 'Hugo', setting: 'relativeURLs = true' },
  jekyll: { name: 'Jekyll', byHand: true },
  next: { name: 'Next.js' },
  nuxt: { name: 'Nuxt' },
  sveltekit: { name: 'SvelteKit', setting: 'prerender = true, resolve(), asset() ($app/paths)' },
  vite: { name: 'Vite', setting: 'vite build --base ./' },
  vitepress: { name: 'VitePress' },
};

/** Finds the tool, for advice on references that begin with `/`. */
function buildToolOf(tool: SiteTool | undefined): BuildTool | undefined {
  // The server may be newer than this text, and know more tools.
  return tool !== undefined && Object.hasOwn(TOOLS, tool) ? TOOLS[tool] : undefined;
}

export function warningFinding(warning: Warning): Finding<WarningTextId> {
  const { rule } = warning;
  const texts = [rule] as const;
  const values = {};
  switch (warning.rule) {
    case 'case_mismatch':
      return { texts, seen: 'seen_file', values: { target: warning.target, file: warning.file } };
    case 'broken_reference': {
      const { target, basePath } = warning;
      if (basePath === undefined) return { texts, seen: 'seen_target', values: { target } };
      return { texts: [rule, 'advice_base_path'], seen: 'seen_target', values: { target, basePath } };
    }
    case 'needs_referrer':
      return { texts, seen: 'seen_target', values: { target: warning.target } };
    case 'absolute_reference': {
      const tool = buildToolOf(warning.tool);
      const { name = '', setting = '' } = tool ?? {};
      return {
        texts: [rule, adviceFor(tool)],
        seen: 'seen_target',
        values: { target: warning.target, name, setting },
      };
    }
    case 'needs_origin':
      return { texts, seen: `need_${warning.need}`, values };
    case 'possible_secret':
      return { texts, seen: warning.secret, values };
    case 'names_decoded':
      return { texts, seen: 'seen_encoding', values: { encoding: warning.encoding } };
    case 'names_nearly_full':
      return { texts, seen: 'seen_names', values: { used: warning.used, most: warning.most } };
    default:
      return { texts, values };
  }
}

function adviceFor(tool: ReturnType<typeof buildToolOf>): AdviceId {
  if (tool === undefined) return 'advice_relative';
  if (tool.byHand === true) return 'advice_by_hand';
  return tool.setting === undefined ? 'advice_none' : 'advice_setting';
}
