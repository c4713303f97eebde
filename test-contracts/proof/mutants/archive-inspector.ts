import { ZipArchiveInspector } from '@pinfold/archive-zip';
import type { ArchiveInspector, ArchiveProof, ProofRequest } from '@pinfold/core';
import { type ArchiveInspectorSubject, archiveInspectorContract } from '@pinfold/test-contracts';
import { createStagedArchives } from '@pinfold/test-contracts/fixtures';
import { derived, type PortShape } from './derive.ts';
import type { Shape } from './distortions.ts';
import { type Mutant, type MutantTable, mutating } from './mutant.ts';

/** One inspector for all subjects: it stores nothing, and its idle threads do not keep the process alive. */
const inspector = new ZipArchiveInspector();

async function openSound(): Promise<ArchiveInspectorSubject> {
  const { stage, dispose } = await createStagedArchives();
  return { port: inspector, peer: async () => inspector, stage, dispose };
}

const mutant = mutating<ArchiveInspector, ArchiveInspectorSubject>(openSound);

const ENTRY: Shape = {
  name: 'word',
  crc32: 'size',
  compressedSize: 'size',
  size: 'size',
  dataOffset: 'size',
  appleDouble: 'flag',
};
const PROBLEMS: Shape = [{ rule: 'choice', path: 'word' }];
const PROOF: Shape = {
  entry: 'size',
  utf8: 'flag',
  references: ['opaque'],
  secrets: ['opaque'],
  whole: 'flag',
  serviceWorker: 'flag',
};

const shape: PortShape<ArchiveInspector> = {
  code: 'staging_unavailable',
  methods: {
    list: {
      takes: { archive: 'opaque', signal: 'signal', maxEntries: 'count' },
      answers: { entries: [ENTRY], problems: PROBLEMS, trusted: 'flag' },
      early: { value: { entries: [], problems: [], trusted: false } },
      clauses: 'list-entries list-names list-structure list-tools list-unreadable list-bounded list-aborted',
      untested: [
        'answers.entries.appleDouble.raised',
        'answers.entries.compressedSize.wrapped answers.entries.crc32.wrapped',
        'answers.entries.dataOffset.wrapped answers.entries.size.wrapped',
        'answers.problems.{list-reversed,path} caches isCurt listens shares',
      ],
    },
    prove: {
      takes: { request: { tasks: ['opaque'], expandedBytes: 'size' }, signal: 'signal' },
      answers: { problems: PROBLEMS, entries: [PROOF] },
      early: { value: { problems: [], entries: [] } },
      clauses: [
        'prove-aborted prove-observes prove-limits prove-unreadable prove-sound prove-many',
        'prove-bounded',
      ],
      untested: [
        'answers.entries.entry.wrapped answers.entries.list-reversed',
        'answers.entries.references.list-reversed answers.entries.secrets.{list-first,list-reversed}',
        'answers.entries.serviceWorker.raised answers.problems.list-reversed',
        'answers.problems.path.stuck caches isCurt listens shares takes.request.expandedBytes.wrapped',
        'takes.request.tasks.list-reversed',
      ],
    },
  },
};

/** Accepts every entry with any data. */
function trustSizes({ tasks }: ProofRequest): ArchiveProof {
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
          return alone ? proof : trustSizes(request);
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
  mutants: [...derived(shape, mutant), ...stories],
};
