import { mkdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isFault, OPERATOR, type OpenArchiveOutcome, type RoleId } from '@pinfold/core';
import { systemCodeOf } from '@pinfold/core/internal';
import type { PublicUrl } from '@pinfold/http';
import { administeredPinOf, eventOf } from '@pinfold/http-express/internal';
import {
  CommandFailure,
  explainSystemErrors,
  formatReason,
  toFailureJson,
} from '../command-line/failures.ts';
import { formatJsonLine, type Terminal } from '../command-line/terminal.ts';
import { everyItem } from '../command-line/with-composition.ts';
import type { ComposedService } from '../compose/compose.ts';
import { operatorCause } from '../identity.ts';
import { syncFolder, UnfinishedFiles, writeFlushed } from './durable-files.ts';
import { checkedPieces, toOriginal } from './original.ts';

/** Evidence is readable for the operator only. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

type Source = Pick<ComposedService, 'administration' | 'manageHistory'>;

/**
 * Saves the ZIP of each publication, its record and its history in an empty folder. When it returns, everything is on
 * the disk. For an archive that is not there, it only prints a line.
 *
 * @throws CommandFailure on any failure, after removing what was written.
 */
export async function saveEvidenceFiles(
  ids: readonly RoleId[],
  folder: string,
  source: Source,
  publicUrl: PublicUrl,
  { err }: Pick<Terminal, 'err'>,
): Promise<void> {
  const unfinished = new UnfinishedFiles();
  try {
    const isNew = await explainSystemErrors(() => makeEmptyFolder(folder, unfinished), 'cannot_write');
    for (const id of ids) await saveOne(id, { folder, source, publicUrl, err, unfinished });
    await explainSystemErrors(async () => {
      await syncFolder(folder);
      if (isNew) await syncFolder(dirname(folder));
    }, 'cannot_write');
    unfinished.finish();
  } catch (error) {
    unfinished.discard();
    const json = toFailureJson(error) ?? { code: 'cannot_write' };
    const detail = `The evidence could not be saved, so nothing was taken down: ${formatReason(error)}`;
    throw new CommandFailure(detail, { cause: error, json: { ...json, detail } });
  }
}

/** Returns whether it created the folder. */
async function makeEmptyFolder(folder: string, unfinished: UnfinishedFiles): Promise<boolean> {
  try {
    unfinished.make(folder, () => mkdirSync(folder, { mode: FOLDER_MODE }));
    return true;
  } catch (error) {
    if (systemCodeOf(error) !== 'EEXIST') throw error;
  }
  if ((await readdir(folder)).length === 0) return false;
  throw new CommandFailure(`${folder} is not empty: name another folder`, 'cannot_write');
}

interface SaveOptions {
  readonly folder: string;
  readonly source: Source;
  readonly publicUrl: PublicUrl;
  readonly err: Terminal['err'];
  readonly unfinished: UnfinishedFiles;
}

async function saveOne(
  id: RoleId,
  { folder, source, publicUrl, err, unfinished }: SaveOptions,
): Promise<void> {
  const { administration, manageHistory } = source;
  const write = (name: string, pieces: Parameters<typeof writeFlushed>[1]): Promise<void> =>
    writeFlushed(join(folder, name), pieces, { mode: FILE_MODE, unfinished });
  const found = await administration.showRole(id);
  if (found.kind === 'refused') {
    throw new CommandFailure(`there is no publication ${id}.`, { code: found.code });
  }
  const archive = await openArchiveOf(id, administration);
  if (typeof archive === 'string') err(`pinfold: ${id}: ${archive}; its record and history are saved`);
  else
    await write(
      `${id}.zip`,
      checkedPieces(toOriginal(archive), () => {}),
    );
  await write(`${id}.json`, jsonDocument({ pin: administeredPinOf(found, publicUrl) }));
  const events = everyItem(
    (page) => manageHistory.list({ by: OPERATOR, pin: id, ...page }),
    (page) => page.events.map((event) => eventOf(event)),
  );
  await write(`${id}.events.json`, jsonDocument({ events: await Array.fromAsync(events) }));
}

/** Opens an archive; returns why there is none if it was removed, or is missing in the storage. */
async function openArchiveOf(
  id: RoleId,
  { openArchive }: Source['administration'],
): Promise<OpenArchiveOutcome | string> {
  try {
    // Not recorded in the history, because the takedown that follows is.
    const opened = await openArchive({ id, cause: operatorCause(), isRecorded: false });
    const isRemoved = opened.kind === 'refused' && opened.code === 'invalid_state';
    return isRemoved ? 'its archive is already removed' : opened;
  } catch (error) {
    if (isFault(error) && error.code === 'archive_missing') return 'the storage does not have its archive';
    throw error;
  }
}

function jsonDocument(value: object): readonly Uint8Array[] {
  return [Buffer.from(`${formatJsonLine(value)}\n`)];
}
