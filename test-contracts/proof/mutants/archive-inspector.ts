import { ZipArchiveInspector } from '@pinfold/archive-zip';
import type { ArchiveInspector, ArchiveProof, ProofRequest } from '@pinfold/core';
import { type ArchiveInspectorSubject, archiveInspectorContract } from '@pinfold/test-contracts';
import { createStagedArchives } from '@pinfold/test-contracts/fixtures';
import { derived } from './derive.ts';
import { type Mutant, type MutantTable, mutating } from './mutant.ts';

/** One for all subjects: an inspector stores nothing, and its idle threads keep no process alive. */
const inspector = new ZipArchiveInspector();

async function openSound(): Promise<ArchiveInspectorSubject> {
  const { stage, dispose } = await createStagedArchives();
  return { port: inspector, peer: async () => inspector, stage, dispose };
}

const mutant = mutating<ArchiveInspector, ArchiveInspectorSubject>(openSound);

const clauses = {
  list: 'list-entries list-names list-structure list-tools list-unreadable list-bounded list-aborted',
  prove: 'prove-aborted prove-observes prove-limits prove-unreadable prove-sound prove-many prove-bounded',
};

/** Accepts every entry, whatever its data is. */
function believe({ tasks }: ProofRequest): ArchiveProof {
  const entries = tasks.map(({ entry }) => ({ entry, utf8: true, references: [], secrets: [], whole: true }));
  return { problems: [], entries };
}

const stories: readonly Mutant<ArchiveInspectorSubject>[] = [
  mutant('prove-many', 'concurrent proofs share the data of the first', () => {
    let running = 0;
    return (sound) => ({
      prove: async (request, signal) => {
        running += 1;
        const alone = running === 1;
        try {
          const proof = await sound.prove(request, signal);
          return alone ? proof : believe(request);
        } finally {
          running -= 1;
        }
      },
    });
  }),
];

export const archiveInspectorTable: MutantTable<ArchiveInspector, ArchiveInspectorSubject> = {
  contract: archiveInspectorContract,
  sound: () => openSound,
  derived: derived(mutant, clauses),
  // Much of what it is given is its own listing, of which it reads a part.
  least: 60,
  stories,
};
