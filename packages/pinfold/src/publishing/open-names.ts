import type { Name } from '@pinfold/client';
import { CommandFailure, isNotFound } from '../command-line/failures.ts';
import type { Publications } from './publications.ts';

/** A name whose viewers have to enter a password must not lose it by mistake; null means to publish without one. */
export async function refuseUnprotected(
  publications: Publications,
  { name, password }: { readonly name?: string | undefined; readonly password?: string | null | undefined },
): Promise<void> {
  if (name === undefined || password !== undefined || !(await isProtected(name, publications))) return;
  throw refusal(name, '--password-stdin, or --no-password to publish without one');
}

/** What a name is to show: a publication by its id, or what the name showed before. */
export type NextShown = { readonly id: string } | 'previous';

/**
 * Points a name at another publication.
 *
 * @param mayOpen whether the name may lose its password by it.
 * @throws CommandFailure before anything is changed where it may not, or nothing was shown before.
 */
export async function moveName(
  name: string,
  next: NextShown,
  mayOpen: boolean,
  publications: Publications,
): Promise<Name> {
  const id = next === 'previous' ? await previousOf(name, publications) : next.id;
  if (!mayOpen) {
    const { state, password_protected } = await publications.get(id);
    // The server refuses one that has ended.
    if (state === 'published' && !password_protected && (await isProtected(name, publications)))
      throw refusal(name, '--no-password to show one without');
  }
  return publications.names.set(name, id);
}

async function previousOf(name: string, { names }: Publications): Promise<string> {
  const { previous } = await names.get(name);
  if (previous) return previous;
  throw new CommandFailure(`${name} has shown nothing else before: give the ID of what it is to show`, {
    code: 'invalid_state',
  });
}

/** Whether a name shows a publication with a password. */
async function isProtected(name: string, publications: Publications): Promise<boolean> {
  const shown = await publications.names.get(name).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
  return shown !== undefined && (await publications.get(shown.pin)).password_protected;
}

function refusal(name: string, ways: string): CommandFailure {
  return new CommandFailure(`${name} shows a publication with a password: give ${ways}`, { code: 'usage' });
}
