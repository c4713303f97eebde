import { resolve } from 'node:path';
import { type Account, accountId, OPERATOR, type RoleId } from '@pinfold/core';
import type { RoleListRequest } from '@pinfold/core/administration';
import { type AdministeredPin, administeredPinOf, pinOf } from '@pinfold/http-express/internal';
import { SystemClock } from '@pinfold/platform-node/internal/system-clock';
import { findLinkAddresses } from '../api-client/machine-server.ts';
import { readAccount, readOperatorText, readPath, readState, readTime } from '../command-line/arguments.ts';
import { type Command, command, flagOption, type Result, valueOption } from '../command-line/command.ts';
import { CommandFailure, UsageError } from '../command-line/failures.ts';
import {
  type Fact,
  formatBytes,
  formatFacts,
  formatState,
  LIST_OPTIONS,
  listPinFacts,
  printList,
} from '../command-line/print-list.ts';
import { formatJsonLine, type Terminal } from '../command-line/terminal.ts';
import { everyItem, resolveRoleId, withComposition } from '../command-line/with-composition.ts';
import type { ComposedService } from '../compose/compose.ts';
import { operatorCause } from '../identity.ts';
import { currentFolder, readReference } from '../publishing/publications.ts';
import { expectAccepted } from '../publishing/refusal-text.ts';
import { saveEvidenceFiles } from '../saving/evidence.ts';
import { checkSavable, savedResult, saveOriginal, toOriginal } from '../saving/original.ts';
import type { Settings } from '../settings/settings.ts';

