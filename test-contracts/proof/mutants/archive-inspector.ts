import { ZipArchiveInspector } from '@pinfold/archive-zip';
import type { ArchiveInspector, ArchiveProof, ProofRequest } from '@pinfold/core';
import { type ArchiveInspectorSubject, archiveInspectorContract } from '@pinfold/test-contracts';
import { createStagedArchives } from '@pinfold/test-contracts/fixtures';
import { derived, type PortShape } from './derive.ts';
import type { Shape } from './distortions.ts';
import { type Mutant, type MutantTable, mutating } from './mutant.ts';

/** One for all subjects: an inspector stores nothing, and its idle threads keep no process alive. */
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
      clauses: 'list-entries list-names list-structure list-unreadable list-bounded list-aborted',
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

/** Accepts every entry, whatever its data is. */
function believe({ tasks }: ProofRequest): ArchiveProof {
  const entries = tasks.map(({ entry }) => ({ entry, utf8: true, references: [], secrets: [], whole: true }));
  return { problems: [], entries };
}

const stories: readonly Mutant<ArchiveInspectorSubject>[] = [
  mutant('list-structure', 'local headers are not compared', () => (sound) => ({
    list: async (...inputs) => {
      const listing = await sound.list(...inputs);
      return { ...listing, problems: listing.problems.filter(({ rule }) => rule !== 'header_mismatch') };
    },
  })),
  mutant('list-names', 'names that nothing marks are taken for code page 437', () => (sound) => ({
    list: async (...inputs) => {
      const listing = await sound.list(...inputs);
      const entries = listing.entries.map((entry) => ({
        ...entry,
        name: entry.name.replace('写真', 'Ä╩É^'),
      }));
      return { ...listing, entries };
    },
  })),
  mutant('list-tools', 'archives written by PowerShell are refused', () => (sound) => ({
    list: async (...inputs) => {
      const listing = await sound.list(...inputs);
      const path = listing.entries.find(({ name }) => name.includes('\\'))?.name;
      if (path === undefined) return listing;
      return {
        ...listing,
        problems: [...listing.problems, { rule: 'bad_encoding', reason: 'not_utf8', path }],
      };
    },
  })),

  mutant('prove-sound', 'sizes and CRC-32 of the headers are not verified', () => (sound) => ({
    prove: async (request, signal) => {
      const proof = await sound.prove(request, signal);
      if (proof.problems.length === 0) return proof;
      return proof.problems.some(({ rule }) => rule !== 'corrupt_data') ? proof : believe(request);
    },
  })),
  mutant('prove-limits', 'limits are ignored', () => (sound) => ({
    prove: (request, signal) => {
      const tasks = request.tasks.map((task) => ({ ...task, limit: Number.MAX_SAFE_INTEGER }));
      return sound.prove({ ...request, tasks, expandedBytes: Number.MAX_SAFE_INTEGER }, signal);
    },
  })),

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
  mutants: [...derived(shape, mutant), ...stories],
};
