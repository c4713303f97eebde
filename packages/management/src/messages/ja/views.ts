import type { Message } from '../../i18n.ts';
import type { views as en } from '../en/views.ts';

export const views: Readonly<Record<keyof typeof en, Message>> = {
  views: '閲覧数',
  viewsByDay: '日ごとの内訳',
  viewsDay: '日付（UTC）',
  viewsMeans:
    'ページが開かれた回数です。ページに含まれるファイルは数えません。反映には最大 10 秒かかります。',
  viewsNone: '過去 30 日間に開いた人はいません。',
  viewsRefused: '誤ったパスワード',
  viewsRefusedTotal: { other: '誤ったパスワード {count} 回' },
  viewsTotal: { other: '過去 30 日間に {count} 回' },
};
