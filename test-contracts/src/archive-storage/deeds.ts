import { createHash } from 'node:crypto';
import type { ArchiveId, ArchiveStorage } from '@pinfold/core';
import { MAX_READ } from '@pinfold/core/adapter';
import { someBytes } from '../fixtures/bytes.ts';
import { nextTurn } from './stored.ts';
import type { ArchiveStorageSubject } from './subject.ts';

/** The bytes of an archive: how many and which. */
export type Content = readonly [size: number, kind: number];
/** Where a range begins and ends, whichever of them comes first; below zero, counted from the end. */
export type Range = readonly [one: number, other: number];

export type Place = Pick<ArchiveStorageSubject, 'stage' | 'strew'>;

/** A storage as one of its processes uses it, and what is known of it. */
export interface Door {
  readonly storage: ArchiveStorage;
  readonly known: Known;
}

interface Known extends Place {
  readonly handles: ArchiveStorage[];
  /** Of every archive that was ever put. */
  readonly contents: Map<ArchiveId, Content>;
  readonly reads: { readonly bytes: Uint8Array; readonly said: string }[];
}

/** Where every range ends. */
export const WHOLE: number = Number.MAX_SAFE_INTEGER;
/** How many bytes tell whether an archive is whole. */
const END = 512;
/** More pages than a walk has. */
const ENDLESS = 50;
/** Nothing but zeros, lines, and what is no text. */
const PATTERNS = [[0], [13, 10, 10, 32, 26], [0xef, 0xbb, 0xbf, 0xff, 0xc3, 0x28]];

export const LAST_KIND: number = PATTERNS.length + 1;

/** Makes doors of one storage, which know the same. */
export function doors({ stage, strew }: Place): (storage: ArchiveStorage) => Door {
  const known: Known = { stage, strew, handles: [], contents: new Map(), reads: [] };
  return (storage) => {
    known.handles.push(storage);
    return { storage, known };
  };
}

/** Bytes of a pattern, or that look random; the two last kinds differ in the last byte alone. */
function bytesOf([size, kind]: Content): Uint8Array {
  const pattern = PATTERNS[kind];
  if (pattern !== undefined) return new Uint8Array(Buffer.alloc(size, Uint8Array.from(pattern)));
  const bytes = someBytes(size, 1);
  return kind === LAST_KIND ? bytes.map((byte, n) => (n === size - 1 ? byte ^ 1 : byte)) : bytes;
}

function inShort(bytes: Uint8Array | undefined): string {
  if (bytes === undefined) return 'nothing';
  const kept = (bytes.buffer as ArrayBuffer).maxByteLength;
  return `${bytes.length} bytes of ${kept}, ${createHash('sha256').update(bytes).digest('hex').slice(0, 12)}`;
}

/** Under an id that was never used. */
export async function put(
  { storage, known }: Door,
  id: ArchiveId,
  content: Content,
  discards: boolean,
): Promise<void> {
  if (known.contents.has(id)) return;
  known.contents.set(id, content);
  const staged = await known.stage(bytesOf(content));
  await storage.put(id, staged);
  if (discards) await staged.discard();
}

export async function read(
  { storage, known }: Door,
  id: ArchiveId,
  range: Range,
  spoils: boolean,
): Promise<string> {
  const [size] = known.contents.get(id) ?? [10];
  const [one, other] = range.map((at) => Math.max(0, Math.min(at < 0 ? size + at : at, size)));
  const [from, to] = [Math.min(one as number, other as number), Math.max(one as number, other as number)];
  const bytes = await storage.read(id, from, Math.min(to - from, MAX_READ));
  const said = inShort(bytes);
  // What was read is the caller's.
  if (spoils) bytes?.fill(7);
  else if (bytes !== undefined) known.reads.push({ bytes, said });
  return said;
}

export async function readBeyond(
  { storage, known }: Door,
  id: ArchiveId,
  from: number,
  beyond: number,
): Promise<string> {
  const [size] = known.contents.get(id) ?? [10];
  const end = size + beyond;
  const begin = Math.max(Math.min(from, end), end - MAX_READ);
  return await storage.read(id, begin, end - begin).then(inShort, () => 'rejected');
}

/** Whether nothing changed what was read since then. */
export function areReadsAsTheyWere({ known }: Door): boolean {
  return known.reads.every(({ bytes, said }) => inShort(bytes) === said);
}

/** All ids behind one, in pages of which any may be short. Some archives are deleted as soon as they were listed. */
export async function walk(
  { storage, known }: Door,
  after?: ArchiveId,
  limit = 1_000,
  gone: ArchiveId[] = [],
): Promise<ArchiveId[] | string> {
  const ids: ArchiveId[] = [];
  for (let pages = 0; pages < ENDLESS; pages += 1) {
    const page = await storage.list(ids.at(-1) ?? after, limit);
    if (page.length > limit) return `a page of ${page.length}`;
    if (page.length === 0) return ids;
    ids.push(...page);
    for (const id of page) if (gone.includes(id)) await known.handles.at(-1)?.delete(id);
  }
  return 'no end';
}

/** What is done to one archive while other things are done to others. */
export type Deed =
  | readonly ['put', ArchiveId, Content]
  | readonly ['read', ArchiveId, Range]
  | readonly ['delete', ArchiveId];

export function act(door: Door, [what, id, how]: Deed): Promise<unknown> {
  switch (what) {
    case 'put':
      return meanwhile(door, id, put(door, id, how, true));
    case 'read':
      return Promise.all([read(door, id, how, true), read(door, id, how, false), door.storage.size(id)]);
    case 'delete':
      return meanwhile(door, id, Promise.all([door.storage.delete(id), door.storage.delete(id)]));
    default:
      return what satisfies never;
  }
}

/** Whether the end of an archive that comes or goes is right or absent on its way. */
async function meanwhile(door: Door, id: ArchiveId, change: Promise<unknown>): Promise<boolean> {
  const [content, isOver] = [door.known.contents.get(id), new AbortController()];
  const right = content === undefined ? [] : [inShort(bytesOf(content).slice(-END))];
  let isSound = true;
  const watch = async (): Promise<void> => {
    while (!isOver.signal.aborted) {
      const size = await door.storage.size(id);
      const said = await read(door, id, [-END, WHOLE], true);
      isSound &&= [undefined, content?.[0]].includes(size) && ['nothing', ...right].includes(said);
      await nextTurn();
    }
  };
  await Promise.all([change.finally(() => isOver.abort()), watch()]);
  return isSound;
}
