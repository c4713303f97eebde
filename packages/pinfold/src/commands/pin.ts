import { OPERATOR, type Publication } from '@pinfold/core';
import { toRfc3339 } from '@pinfold/core/internal';
import { pinOf } from '@pinfold/http-express/internal';
import { readPublicationId } from '../command-line/arguments.ts';
import { operatorCause } from '../command-line/by-command.ts';
import { type Command, command, type Result } from '../command-line/command.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { withComposition } from '../command-line/with-composition.ts';
import { accepted } from '../publishing/refusal-text.ts';
import { webAddresses } from '../settings/web-addresses.ts';

const pin = command({
  name: 'pin',
  arguments: ['ID'],
  help: 'pin a publication: it no longer expires',
  example: 'pinfold pin 0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20',
  run: ([id], _, terminal) => change('pin', id, terminal),
});

const unpin = command({
  name: 'unpin',
  arguments: ['ID'],
  help: 'unpin a publication: it expires again, as late as after a renewal',
  example: 'pinfold unpin 0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20',
  run: ([id], _, terminal) => change('unpin', id, terminal),
});

export const commands: readonly Command[] = [pin, unpin];

function change(action: 'pin' | 'unpin', text: string, terminal: Terminal): Promise<Result> {
  const id = readPublicationId(text);
  return withComposition(terminal, async ({ useCases }, settings) => {
    const { publication } = accepted(await useCases[action]({ by: OPERATOR, id, cause: operatorCause() }));
    const { publicUrl } = webAddresses(settings, settings.port);
    return { json: { pin: pinOf(publication, publicUrl) }, text: sentence(publication) };
  });
}

function sentence({ id, expiresAt }: Publication): string {
  return expiresAt === null
    ? `${id} stays until it is unpinned or stopped.`
    : `${id} expires ${toRfc3339(expiresAt)}.`;
}
