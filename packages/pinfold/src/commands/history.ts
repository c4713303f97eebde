import { type HistoryEvent, OPERATOR } from '@pinfold/core';
import { toRfc3339 } from '@pinfold/core/adapter';
import { eventOf } from '@pinfold/http-express/wire';
import { SystemClock } from '@pinfold/platform-node';
import { readAccount, readPublicationId, readTime } from '../command-line/arguments.ts';
import { type Command, command } from '../command-line/command.ts';
import { escapeControls } from '../command-line/escape-control-characters.ts';
import { printList } from '../command-line/print-list.ts';
import { withComposition } from '../command-line/with-composition.ts';
import { everyItem } from './every-item.ts';

const history = command({
  name: 'history',
  group: 'service',
  arguments: [],
  options: {
    account: { type: 'string', value: 'NAME', help: 'only events of one account' },
    pin: { type: 'string', value: 'ID', help: 'only events of one publication' },
    since: {
      type: 'string',
      value: 'TIME',
      help: 'only events from then on: 1h or 7d ago, or 2026-11-20 or 2026-11-20T09:30Z',
    },
  },
  help: 'list what happened, newest first: who published, changed and stopped what',
  example: 'pinfold history --since 1h',
  guide: 'history.md',
  run: async (_, { account, pin, since, json }, terminal) => {
    const filter = {
      ...(account === undefined ? {} : { account: readAccount(account) }),
      ...(pin === undefined ? {} : { pin: readPublicationId(pin, '--pin') }),
      ...(since === undefined ? {} : { since: readTime(since, '--since', new SystemClock().now()) }),
    };
    await withComposition(terminal, ({ history }) => {
      const events = everyItem(
        (page) => history.list({ by: OPERATOR, ...filter, ...page }),
        ({ events }) => events,
      );
      return printList(events, terminal, { member: 'events', json, toLine: lineOf, toJson: eventOf });
    });
  },
});

export const commands: readonly Command[] = [history];

function lineOf({ at, type, account, pin, actor, request, address }: HistoryEvent): string {
  const who = actor.id === null ? actor.kind : `${actor.kind} ${actor.id}`;
  const facts = [toRfc3339(at), type, account ?? '-', pin ?? '-', `by ${who}`, request ?? '', address ?? ''];
  return escapeControls(facts.join('  ').trimEnd());
}
