import { type Account, accountId, OPERATOR, type RoleId } from '@pinfold/core';
import type { RoleListRequest } from '@pinfold/core/administration';
import { type AdministeredPin, administeredPinOf } from '@pinfold/http-express/internal';
import {
  readAccount,
  readOperatorText,
  readPublicationId,
  readState,
  stateText,
} from '../command-line/arguments.ts';
import { operatorCause } from '../command-line/by-command.ts';
import { type Command, command } from '../command-line/command.ts';
import { jsonLine } from '../command-line/escape-control-characters.ts';
import { CommandFailure } from '../command-line/failures.ts';
import { linkAddresses } from '../command-line/known-addresses.ts';
import { type Fact, linesOf, pinFacts } from '../command-line/pin-facts.ts';
import { formatBytes } from '../command-line/pluralize.ts';
import { printList } from '../command-line/print-list.ts';
import { withComposition } from '../command-line/with-composition.ts';
import type { ComposedService } from '../compose/compose.ts';
import type { Settings } from '../settings/settings.ts';
import { everyItem } from './every-item.ts';

const list = command({
  name: 'pins list',
  options: {
    account: { type: 'string', value: 'NAME', help: 'only those of one account' },
    state: { type: 'string', value: 'STATE', help: 'only published, expired or stopped ones' },
    search: { type: 'string', value: 'TEXT', help: 'only those with a text in the title or the id' },
  },
  help: 'list the publications of all accounts, newest first, without stopped ones',
  example: 'pinfold pins list --account web-team --search invoice',
  guide: 'administration.md',
  run: async (_, { account, state, search, json }, terminal) => {
    const filter: RoleListRequest = {
      ...(account === undefined ? {} : { account: readAccount(account) }),
      ...(state === undefined ? {} : { state: readState(state) }),
      ...(search === undefined ? {} : { search }),
    };
    await withComposition(terminal, async ({ administration }, settings) => {
      const { publicUrl } = await linkAddresses(settings);
      const pins = everyItem(
        (page) => administration.listRoles({ ...filter, ...page }),
        ({ publications }) => publications.map((publication) => administeredPinOf(publication, publicUrl)),
      );
      return printList(pins, terminal, { member: 'pins', json, factsOf: listed });
    });
  },
});

const show = command({
  name: 'pins show',
  arguments: ['ID'],
  help: 'show everything about one publication of any account',
  example: 'pinfold pins show https://share.example/s/0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20',
  guide: 'administration.md',
  run: ([text], _, terminal) => {
    const id = readPublicationId(text);
    return withComposition(terminal, async (composition, settings) => {
      const pin = await load(id, composition, settings);
      const owner = await composition.administration.showAccount(accountId(pin.account));
      return { json: { pin }, text: linesOf(factsOf(pin, owner?.account.blocked ?? null)) };
    });
  },
});

const stop = command({
  name: 'pins stop',
  arguments: ['ID'],
  help: 'stop a publication of any account: viewers can no longer see it',
  example: 'pinfold pins stop 0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20',
  guide: 'administration.md#take-a-site-down',
  run: ([text], _, terminal) => {
    const id = readPublicationId(text);
    return withComposition(terminal, async (composition, settings) => {
      const outcome = await composition.useCases.stop({ by: OPERATOR, id, cause: operatorCause() });
      if (outcome.kind === 'refused') {
        if (outcome.code === 'not_found') throw notFound([id]);
        throw new CommandFailure('The publication was stopped before.', { code: outcome.code });
      }
      return { json: { pin: await load(id, composition, settings) }, text: `${id} was stopped.` };
    });
  },
});

const takedown = command({
  name: 'pins takedown',
  arguments: ['ID...'],
  options: {
    reason: { type: 'string', value: 'TEXT', help: 'the reason; required' },
    purge: { type: 'boolean', help: 'remove the archive now instead of at a later cleanup' },
    copies: { type: 'boolean', help: 'take down all other publications of the same archive, too' },
  },
  help: 'stop publications, and prevent their archives from being published again',
  example: 'pinfold pins takedown 0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20 --reason Phishing --copies --purge',
  guide: 'administration.md#take-a-site-down',
  run: async (texts, { purge = false, copies: all = false, json, ...values }, terminal) => {
    const ids = texts.map((text) => readPublicationId(text));
    const reason = readOperatorText(values.reason, '--reason');
    await withComposition(terminal, async (composition, settings) => {
      const takedowns: { readonly pin: AdministeredPin; readonly copies: readonly RoleId[] }[] = [];
      const unknown: RoleId[] = [];
      for (const id of ids) {
        const request = { id, reason, purge, copies: all, cause: operatorCause() };
        const outcome = await composition.administration.takeDown(request);
        if (outcome.kind === 'refused') {
          unknown.push(id);
          continue;
        }
        const { copies } = outcome;
        if (json) takedowns.push({ pin: await load(id, composition, settings), copies });
        else for (const line of takedownLines(id, copies, all)) terminal.out(line);
      }
      if (json && takedowns.length > 0)
        terminal.out(jsonLine(ids.length === 1 ? takedowns[0] : { takedowns }));
      if (unknown.length > 0) throw notFound(unknown);
    });
  },
});

export const commands: readonly Command[] = [list, show, stop, takedown];

function takedownLines(id: RoleId, copies: readonly RoleId[], all: boolean): readonly string[] {
  const fate = all ? 'a copy, was taken down.' : 'a copy, is still in service.';
  return [`${id} was taken down.`, ...copies.map((copy) => `${copy}, ${fate}`)];
}

function notFound(ids: readonly RoleId[]): CommandFailure {
  return new CommandFailure(`There is no publication ${ids.join(', ')}.`, { code: 'not_found' });
}

async function load(id: RoleId, composition: ComposedService, settings: Settings): Promise<AdministeredPin> {
  const outcome = await composition.administration.showRole(id);
  if (outcome.kind === 'refused') throw notFound([id]);
  const { publicUrl } = await linkAddresses(settings);
  return administeredPinOf(outcome, publicUrl);
}

function listed(pin: AdministeredPin): readonly string[] {
  const { shared_url, account, state, published_at, archive_bytes, title, original_filename } = pin;
  const end = pin.taken_down === null ? stateText(state) : 'taken down';
  return [shared_url, account, end, published_at, formatBytes(archive_bytes), title ?? original_filename];
}

/** What only those who administer see, after what every owner sees. */
function factsOf(pin: AdministeredPin, blocked: Account['blocked']): readonly Fact[] {
  const { taken_down: down } = pin;
  return [
    ...pinFacts(pin),
    ['account', pin.account],
    ...(blocked === null ? [] : [['blocked', `sites ${blocked.sites}: ${blocked.reason}`] as const]),
    ...(down === null ? [] : [['taken down', `${down.at}: ${down.reason}`] as const]),
    ['ZIP', formatBytes(pin.archive_bytes)],
    ['SHA-256', pin.sha256],
  ];
}
