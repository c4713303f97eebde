/** Texts of API keys, each in English and Japanese. */
export const apiKeys = {
  copyKey: ['Copy key', 'キーをコピー'],
  createKey: ['Create a key', 'キーを作成'],
  didCreateKey: ['The key was created. Copy it now.', 'キーを作成しました。いまのうちにコピーしてください。'],
  didRevokeKey: ['The key was revoked.', 'キーを無効にしました。'],
  keyHint: ['A key that may sign in. It begins with pf_.', 'サインインできるキー。pf_ で始まります。'],
  keyLabel: ['API key', 'API キー'],
  keyLacksScope: [
    'This key lacks the scope “manage”. Create one that has it, or use a sign-in link.',
    'このキーにはスコープ「manage」がないため、サインインできません。「manage」を持つキーを作るか、サインイン用リンクを使ってください。',
  ],
  keyUnknown: [
    'There is no such key, or it was revoked. Check that you copied all of it.',
    'そのキーは存在しないか、無効になっています。全体をコピーしたか確かめてください。',
  ],
  keys: ['API keys', 'API キー'],
  keysIntro: [
    'Use a separate key for each program, so you can revoke them one by one.',
    'プログラムごとにキーを分けると、1 つずつ無効にできます。',
  ],
  label: ['Label', 'ラベル'],
  labelLabel: ['What is it for?', '何に使いますか？'],
  labelTooLong: [
    'The label can have at most {limit} characters and no line breaks.',
    'ラベルは {limit} 文字以内、改行なしで入力してください。',
  ],
  lastUsed: ['Last used', '最終使用'],
  newKey: ['Your new key', '新しいキー'],
  revoke: ['Revoke', '無効にする'],
  revokeMeans: [
    'It stops working immediately. This can’t be undone.',
    'すぐに使えなくなります。元には戻せません。',
  ],
  revokeTitle: ['Revoke “{name}”?', '「{name}」を無効にしますか？'],
  revoked: ['Revoked', '無効'],
  scopeManage: ['Sign in', 'サインイン'],
  scopeAdmin: ['Admin', '管理'],
  scopeNeeded: ['Choose at least one permission.', 'できることを 1 つ以上選んでください。'],
  scopeRead: ['Read publications', '公開の閲覧'],
  scopeWrite: ['Publish and change', '公開と変更'],
  scopes: ['Permissions', '権限'],
  scopesLegend: ['What may it do?', 'キーにできること'],
  shownOnce: [
    'It is shown only once. Keep it where you keep secrets.',
    '表示されるのは今回だけです。秘密を保管する場所に控えてください。',
  ],
  unlabelled: ['No label', 'ラベルなし'],
} as const;
