import type { PinfoldClient } from '@pinfold/client';
import { CommandFailure, isRefusedWith } from '../command-line/failures.ts';

/** Stops what a deleted name showed since it was made, in service and shown by no other name. Returns the ids. */
export async function stopShown(name: string, api: PinfoldClient): Promise<readonly string[]> {
  const shown = await shownBy(name, api).catch((error: unknown) => {
    if (!isRefusedWith(error, 'not_found')) throw error;
    const text =
      'this server has no history, which shows what the name has shown: stop these publications by ID';
    throw new CommandFailure(text, { cause: error, code: 'not_found' });
  });
  for await (const { pin } of api.names.list()) shown.delete(pin);
  const stopped: string[] = [];
  for (const id of shown) if (await stopInService(id, api)) stopped.push(id);
  return stopped;
}

/** The publications of a deleted name, by its events since the deletion before the last. */
async function shownBy(name: string, api: PinfoldClient): Promise<Set<string>> {
  const shown = new Set<string>();
  let deletions = 0;
  for await (const event of api.history()) {
    if (event.name !== name) continue;
    if (event.type === 'name.deleted') deletions += 1;
    if (deletions === 2) break;
    if (event.type === 'name.set' && event.pin !== null) shown.add(event.pin);
  }
  return shown;
}

/** Returns whether it stopped the publication: another may have stopped it meanwhile. */
async function stopInService(id: string, api: PinfoldClient): Promise<boolean> {
  try {
    if ((await api.get(id)).pin.state !== 'published') return false;
    await api.stop(id);
    return true;
  } catch (error) {
    if (isRefusedWith(error, 'not_found', 'invalid_state')) return false;
    throw error;
  }
}