const list = command({
  name: 'pins list',
  options: {
    account: valueOption('NAME', 'only those of one account'),
    state: valueOption('STATE', 'only published, expired or stopped ones'),
    'ends-before': valueOption(
      'TIME',
      'only published ones that end before a time, or within a duration such as 24h',
    ),
    search: valueOption('TEXT', 'only those with a text in the title, the file name or the id'),
    ...LIST_OPTIONS,
  },
  help: 'list the publications of all accounts, newest first, without stopped ones',
  example: 'pinfold pins list --account web-team --search invoice',
  guide: 'administration.md',
  run: async (_, { account, state, search, 'ends-before': end, ...format }, terminal) => {
    if (end !== undefined && state !== undefined) throw new UsageError('--ends-before is for published ones');
    const endsBefore =
      end === undefined ? undefined : readTime(end, '--ends-before', new SystemClock().now(), 'after');
    const filter: RoleListRequest = {
      ...(account === undefined ? {} : { account: readAccount(account) }),
      ...(state === undefined ? {} : { state: readState(state) }),
      ...(endsBefore === undefined ? {} : { state: 'published' }),
      ...(search === undefined ? {} : { search }),
    };
    await withComposition(terminal, async ({ administration }, settings) => {
      const { publicUrl } = await findLinkAddresses(settings);
      const pins = everyItem(
        (page) => administration.listRoles({ ...filter, ...page }),
        ({ publications }) =>
          publications
            .filter(
              ({ publication: { expiresAt } }) =>
                endsBefore === undefined || (expiresAt !== null && expiresAt < endsBefore),
            )
            .map((publication) => administeredPinOf(publication, publicUrl)),
      );
      return printList(pins, terminal, {
        ...format,
        member: 'pins',
        toColumns: (pin) => toColumns(pin, endsBefore === undefined ? pin.published_at : pin.expires_at),
      });
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
    const reference = readReference(text);
    return withComposition(terminal, async (composition, settings) => {
      const id = await resolveRoleId(reference, composition, settings);
      const pin = await loadPin(id, composition, settings);
      const owner = await composition.administration.showAccount(accountId(pin.account));
      return { json: { pin }, text: formatFacts(listFacts(pin, owner?.account.blocked ?? null)) };
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
    const reference = readReference(text);
    return withComposition(terminal, async (composition, settings) => {
      const id = await resolveRoleId(reference, composition, settings);
      const outcome = await composition.useCases.stop({ by: OPERATOR, id, cause: operatorCause() });
      if (outcome.kind === 'refused') {
        if (outcome.code === 'not_found') throw notFoundError([id]);
        throw new CommandFailure('The publication was stopped before.', { code: outcome.code });
      }
      return { json: { pin: await loadPin(id, composition, settings) }, text: `${id} was stopped.` };
    });
  },
});

const takedown = command({
  name: 'pins takedown',
  arguments: ['ID...'],
  options: {
    reason: valueOption('TEXT', 'the reason; required'),
    purge: flagOption('remove the archive now instead of at a later cleanup'),
    copies: flagOption('take down all other publications of the same archive, too'),
    keep: valueOption('FOLDER', 'first save the ZIPs, the records and the history in a new or empty folder'),
  },
  help: 'stop publications, and prevent their archives from being published again',
  example: 'pinfold pins takedown 0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20 --reason Phishing --copies --purge',
  guide: 'administration.md#take-a-site-down',
  run: async (texts, { purge = false, copies: all = false, keep, json, ...values }, terminal) => {
    const references = texts.map((text) => readReference(text));
    const reason = readOperatorText(values.reason, '--reason');
    const folder = keep === undefined ? undefined : readPath(keep, '--keep');
    await withComposition(terminal, async (composition, settings) => {
      const takedowns: { readonly pin: AdministeredPin; readonly copies: readonly RoleId[] }[] = [];
      const unknown: RoleId[] = [];
      const ids = await Promise.all(
        references.map((reference) => resolveRoleId(reference, composition, settings)),
      );
      const saved =
        folder === undefined
          ? undefined
          : await saveEvidence(ids, all, { folder, composition, settings, terminal });
      const copiesToTakeDown = all && (saved ?? true);
      for (const id of ids) {
        const request = { id, reason, purge, copies: copiesToTakeDown, cause: operatorCause() };
        const outcome = await composition.administration.takeDown(request);
        if (outcome.kind === 'refused') {
          unknown.push(id);
          continue;
        }
        const { copies } = outcome;
        if (json) takedowns.push({ pin: await loadPin(id, composition, settings), copies });
        else for (const line of formatTakedown(id, copies, copiesToTakeDown)) terminal.out(line);
      }
      if (json && takedowns.length > 0)
        terminal.out(formatJsonLine(ids.length === 1 ? takedowns[0] : { takedowns }));
      if (unknown.length > 0) throw notFoundError(unknown);
    });
  },
});

const save = command({
  name: 'pins save',
  arguments: ['ID', 'FILE'],
  options: { force: flagOption('replace an existing file') },
  help: 'save the ZIP of a publication of any account in any state, or write it to standard output with -',
  example: 'pinfold pins save 0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20 evidence.zip',
  guide: 'administration.md#keep-the-evidence',
  run: async ([text, given], { force = false, json }, terminal) => {
    const reference = readReference(text);
    const target = { file: readPath(given, 'FILE'), force };
    await checkSavable(target, json, terminal);
    return await withComposition(terminal, async (composition, settings) => {
      const id = await resolveRoleId(reference, composition, settings);
      const opened = await composition.administration.openArchive({ id, cause: operatorCause() });
      if (opened.kind === 'refused' && opened.code === 'not_found') throw notFoundError([id]);
      return savedResult(id, target, await saveOriginal(toOriginal(opened), target, terminal));
    });
  },
});

const pin = command({
  name: 'pin',
  arguments: ['ID'],
  help: 'pin a publication of any account: it no longer expires',
  example: 'pinfold pin 0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20',
  run: ([id], _, terminal) => change('pin', id, terminal),
});

const unpin = command({
  name: 'unpin',
  arguments: ['ID'],
  help: 'unpin a publication of any account: it expires again, after the period of a renewal',
  example: 'pinfold unpin 0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20',
  run: ([id], _, terminal) => change('unpin', id, terminal),
});

export const commands: readonly Command[] = [list, show, stop, takedown, save, pin, unpin];

function change(action: 'pin' | 'unpin', text: string, terminal: Terminal): Promise<Result> {
  const reference = readReference(text);
  return withComposition(terminal, async (composition, settings) => {
    const id = await resolveRoleId(reference, composition, settings);
    const { publication } = expectAccepted(
      await composition.useCases[action]({ by: OPERATOR, id, cause: operatorCause() }),
    );
    const pin = pinOf(publication, (await findLinkAddresses(settings)).publicUrl);
    const end =
      pin.expires_at === null ? 'stays until it is unpinned or stopped' : `expires ${pin.expires_at}`;
    return { json: { pin }, text: `${id} ${end}.` };
  });
}

interface EvidenceOptions {
  readonly folder: string;
  readonly composition: ComposedService;
  readonly settings: Settings;
  readonly terminal: Terminal;
}

/**
 * Saves the evidence of publications and, if their copies are taken down, of those; returns the saved ids. Copies that an
 * interrupted command took down are among them, so that this one removes their archives, too.
 */
async function saveEvidence(
  ids: readonly RoleId[],
  all: boolean,
  { folder, composition, settings, terminal }: EvidenceOptions,
): Promise<readonly RoleId[]> {
  const { administration } = composition;
  const idsToSave = new Set(ids);
  if (all) {
    for (const id of ids) for (const copy of await administration.copiesOf(id)) idsToSave.add(copy);
    for (const copy of await findTakenDown(ids, administration)) idsToSave.add(copy);
  }
  const { publicUrl } = await findLinkAddresses(settings);
  const path = resolve(currentFolder(terminal.env), folder);
  await saveEvidenceFiles([...idsToSave], path, composition, publicUrl, terminal);
  return [...idsToSave];
}

/** Finds the publications that were taken down with the same archives. */
async function findTakenDown(
  ids: readonly RoleId[],
  { showRole, listTakedowns }: ComposedService['administration'],
): Promise<readonly RoleId[]> {
  const hashOf = async (id: RoleId) => {
    const found = await showRole(id);
    return found.kind === 'refused' ? undefined : found.publication.sha256;
  };
  const hashes = new Set(await Promise.all(ids.map(hashOf)));
  const takenDown: RoleId[] = [];
  // An imported takedown may be of a publication that this database does not have.
  for await (const { id, sha256 } of everyItem(listTakedowns, (page) => page.takedowns))
    if (hashes.has(sha256) && (await hashOf(id)) !== undefined) takenDown.push(id);
  return takenDown;
}

/** Formats a takedown; `takenCopies`: all, none, or those of a list. */
function formatTakedown(
  id: RoleId,
  copies: readonly RoleId[],
  takenCopies: boolean | readonly RoleId[],
): readonly string[] {
  const isTakenDown = (copy: RoleId): boolean =>
    typeof takenCopies === 'boolean' ? takenCopies : takenCopies.includes(copy);
  const describeCopy = (copy: RoleId) =>
    isTakenDown(copy) ? 'a copy, was taken down.' : 'a copy, is still in service.';
  return [`${id} was taken down.`, ...copies.map((copy) => `${copy}, ${describeCopy(copy)}`)];
}

function notFoundError(ids: readonly RoleId[]): CommandFailure {
  return new CommandFailure(`There is no publication ${ids.join(', ')}.`, 'not_found');
}

/** @throws CommandFailure if there is no such publication. */
export async function loadPin(
  id: RoleId,
  composition: ComposedService,
  settings: Settings,
): Promise<AdministeredPin> {
  const outcome = await composition.administration.showRole(id);
  if (outcome.kind === 'refused') throw notFoundError([id]);
  const { publicUrl } = await findLinkAddresses(settings);
  return administeredPinOf(outcome, publicUrl);
}

/** The columns of a list, with one of its instants. */
export function toColumns(pin: AdministeredPin, at: string | null = pin.published_at): readonly string[] {
  const { shared_url, account, state, archive_bytes, title, original_filename } = pin;
  const end = pin.taken_down === null ? formatState(state) : 'taken down';
  return [shared_url, account, end, at ?? '-', formatBytes(archive_bytes), title ?? original_filename ?? '-'];
}

function listFacts(pin: AdministeredPin, blocked: Account['blocked']): readonly Fact[] {
  const { taken_down: down } = pin;
  return [
    ...listPinFacts(pin),
    ['account', pin.account],
    ...(blocked === null ? [] : [['blocked', `sites ${blocked.sites}: ${blocked.reason}`] as const]),
    ...(down === null ? [] : [['taken down', `${down.at}: ${down.reason}`] as const]),
    ['ZIP', formatBytes(pin.archive_bytes)],
    ['SHA-256', pin.sha256],
  ];
}
