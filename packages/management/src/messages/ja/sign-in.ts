import type { Message } from '../../i18n.ts';
import type { signIn as en } from '../en/sign-in.ts';

export const signIn: Readonly<Record<keyof typeof en, Message>> = {
  connectAgree: 'はい、同じです',
  connectHow: '別のマシンの pinfold コマンドにキーを渡すには、そのマシンで次を実行してください。',
  connectIntro:
    'pinfold コマンドが「{name}」の API キーを求めています。次の文字が、コマンドの表示と同じか確かめてください。',
  connectRefuse: 'いいえ',
  connectTitle: 'コマンドにキーを渡す',
  connectUnknown:
    'このページを待っているコマンドはありません。アドレスが完全でないか、10 分が過ぎました。もう一度「pinfold login」を実行してください。',
  connectWarning:
    'いまご自身でコマンドを実行した場合だけ承認してください。キーを受け取った人は、下で選んだことができます。',
  didConnect: 'コマンドは数秒以内にキーを受け取ります。ここで無効にできます。',
  elsewhereAgain: 'もう一度サインイン',
  elsewhereAsAnother: '{name} からサインアウト',
  elsewhereBusy:
    'いま {name} でサインインする人が多く、混み合っています。しばらくしてからこのページを再読み込みしてください。',
  elsewhereClock:
    '{name} とこのサービスの時計が大きくずれているため、サインインを確認できませんでした。サービスの運営者に知らせてください。',
  elsewhereDeclined: '{name} でサインインできませんでした。拒否されたか、キャンセルされました。',
  elsewhereForgotten:
    'サインインに 10 分以上かかったか、別のウィンドウで始められたか、ブラウザーが Cookie を保存していませんでした。',
  elsewhereLate: '{name} から受け取った情報は、使用済みか、古すぎます。',
  elsewhereMisconfigured:
    '{name} はこのサービスの設定を受け付けませんでした。サービスの運営者に知らせてください。詳細はログにあります。',
  elsewhereNameless:
    '{name} からの情報だけでは、あなたのアカウントがわかりませんでした。サービスの運営者に知らせてください。詳細はログにあります。',
  elsewhereNotAllowed:
    '{name} では {person} として確認されましたが、ここにはサインインできません。サービスの運営者に問い合わせてください。',
  elsewhereTitle: 'サインインできませんでした',
  elsewhereUnreachable: 'いま {name} に接続できません。しばらくしてからもう一度お試しください。',
  elsewhereUntrusted:
    '{name} の応答を確認できませんでした。サービスの運営者に知らせてください。詳細はログにあります。',
  signInOtherwise: 'ほかの方法でサインイン',
  signInWith: '{name} でサインイン',
  signOutElsewhere: 'サインイン元からもサインアウト',
};
