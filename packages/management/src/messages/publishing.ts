/** Texts of publishing in a browser alone, which are bundled with its script. */
export const publishing = {
  preparing: ['Reading {name}…', '{name} を読み込んでいます…'],
  packing: ['Packing {name}…', '{name} をまとめています…'],
  uploading: ['Uploading {name}…', '{name} をアップロードしています…'],
  uploadedOf: ['{done} of {total}', '{total} のうち {done}'],
  checking: ['Checking and publishing…', '確認して公開しています…'],
  waiting: ['The connection was lost. Trying again…', '接続が切れました。もう一度送っています…'],
  cancelled: ['Cancelled. Nothing was published.', 'キャンセルしました。何も公開されていません。'],
  cancelling: ['Cancelling…', 'キャンセルしています…'],
  cancelRunning: [
    'Cancelling… The server is still working on it.',
    'キャンセルしています… サーバーが処理中です。',
  ],
  cancelSignedOut: [
    'Cancelled, but you were signed out, so it may have been published. Sign in again in another window to check.',
    'キャンセルしましたが、サインアウトしているため、公開されたかどうか分かりません。別のウィンドウでサインインすると確認できます。',
  ],
  cancelUnreachable: [
    'Cancelled, but the server cannot be reached, so it may have been published. Asking again…',
    'キャンセルしましたが、サーバーに接続できないため、公開されたかどうか分かりません。もう一度確かめています…',
  ],
  cancelledLate: ['It was published before you cancelled', 'キャンセルする前に公開されていました'],
  lateNamed: [
    '“{name}” shows it now. When it is stopped, choose on the page “Names” what “{name}” should show.',
    '「{name}」がいまこれを表示しています。停止したら、「名前」のページで「{name}」が表示するものを選んでください。',
  ],
  cancelledStopped: [
    'It was published before you cancelled, and is no longer online.',
    'キャンセルする前に公開されましたが、いまは公開されていません。',
  ],
  publishedNow: ['Published', '公開しました'],
  publishedUntil: [
    'Anyone with the link can open it until {moment}.',
    '{moment}まで、リンクを知っている人は誰でも開けます。',
  ],
  publishedUntilProtected: [
    'Anyone with the link and the password can open it until {moment}.',
    '{moment}まで、リンクとパスワードを知っている人が開けます。',
  ],
  publishedBefore: ['Already published: here is the link.', 'すでに公開済みです。リンクはこちらです。'],
  linkCopied: ['Link copied', 'リンクをコピーしました。'],
  shownAt: [
    'This is the link of “{name}”, which shows it now.',
    '「{name}」のリンクです。いまこれを表示しています。',
  ],
  ownLink: ['Its own link:', 'この公開のリンク：'],
  showDetails: ['Details', '詳細'],
  publishAnother: ['Publish another', '続けて公開する'],
  warnings: ['Published with warnings', '公開しましたが、確認が必要な点があります'],
  builtTitle: ['Publish the built site instead?', 'ビルドしたサイトを公開しますか？'],
  builtText: [
    '{name} looks like the source of a site. Its built site is in {folder}.',
    '{name} はサイトのソースのようです。ビルドしたサイトは {folder} にあります。',
  ],
  builtWhole: ['Publish everything', 'すべて公開する'],
  builtPublish: ['Publish {folder}', '{folder} を公開する'],
  leaveOutTitle: ['Leave these out?', 'これらを除きますか？'],
  leaveOutText: [
    { one: '{count} item will be left out', other: '{count} items will be left out' },
    '{count} 件を除きます',
  ],
  leaveOutWhy: [
    'Files and folders whose names begin with a dot, private keys, packages, temporary files and logs stay out: they often hold secrets. Rename what the site cannot do without, and its references.',
    '名前がドットで始まるファイルやフォルダー、秘密鍵、パッケージ、一時ファイル、ログには秘密の情報が含まれることが多いため、公開しません。サイトに必要なものは、参照とともに名前を変更してください。',
  ],
  leaveOutRest: [
    {
      one: 'The remaining {count} file ({size}) can be published.',
      other: 'The remaining {count} files ({size}) can be published.',
    },
    '残りの {count} 個のファイル（{size}）は公開できます。',
  ],
  wouldLeaveOut: ['These would be left out: {names}', '除くもの：{names}'],
  nothingLeft: ['Nothing in it can be published', '公開できるものがありません'],
  leaveOutFolder: ['{path} and everything in it', '{path} とその中身すべて'],
  leaveOut: ['Leave out and publish', '除いて公開する'],
  leftOut: ['Left out: {names}.', '除いたもの：{names}'],
  leftOutAsked: ['Nothing was published.', '何も公開していません。'],
  tryAgain: ['Try again', 'もう一度試す'],
  chooseAnother: ['Choose something else', '別のものを選ぶ'],
  empty: ['The folder is empty.', 'フォルダーが空です。'],
  unreadable: [
    '{name} could not be read. Is it open in another program, or on a drive that has gone?',
    '{name} を読み込めません。別のアプリで開いていないか、ドライブが外れていないか確認してください。',
  ],
  oneThing: [
    'Drop one folder, one ZIP, or the files of one site at a time.',
    'フォルダー 1 つ、ZIP 1 つ、または 1 つのサイトのファイルをドロップしてください。',
  ],
  startPageTitle: ['Use it as the start page?', '最初のページにしますか？'],
  startPageText: [
    'There is no index.html, the page that the link opens. {page} can take its place.',
    'リンクを開いたときに表示される index.html がありません。代わりに {page} を公開できます。',
  ],
  startPageUse: ['Use {page}', '{page} を使う'],
  signedOut: [
    'You were signed out. Sign in again in another window, then try again here.',
    'サインアウトしています。別のウィンドウでサインインしてから、ここでもう一度試してください。',
  ],
  inProgress: [
    'The same upload is still being published. Trying again…',
    '同じアップロードを公開している途中です。もう一度確かめています…',
  ],
  strangeAnswer: [
    'Something in front of this service answered with {status}. A proxy may refuse large uploads: ask the people who run the service.',
    'サービスの手前にあるものが {status} を返しました。大きなアップロードをプロキシが拒んでいる場合があります。サービスの運用者に問い合わせてください。',
  ],
  offline: [
    'The server cannot be reached. Trying again is safe: nothing is published twice.',
    'サーバーに接続できません。もう一度試しても、二重に公開されることはありません。',
  ],
  progressLabel: ['Progress of publishing {name}', '{name} の公開の進み具合'],
} as const;

/** Texts of both the pages and publishing in a browser. */
export const shared = {
  badFormText: ['Reload the page and try again.', '再読み込みして、もう一度お試しください。'],
  badFormTitle: ['Something went wrong', 'うまく送信できませんでした'],
  cancel: ['Cancel', 'キャンセル'],
  copyLink: ['Copy link', 'リンクをコピー'],
  linkCode: ['QR code of the link', 'リンクの QR コード'],
  openSite: ['Open the site', 'サイトを開く'],
  downloadZip: ['Download the ZIP', 'ZIP をダウンロード'],
  stop: ['Stop publication', '公開を停止'],
  protect: ['Protect with a password', 'パスワードで保護する'],
  problemsTitle: ['This cannot be published yet', 'このままでは公開できません'],
  otherRule: [
    'Something about these files is not allowed.',
    'これらのファイルには公開できない点があります。',
  ],
  andMore: ['and {count} more', 'ほか {count} 件'],
  andMoreAtLeast: ['and at least {count} more', 'ほか {count} 件以上'],
  seenIn: ['in {path}', '（{path}）'],
  seenInFiles: [{ one: 'in {count} file', other: 'in {count} files' }, '（{count} 個のファイル）'],
} as const;
