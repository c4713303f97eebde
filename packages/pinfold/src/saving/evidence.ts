import { mkdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isFault, OPERATOR, type OpenArchiveOutcome, type RoleId } from '@pinfold/core';
import { systemCodeOf } from '@pinfold/core/internal';
import type { PublicUrl } from '@pinfold/http';
import { administeredPinOf, eventOf } from '@pinfold/http-express/internal';
import { CommandFailure, explainSystemErrors, failureJson, formatReason } from '../command-line/failures.ts';
import { jsonLine, type Terminal } from '../command-line/terminal.ts';
import { everyItem } from '../commands/every-item.ts';
import type { ComposedService } from '../compose/compose.ts';
import { operatorCause } from '../identity.ts';
import { checkedPieces, originalOf } from './original.ts';
import { writeFlushed } from './save-original.ts';
import { syncFolder } from './sync-folder.ts';
import { UnfinishedFiles } from './unfinished-files.ts';

/** Only the operator may read the evidence. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

type Source = Pick<ComposedService, 'administration' | 'manageHistory'>;

/**
 * Saves the ZIP of each publication, its record and its history in an empty folder. When it returns, all of it is on the
 * disk; an archive that is gone already is only told of.
 *
 * @throws CommandFailure when anything fails; what was written is removed then.
 */
export async function keepEvidence(
  ids: readonly RoleId[],
  folder: string,
  source: Source,
  publicUrl: PublicUrl,
  { err }: Pick<Terminal, 'err'>,
): Promise<void> {
  const unfinished = new UnfinishedFiles();
  try {
    const isMade = await explainSystemErrors(() => makeEmptyFolder(folder, unfinished), 'cannot_write');
    for (const id of ids) await keepOne(id, { folder, source, publicUrl, err, unfinished });
    await explainSystemErrors(async () => {
      await syncFolder(folder);
      if (isMade) await syncFolder(dirname(folder));
    }, 'cannot_write');
    unfinished.finish();
  } catch (error) {
    unfinished.discard();
    const json = failureJson(error) ?? { code: 'cannot_write' };
    const detail = `The evidence could not be kept, so nothing was taken down: ${formatReason(error)}`;
    throw new CommandFailure(detail, { cause: error, json: { ...json, detail } });
  }
}

/** @returns whether it was made. */
async function makeEmptyFolder(folder: string, unfinished: UnfinishedFiles): Promise<boolean> {
  try {
    unfinished.make(folder, () => mkdirSync(folder, { mode: FOLDER_MODE }));
    return true;
  } catch (error) {
    if (systemCodeOf(error) !== 'EEXIST') throw error;
  }
  if ((await readdir(folder)).length === 0) return false;
  throw new CommandFailure(`${folder} is not empty`, 'cannot_write');
}

interface Keeping {
  readonly folder: string;
  readonly source: Source;
  readonly publicUrl: PublicUrl;
  readonly err: Terminal['err'];
  readonly unfinished: UnfinishedFiles;
}

async function keepOne(id: RoleId, { folder, source, publicUrl, err, unfinished }: Keeping): Promise<void> {
  const { administration, manageHistory } = source;
  const write = (name: string, pieces: Parameters<typeof writeFlushed>[1]): Promise<void> =>
    writeFlushed(join(folder, name), pieces, { mode: FILE_MODE, unfinished });
  const found = await administration.showRole(id);
  if (found.kind === 'refused') {
    throw new CommandFailure(`there is no publication ${id}.`, { code: found.code });
  }
  const archive = await archiveOf(id, administration);
  if (archive === undefined)
    err(`pinfold: ${id}: its archive is gone already; its record and history are kept`);
  else
    await write(
      `${id}.zip`,
      checkedPieces(originalOf(archive), () => {}),
    );
  await write(`${id}.json`, document({ pin: administeredPinOf(found, publicUrl) }));
  const events = everyItem(
    (page) => manageHistory.list({ by: OPERATOR, pin: id, ...page }),
    (page) => page.events.map((event) => eventOf(event)),
  );
  await write(`${id}.events.json`, document({ events: await Array.fromAsync(events) }));
}

/** Undefined where it was removed, or storage has lost it. */
async function archiveOf(
  id: RoleId,
  { openArchive }: Source['administration'],
): Promise<OpenArchiveOutcome | undefined> {
  try {
    // The takedown that follows is recorded itself.
    const opened = await openArchive({ id, cause: operatorCause(), isRecorded: false });
    return opened.kind === 'refused' && opened.code === 'invalid_state' ? undefined : opened;
  } catch (error) {
    if (isFault(error) && error.code === 'archive_missing') return undefined;
    throw error;
  }
}

function document(value: object): readonly Uint8Array[] {
  return [Buffer.from(`${jsonLine(value)}\n`)];
}
