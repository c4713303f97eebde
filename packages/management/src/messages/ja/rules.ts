import type { Message } from '../../i18n.ts';
import type { rules as en } from '../en/rules.ts';

export const rules: Readonly<Record<keyof typeof en, Message>> = {
  notAZip: 'ZIP ファイルではありません。ZIP を選ぶか、フォルダーをそのまま選んでください。',
  truncated: 'ZIP が途中で切れています。保存やコピーが最後まで終わっていません。作り直してください。',
  encrypted: '暗号化されたファイルがあります。パスワードを付けずに ZIP を作ってください。',
  symlink: 'シンボリックリンクは公開できません。実際のファイルに置き換えてください。',
  specialFile: '公開できるのはファイルとフォルダーだけです。これらを除いてください。',
  unsafePath: 'Web アドレスに使えない名前です。「..」「:」「\\」や制御文字を含まない名前に変えてください。',
  badEncoding: '名前の文字コードが食い違っています。ファイル名を変えて、ZIP を作り直してください。',
  forbiddenName:
    '公開すべきでないものが含まれています（バージョン管理、秘密の設定、パッケージ、一時ファイル、ログ）。除いてください。',
  missingIndex:
    'index.html がありません。リンクを開いたときに表示されるページです。フォルダーの先頭に小文字の名前で置いてください。',
  tooManyFiles:
    'ファイルが多すぎます（{actual} 個、上限は {limit} 個）。サイトに不要なものを除いてください。',
  fileTooLarge: '大きすぎるファイルがあります。1 ファイルの上限は {limit} です。',
  expandedTooLarge: '合計サイズが大きすぎます（{actual}、上限は {limit}）。',
  duplicatePath:
    '同じ名前、または大文字と小文字だけが違う名前のファイルがあります。どちらかを変えてください。',
  pathConflict: '同じ名前のファイルとフォルダーがあります。どちらかの名前を変えてください。',
  unsupportedCompression:
    '対応していない方法で圧縮されています。一般的な deflate 形式で ZIP を作ってください。',
  corruptData: 'ZIP の中でファイルが壊れています。作り直してください。',
  headerMismatch: 'ZIP の中の情報が食い違っています。別のソフトで作り直してください。',
  overlappingEntries: 'ZIP の中でファイルが重なっています。別のソフトで作り直してください。',
  ambiguousStructure: 'ZIP の構造が一通りに読めません。別のソフトで作り直してください。',
  forbiddenContent: 'この ZIP は運営者によって公開を停止されたため、再び公開することはできません。',
  archiveTooLarge: 'ZIP が大きすぎます。上限は {limit} です。',
  problemsTitle: 'このままでは公開できません',
  otherRule: 'これらのファイルには公開できない点があります。',
  andMore: { other: 'ほか {count} 件' },
  caseMismatch: 'ファイル名と大文字・小文字が違うリンクは開けません。',
  caseMismatchSeen: '「{target}」（実際のファイル名は「{file}」）',
  brokenReference: 'サイトの中に行き先のファイルがないリンクです。',
  sourceMap: 'ソースマップから、リンクを知る人が元のソースコードを読めます。',
  possibleSecret: '秘密の鍵やトークンのようです。本物なら、公開を停止してその鍵を無効にしてください。',
  absoluteReference: 'ここでは「/」で始まるリンクはサイトの外を指します。相対パスにしてください。',
  serviceWorker:
    'Service Worker を登録するスクリプトです。ここでは Service Worker は使えないため、オフライン表示などの機能は動きません。',
  unusedServerFile:
    'ほかのサーバー向けの設定ファイルです。ここでは効果がなく、リンクを知る人は誰でも読めます。',
  passwordDropped:
    'この名前で公開していたものにはパスワードがありましたが、今回のものにはありません。リンクを知る人は誰でも開けます。',
  namesNearlyFull: '名前の数が上限に近づいています。不要な名前を削除してください。',
  notAllChecked: '内容が多いため、すべては確認していません。ほかにも直すところがあるかもしれません。',
  privateKey: '秘密鍵',
  awsAccessKey: 'AWS アクセスキー',
  githubToken: 'GitHub トークン',
  gitlabToken: 'GitLab トークン',
  slackToken: 'Slack トークン',
  stripeSecretKey: 'Stripe シークレットキー',
  anthropicApiKey: 'Anthropic API キー',
  openaiApiKey: 'OpenAI API キー',
  npmToken: 'npm トークン',
  pinfoldApiKey: 'Pinfold API キー',
  secretFile: '秘密の情報を入れるファイルによくある名前',
};
