import { type HistoryEvent, type Keys, OPERATOR } from '@pinfold/core';
import { everyKey } from '@pinfold/core/accounts';
import { toRfc3339 } from '@pinfold/core/internal';
import { eventOf } from '@pinfold/http-express/internal';
import { SystemClock } from '@pinfold/platform-node/internal/system-clock';
import { readAccount, readName, readTime } from '../command-line/arguments.ts';
import { type Command, command, valueOption } from '../command-line/command.ts';
import { LIST_OPTIONS, printList } from '../command-line/print-list.ts';
import { everyItem, resolveRoleId, withComposition } from '../command-line/with-composition.ts';
import { readReference } from '../publishing/publications.ts';

const history = command({
  name: 'history',
  options: {
    account: valueOption('NAME', 'only events of one account'),
    pin: valueOption('ID', 'only events of one publication'),
    since: valueOption('TIME', 'only events from then on: 1h or 7d ago, or 2026-11-20 or 2026-11-20T09:30Z'),
    name: valueOption('NAME', 'only events of names of this spelling: what each showed, and when'),
    ...LIST_OPTIONS,
  },
  help: 'list events, newest first: who published, changed and stopped what',
  example: 'pinfold history --since 1h',
  guide: 'history.md',
  run: async (_, { account, pin, since, name, ...format }, terminal) => {
    const filter = {
      ...(account === undefined ? {} : { account: readAccount(account) }),
      ...(since === undefined ? {} : { since: readTime(since, '--since', new SystemClock().now()) }),
    };
    const nameFilter = name === undefined ? undefined : readName(name, '--name');
    const reference = pin === undefined ? undefined : readReference(pin, '--pin');
    await withComposition(terminal, async (composition, settings) => {
      const { manageHistory: history, manageKeys } = composition;
      const pinFilter = reference && { pin: await resolveRoleId(reference, composition, settings) };
      const labels = format.json ? new Map() : await loadLabels(manageKeys);
      let count = 0;
      const filterByName = (events: readonly HistoryEvent[]): readonly HistoryEvent[] => {
        count += events.length;
        terminal.progress?.(`looking through the history: ${count} events`);
        return events.filter((event) => event.name === nameFilter);
      };
      const events = everyItem(
        (page) => history.list({ by: OPERATOR, ...filter, ...pinFilter, ...page }),
        ({ events }) => (nameFilter === undefined ? events : filterByName(events)),
      );
      await printList(events, terminal, {
        ...format,
        member: 'events',
        toColumns: (event) => toColumns(event, labels),
        toJson: eventOf,
      });
      if (nameFilter !== undefined) terminal.progress?.('');
    });
  },
});

export const commands: readonly Command[] = [history];

async function loadLabels(keys: Keys): Promise<ReadonlyMap<string, string>> {
  const labels = new Map<string, string>();
  for await (const { id, label } of everyKey(keys, { by: OPERATOR })) if (label !== '') labels.set(id, label);
  return labels;
}

function toColumns(
  { at, type, account, pin, name, actor, request, address }: HistoryEvent,
  labels: ReadonlyMap<string, string>,
): readonly string[] {
  const who = [actor.kind, ...(actor.id === null ? [] : [actor.id, labels.get(actor.id)])];
  const by = `by ${who.filter((part) => part !== undefined).join(' ')}`;
  const what = name === null ? type : `${type} ${name}`;
  return [toRfc3339(at), what, account ?? '-', pin ?? '-', by, request ?? '', address ?? ''];
}
