import { OPERATOR, type Publication, type Refusal } from '@pinfold/core';
import { toRfc3339 } from '@pinfold/core/adapter';
import { pinOf } from '@pinfold/http-express';
import { readArguments } from '../command-line/arguments.ts';
import { byCommand } from '../command-line/by-command.ts';
import { jsonLine } from '../command-line/escape-control-characters.ts';
import { CommandFailure } from '../command-line/failures.ts';
import { readPublicationId } from '../command-line/publication-id.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { withComposition } from '../command-line/with-composition.ts';
import { webAddresses } from '../settings/web-addresses.ts';

const UNKNOWN = 'There is no publication with this id.';
const CLOSED: Readonly<Record<Refusal<'invalid_state'>['state'], string>> = {
  deleted: 'The publication was stopped and can no longer change.',
  expired: 'The publication has expired: it can be stopped, but not changed.',
  pinned: 'The publication is pinned and does not expire.',
};

/** `pinfold pin ID` */
export function pin(args: readonly string[], terminal: Terminal): Promise<void> {
  return change('pin', args, terminal);
}

/** `pinfold unpin ID` */
export function unpin(args: readonly string[], terminal: Terminal): Promise<void> {
  return change('unpin', args, terminal);
}

async function change(action: 'pin' | 'unpin', args: readonly string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = readArguments(args, ['ID'], {});
  const id = readPublicationId(positionals[0] ?? '', 'ID');
  await withComposition(terminal, async ({ useCases }, settings) => {
    const outcome = await useCases[action]({ by: OPERATOR, id, cause: byCommand() });
    if (outcome.kind === 'refused') {
      throw new CommandFailure(outcome.code === 'invalid_state' ? CLOSED[outcome.state] : UNKNOWN);
    }
    const { publicUrl } = webAddresses(settings, settings.port);
    const { publication } = outcome;
    const json = { pin: pinOf(publication, publicUrl) };
    terminal.out(values.json ? jsonLine(json) : sentence(publication));
  });
}

function sentence({ id, expiresAt }: Publication): string {
  return expiresAt === null
    ? `${id} stays until it is unpinned or stopped.`
    : `${id} expires ${toRfc3339(expiresAt)}.`;
}
