import type { Name, PinfoldClient } from '@pinfold/client';
import { CommandFailure, isRefusedWith } from '../command-line/failures.ts';
import { throwNameError } from './refusal-text.ts';

/** Fails if publishing would remove a name's password by mistake. A `password` of null removes it on purpose. */
export async function checkStaysProtected(
  api: PinfoldClient,
  { name, password }: { readonly name?: string | undefined; readonly password?: string | null | undefined },
): Promise<void> {
  if (name === undefined || password !== undefined || !(await isProtected(name, api))) return;
  throw protectionError(name, '--password-stdin, or --no-password to publish without one');
}

/** The publication that a name will show: one by its id, or the previous one. */
export type NextShown = { readonly id: string } | 'previous';

/**
 * Points a name at another publication.
 *
 * @throws CommandFailure before any change, if the name would lose its password or has no previous publication.
 */
export async function moveName(
  name: string,
  next: NextShown,
  mayLosePassword: boolean,
  api: PinfoldClient,
): Promise<Name> {
  const id = next === 'previous' ? await findPrevious(name, api) : next.id;
  if (!mayLosePassword) {
    const { state, password_protected } = (await api.get(id)).pin;
    // The server itself refuses a publication that has ended.
    if (state === 'published' && !password_protected && (await isProtected(name, api)))
      throw protectionError(name, '--no-password to show one without');
  }
  return (await api.names.set(name, id)).name;
}

async function findPrevious(name: string, { names }: PinfoldClient): Promise<string> {
  const { previous } = (await names.get(name).catch(throwNameError)).name;
  if (previous) return previous;
  throw new CommandFailure(
    `${name} has not shown another publication before: give the ID of the one to show`,
    'invalid_state',
  );
}

/** Whether a name shows a publication with a password. */
async function isProtected(name: string, api: PinfoldClient): Promise<boolean> {
  const shown = await api.names.get(name).catch((error: unknown) => {
    if (!isRefusedWith(error, 'not_found')) throw error;
  });
  return shown !== undefined && (await api.get(shown.name.pin)).pin.password_protected;
}

function protectionError(name: string, alternatives: string): CommandFailure {
  return new CommandFailure(`${name} shows a publication with a password: give ${alternatives}`, 'usage');
}

/** Stops the publications that only this deleted name showed since it was last created; returns their ids. */
export async function stopShown(name: string, api: PinfoldClient): Promise<readonly string[]> {
  const shown = await findShown(name, api).catch((error: unknown) => {
    if (!isRefusedWith(error, 'not_found')) throw error;
    const message =
      'this server has no history, so the publications of the name are unknown: stop them by ID';
    throw new CommandFailure(message, { cause: error, code: 'not_found' });
  });
  for await (const { pin } of api.names.list()) shown.delete(pin);
  const stopped: string[] = [];
  for (const id of shown) if (await stopInService(id, api)) stopped.push(id);
  return stopped;
}

/** Finds the publications of a deleted name in its events between the last two deletions. */
async function findShown(name: string, api: PinfoldClient): Promise<Set<string>> {
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

/** Returns false if the publication is not in service, for example because someone else stopped it meanwhile. */
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
