import { ZipArchiveInspector } from '@pinfold/archive-zip';
import type { ArchiveInspector, ArchiveListing, ArchiveProof, ProofRequest } from '@pinfold/core';
import { type ArchiveInspectorSubject, archiveInspectorContract } from '@pinfold/test-contracts';
import { createStagedArchives } from '@pinfold/test-contracts/fixtures';
import { saboteursOf } from './one-for-each.ts';
import type { Sabotage } from './sabotage.ts';

/** One for all: an inspector keeps nothing, and its idle threads keep no process alive. */
const inspector = new ZipArchiveInspector();

async function soundSubject(): Promise<ArchiveInspectorSubject> {
  const { stage, dispose } = await createStagedArchives();
  return { port: inspector, peer: async () => inspector, stage, dispose };
}

const saboteur = saboteursOf<ArchiveInspector, ArchiveInspectorSubject>(soundSubject);

const NOTHING: ArchiveListing = { entries: [], problems: [], trusted: false };

/** A proof of everything, whatever the data. */
function believe({ tasks }: ProofRequest): ArchiveProof {
  const entries = tasks.map(({ entry }) => ({ entry, utf8: true, references: [], secrets: [], whole: true }));
  return { problems: [], entries };
}

export const archiveInspectorSabotage: Sabotage<ArchiveInspector, ArchiveInspectorSubject> = {
  contract: archiveInspectorContract,
  sound: () => soundSubject,
  limit: 20_000,
  saboteurs: [
    saboteur('archive-inspector/list-entries', 'names are listed in lower case', () => (sound) => ({
      list: async (archive, signal, most) => {
        const listing = await sound.list(archive, signal, most);
        const entries = listing.entries.map((entry) => ({ ...entry, name: entry.name.toLowerCase() }));
        return { ...listing, entries };
      },
    })),
    saboteur('archive-inspector/list-structure', 'local headers are not compared', () => (sound) => ({
      list: async (archive, signal, most) => {
        const listing = await sound.list(archive, signal, most);
        return { ...listing, problems: listing.problems.filter(({ rule }) => rule !== 'header_mismatch') };
      },
    })),
    saboteur('archive-inspector/list-bounded', 'a directory is read to its end', () => (sound) => ({
      list: (archive, signal) => sound.list(archive, signal),
    })),
    saboteur('archive-inspector/list-tools', 'what PowerShell writes is refused', () => (sound) => ({
      list: async (archive, signal, most) => {
        const listing = await sound.list(archive, signal, most);
        const path = listing.entries.find(({ name }) => name.includes('\\'))?.name;
        if (path === undefined) return listing;
        return {
          ...listing,
          problems: [...listing.problems, { rule: 'bad_encoding', reason: 'not_utf8', path }],
        };
      },
    })),
    saboteur('archive-inspector/list-aborted', 'a listing does not look at its signal', () => (sound) => ({
      list: (archive, _, most) => sound.list(archive, undefined, most),
    })),
    saboteur(
      'archive-inspector/list-unreadable',
      'what cannot be read is listed as empty',
      () => (sound) => ({
        list: async (archive, signal, most) => {
          try {
            return await sound.list(archive, signal, most);
          } catch (error) {
            if (signal?.aborted) throw error;
            return NOTHING;
          }
        },
      }),
    ),
    saboteur(
      'archive-inspector/prove-sound',
      'sizes and CRC-32 of the headers are believed',
      () => (sound) => ({
        prove: async (request, signal) => {
          const proof = await sound.prove(request, signal);
          if (proof.problems.length === 0) return proof;
          return proof.problems.some(({ rule }) => rule !== 'corrupt_data') ? proof : believe(request);
        },
      }),
      ['archive-inspector/prove-limits', 'archive-inspector/prove-many'],
    ),
    saboteur('archive-inspector/prove-limits', 'limits are not kept', () => (sound) => ({
      prove: (request, signal) => {
        const tasks = request.tasks.map((task) => ({ ...task, limit: Number.MAX_SAFE_INTEGER }));
        return sound.prove({ ...request, tasks, expandedBytes: Number.MAX_SAFE_INTEGER }, signal);
      },
    })),
    saboteur('archive-inspector/prove-observes', 'everything is taken for UTF-8', () => (sound) => ({
      prove: async (request, signal) => {
        const { problems, entries } = await sound.prove(request, signal);
        return { problems, entries: entries.map((entry) => ({ ...entry, utf8: true })) };
      },
    })),
    saboteur('archive-inspector/prove-bounded', 'what was left out is not told', () => (sound) => ({
      prove: async (request, signal) => {
        const { problems, entries } = await sound.prove(request, signal);
        return { problems, entries: entries.map((entry) => ({ ...entry, whole: true })) };
      },
    })),
    saboteur('archive-inspector/prove-aborted', 'a proof does not look at its signal', () => (sound) => ({
      prove: (request) => sound.prove(request),
    })),
    saboteur('archive-inspector/prove-unreadable', 'what cannot be read is believed', () => (sound) => ({
      prove: async (request, signal) => {
        try {
          return await sound.prove(request, signal);
        } catch (error) {
          if (signal?.aborted) throw error;
          return believe(request);
        }
      },
    })),
    saboteur('archive-inspector/prove-many', 'an archive is proved by the data of the one before', () => {
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
  ],
};
