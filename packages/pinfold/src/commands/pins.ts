import { type Account, accountId, OPERATOR, type RoleId } from '@pinfold/core';
import type { AdministeredPublication, RoleListRequest } from '@pinfold/core/administration';
import { type AdministeredPin, administeredPinOf } from '@pinfold/http-express';
import { readAccount, readArguments, readState } from '../command-line/arguments.ts';
import { byCommand } from '../command-line/by-command.ts';
import { jsonLine, shownText } from '../command-line/escape-control-characters.ts';
import { CommandFailure, UsageError } from '../command-line/failures.ts';
import { OPTIONS } from '../command-line/options.ts';
import { readPublicationId } from '../command-line/publication-id.ts';
import { readReason } from '../command-line/reason.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { withComposition } from '../command-line/with-composition.ts';
import type { Composition } from '../compose/composition.ts';
import type { Settings } from '../settings/settings.ts';
import { webAddresses } from '../settings/web-addresses.ts';
import { everyItem } from './every-item.ts';

const UNKNOWN = 'There is no publication with this id.';

/** `pinfold pins list | show | stop | takedown` */
export async function pins([action, ...args]: readonly string[], terminal: Terminal): Promise<void> {
  switch (action) {
    case 'list':
      return await list(args, terminal);
    case 'show':
      return await show(args, terminal);
    case 'stop':
      return await stop(args, terminal);
    case 'takedown':
      return await takedown(args, terminal);
    default:
      throw new UsageError('pins takes list, show, stop or takedown');
  }
}

async function list(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values } = readArguments(args, [], OPTIONS['pins list']);
  const wanted: RoleListRequest = {
    ...(values.account === undefined ? {} : { account: readAccount(values.account) }),
    ...(values.state === undefined ? {} : { state: readState(values.state) }),
    ...(values.search === undefined ? {} : { search: values.search }),
  };
  await withComposition(terminal, async (composition, settings) => {
    const told: AdministeredPin[] = [];
    for await (const publication of everyItem(
      (page) => composition.administration.listRoles({ ...wanted, ...page }),
      ({ publications }) => publications,
    )) {
      const pin = pinOf(publication, settings);
      if (values.json) told.push(pin);
      else terminal.out(lineOf(pin));
    }
    if (values.json) terminal.out(jsonLine({ pins: told }));
  });
}

async function show(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = readArguments(args, ['ID'], {});
  const id = readPublicationId(positionals[0] ?? '', 'ID');
  await withComposition(terminal, async (composition, settings) => {
    const pin = await found(id, composition, settings);
    if (values.json) {
      terminal.out(jsonLine({ pin }));
      return;
    }
    const owner = await composition.administration.showAccount(accountId(pin.account));
    for (const [name, value] of factsOf(pin, owner?.account.blocked ?? null))
      terminal.out(`${name.padEnd(11)}${shownText(value)}`);
  });
}

async function stop(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = readArguments(args, ['ID'], {});
  const id = readPublicationId(positionals[0] ?? '', 'ID');
  await withComposition(terminal, async (composition, settings) => {
    const outcome = await composition.useCases.stop({ by: OPERATOR, id, cause: byCommand() });
    if (outcome.kind === 'refused') {
      throw new CommandFailure(
        outcome.code === 'not_found' ? UNKNOWN : 'The publication was stopped before.',
      );
    }
    const pin = await found(id, composition, settings);
    terminal.out(values.json ? jsonLine({ pin }) : `${id} was stopped.`);
  });
}

async function takedown(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = readArguments(args, ['ID'], OPTIONS['pins takedown']);
  const id = readPublicationId(positionals[0] ?? '', 'ID');
  const { purge = false, copies: isOfAll = false } = values;
  const wish = { id, reason: readReason(values.reason), purge, copies: isOfAll, cause: byCommand() };
  await withComposition(terminal, async (composition, settings) => {
    const outcome = await composition.administration.takeDown(wish);
    if (outcome.kind === 'refused') throw new CommandFailure(UNKNOWN);
    const { copies } = outcome;
    if (values.json) {
      terminal.out(jsonLine({ pin: await found(id, composition, settings), copies }));
      return;
    }
    terminal.out(`${id} was taken down.`);
    for (const copy of copies) {
      terminal.out(isOfAll ? `${copy}, a copy, was taken down.` : `${copy} is a copy, and in service.`);
    }
  });
}

async function found(id: RoleId, composition: Composition, settings: Settings): Promise<AdministeredPin> {
  const outcome = await composition.administration.showRole(id);
  if (outcome.kind === 'refused') throw new CommandFailure(UNKNOWN);
  return pinOf(outcome, settings);
}

function pinOf(found: AdministeredPublication, settings: Settings): AdministeredPin {
  const { publicUrl } = webAddresses(settings, settings.port);
  return administeredPinOf(found, publicUrl);
}

function lineOf(pin: AdministeredPin): string {
  const { shared_url, account, state, published_at, archive_bytes, title, original_filename } = pin;
  const end = pin.taken_down === null ? state : 'taken down';
  const facts = [shared_url, account, end, published_at, `${archive_bytes} bytes`];
  return shownText([...facts, title ?? original_filename].join('  '));
}

function factsOf(
  pin: AdministeredPin,
  blocked: Account['blocked'],
): readonly (readonly [name: string, value: string])[] {
  const { taken_down: down } = pin;
  return [
    ['link', pin.shared_url],
    ['account', pin.account],
    ...(blocked === null ? [] : [['blocked', `sites ${blocked.sites}: ${blocked.reason}`] as const]),
    ['title', pin.title ?? '-'],
    ['state', pin.state],
    ['published', pin.published_at],
    pin.deleted_at === null ? ['expires', pin.expires_at ?? 'never'] : ['stopped', pin.deleted_at],
    ...(down === null ? [] : [['taken down', `${down.at}: ${down.reason}`] as const]),
    ['password', pin.password_protected ? 'yes' : 'no'],
    ['files', `${pin.file_count}, ${pin.size} bytes`],
    ['from', `${pin.original_filename}, ${pin.archive_bytes} bytes`],
    ['SHA-256', pin.sha256],
  ];
}
