import { type HistoryEvent, type Instant, instant, OPERATOR } from '@pinfold/core';
import { toRfc3339 } from '@pinfold/core/adapter';
import { eventOf } from '@pinfold/http-express';
import { readAccount, readArguments } from '../command-line/arguments.ts';
import { jsonLine, shownText } from '../command-line/escape-control-characters.ts';
import { UsageError } from '../command-line/failures.ts';
import { OPTIONS } from '../command-line/options.ts';
import { readPublicationId } from '../command-line/publication-id.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { withComposition } from '../command-line/with-composition.ts';
import { everyItem } from './every-item.ts';

/** `pinfold history` */
export async function history(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values } = readArguments(args, [], OPTIONS.history);
  const wanted = {
    ...(values.account === undefined ? {} : { account: readAccount(values.account) }),
    ...(values.pin === undefined ? {} : { pin: readPublicationId(values.pin, '--pin') }),
    ...(values.since === undefined ? {} : { since: readInstant(values.since) }),
  };
  await withComposition(terminal, async ({ history }) => {
    const told: HistoryEvent[] = [];
    for await (const event of everyItem(
      (page) => history.list({ by: OPERATOR, ...wanted, ...page }),
      ({ events }) => events,
    )) {
      if (values.json) told.push(event);
      else terminal.out(lineOf(event));
    }
    if (values.json) terminal.out(jsonLine({ events: told.map(eventOf) }));
  });
}

function readInstant(text: string): Instant {
  const at = /^\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:\d{2}))?$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
  if (Number.isNaN(at))
    throw new UsageError('--since takes an instant such as 2026-11-20 or 2026-11-20T09:30Z');
  return instant(at);
}

function lineOf({ at, type, account, pin, actor, request, address }: HistoryEvent): string {
  const who = actor.id === null ? actor.kind : `${actor.kind} ${actor.id}`;
  const facts = [toRfc3339(at), type, account ?? '-', pin ?? '-', `by ${who}`, request ?? '', address ?? ''];
  return shownText(facts.join('  ').trimEnd());
}
