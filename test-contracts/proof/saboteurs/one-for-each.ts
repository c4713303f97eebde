import type { Subject } from '@pinfold/test-contracts';
import { replacing } from '@pinfold/test-contracts/fixtures';
import type { Opening, Saboteur } from './sabotage.ts';

/** Called once for each subject; then once for each of its ports, with the sound one. */
export type SpoilPort<Port> = () => (sound: Port) => Partial<Port>;

/** Makes saboteurs of subjects that a function opens: their ports and peers spoiled, all else as it was. */
export function saboteursOf<Port extends object, S extends Subject<Port>>(
  open: () => Promise<S>,
): (breaks: string, how: string, spoiling: SpoilPort<Port>, alsoFails?: readonly string[]) => Saboteur<S> {
  return (breaks, how, spoiling, alsoFails = []) => ({
    breaks,
    how,
    alsoFails,
    open: spoiledSubjects(open, spoiling),
  });
}

function spoiledSubjects<Port extends object, S extends Subject<Port>>(
  open: () => Promise<S>,
  spoiling: SpoilPort<Port>,
): Opening<S> {
  return () => async () => {
    const subject = await open();
    const methods = spoiling();
    const spoiled = (port: Port): Port => replacing(port, methods(port));
    return { ...subject, port: spoiled(subject.port), peer: async () => spoiled(await subject.peer()) };
  };
}
