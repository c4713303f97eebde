/** Texts of names, each in English and Japanese. */
export const names = {
  names: ['Names', '名前'],
  nameHeading: ['Show at a name', '名前のリンクで表示する'],
  nameHint: [
    'A name has a link that stays the same and shows what you chose last. Use a to z, 0 to 9 and “-”, for example “spring-catalogue”.',
    '名前のリンクは変わらず、最後に選んだ公開をいつも表示します。使える文字は a〜z、0〜9、「-」です（例：spring-catalogue）。',
  ],
  nameIsNew: [
    '“{name}” is a new name, and gets a link of its own.',
    '「{name}」は新しい名前です。専用のリンクができます。',
  ],
  nameMoves: [
    '“{name}” will show it in place of what it shows now.',
    '「{name}」が、いま表示しているものに代わってこれを表示します。',
  ],
  nameOffer: ['Use “{name}”', '「{name}」を使う'],
  moveName: ['Show another', '別の公開を表示'],
  moveNameTitle: ['What should “{name}” show?', '「{name}」で表示するもの'],
  didMoveName: ['“{name}” shows the publication that you chose.', '「{name}」は、選んだ公開を表示します。'],
  nameMoved: ['Since', '変更'],
  setName: ['Show this one', 'これを表示する'],
  showBefore: ['Show the one before', '前の公開を表示'],
  namesIntro: [
    'A name is a link that does not change: it shows the publication that you chose last.',
    '名前は変わらないリンクです。最後に選んだ公開を表示します。',
  ],
  namesNone: [
    'No names yet. Give one on the page of a publication.',
    '名前はまだありません。公開のページで付けられます。',
  ],
  didSetName: ['“{name}” now shows this publication.', '「{name}」がこの公開を表示するようになりました。'],
  didDeleteName: ['The name “{name}” was deleted.', '名前「{name}」を削除しました。'],
  deleteName: ['Delete name', '名前を削除'],
  deleteNameTitle: ['Delete the name “{name}”?', '名前「{name}」を削除しますか？'],
  deleteNameMeans: [
    'Its link stops working immediately. The publication stays.',
    '名前のリンクはすぐに開けなくなります。公開はそのままです。',
  ],
  openNameTitle: ['Show “{name}” without a password?', '「{name}」をパスワードなしで公開しますか？'],
} as const;
