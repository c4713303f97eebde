import { createHash } from 'node:crypto';
import { type ArchiveId, type ArchiveStorage, isFault, type StagedArchive } from '@pinfold/core';
import { MAX_READ } from '@pinfold/core/adapter';
import { AssertionError, expect } from 'chai';
import { abortedAfter } from '../expect-aborts.ts';
import { someBytes } from '../fixtures/bytes.ts';
import { anArchiveId } from '../fixtures/roles.ts';
import { rejectionOf } from '../rejection.ts';
import { type Manner, mannered } from './manners.ts';
import { nextTurn } from './stored.ts';
import type { ArchiveStorageSubject } from './subject.ts';

/** The bytes of an archive: how many and which. */
export type Content = readonly [size: number, kind: number];
/** Where a range begins and ends, whichever of them comes first; below zero, counted from the end. */
export type Range = readonly [one: number, other: number];

export type Place = Pick<ArchiveStorageSubject, 'stage' | 'strew' | 'peer'>;

/** A storage as one of its processes uses it, and what is known of it. */
export interface Door {
  readonly storage: ArchiveStorage;
  readonly known: Known;
}

interface Known extends Place {
  readonly handles: ArchiveStorage[];
  inManner(storage: ArchiveStorage, manner: Manner): ArchiveStorage;
  /** Of every archive that was ever put. */
  readonly contents: Map<ArchiveId, Content>;
  readonly reads: { readonly bytes: Uint8Array; readonly said: string }[];
  readonly pages: { readonly page: readonly ArchiveId[]; readonly said: string }[];
}

/** Where every range ends. */
export const WHOLE: number = Number.MAX_SAFE_INTEGER;
/** How many bytes tell whether an archive is whole. */
const END = 512;
const NOBODYS = anArchiveId(2_000_000);
/** More pages than a walk has. */
const ENDLESS = 50;
/** What may be changed or cut on its way: blanks, what is no text, texts that mean bytes, packed bytes. */
const PATTERNS = [
  ...[[0], [32], [10], [0xff], [13, 10, 10, 32, 26], [0, 1], [0xef, 0xbb, 0xbf, 0xff, 0xc3, 0x28]],
  ...['\\x4142', 'QUJD', "'%41+", 'data:,a', '0'].map((text) => [...Buffer.from(text)]),
  ...['1f8b0800', '504b0304', '28b52ffd', 'fffe4100'].map((begin) => [...Buffer.from(begin, 'hex')]),
];
/** Where bytes that look random may differ in one alone: nowhere, or that far through them. */
const TURNED = [undefined, 0, 0.5, 1];

export const LAST_KIND: number = PATTERNS.length + 4 * TURNED.length - 1;

/** Makes doors of one storage, which know the same. */
export function doors(place: Place): (storage: ArchiveStorage) => Door {
  const inManner = mannered(place.stage);
  const known: Known = { ...place, inManner, handles: [], contents: new Map(), reads: [], pages: [] };
  return (storage) => {
    known.handles.push(storage);
    return { storage, known };
  };
}

/** Bytes of a pattern, or that look random; those come often, and differ in one byte at most. */
function bytesOf([size, kind]: Content): Uint8Array {
  const pattern = PATTERNS[kind];
  if (pattern !== undefined) return new Uint8Array(Buffer.alloc(size, Uint8Array.from(pattern)));
  const bytes = someBytes(size, 1);
  const turned = TURNED[(kind - PATTERNS.length) % TURNED.length];
  const at = turned === undefined ? size : Math.floor(turned * (size - 1));
  if (at < size) bytes[at] = ~(bytes[at] as number);
  return bytes;
}

function inShort(bytes: Uint8Array | undefined): string {
  if (bytes === undefined) return 'nothing';
  const kept = bytes.buffer instanceof ArrayBuffer ? bytes.buffer.maxByteLength : 'shared';
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

/** A staged file that is gone, or not as long as it was. The id stays unused. */
export async function putInVain(
  { storage, known }: Door,
  id: ArchiveId,
  content: Content,
  change: number,
): Promise<unknown> {
  const size = content[0] + change;
  if (known.contents.has(id) || size < 0) return 'not tried';
  const staged = await known.stage(bytesOf(content));
  if (change === 0) await staged.discard();
  const fault = await rejectionOf(storage.put(id, { ...staged, size }));
  await staged.discard();
  return isFault(fault) ? fault.code : fault;
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
  return await storage.read(id, begin, end - begin).then(inShort, (error: unknown) => {
    if (error instanceof AssertionError) throw error;
    return 'rejected';
  });
}

/** A range that no archive can have. */
export async function readImpossible({ storage }: Door, id: ArchiveId, range: Range): Promise<boolean> {
  const error = await storage.read(id, ...range).catch((reason: unknown) => reason);
  if (error instanceof AssertionError) throw error;
  // What is absent may be told first.
  return error === undefined || error instanceof TypeError;
}

/** Whether nothing changed what was read or listed since then. */
export function areAnswersAsTheyWere({ known }: Door): boolean {
  return (
    known.reads.every(({ bytes, said }) => inShort(bytes) === said) &&
    known.pages.every(({ page, said }) => page.join() === said)
  );
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
    known.pages.push({ page, said: page.join() });
    if (page.length === 0) return ids;
    ids.push(...page);
    for (const id of page) if (gone.includes(id)) await known.handles.at(-1)?.delete(id);
  }
  return 'no end';
}

/** What happens to an archive while a walk goes on. */
export type Change = readonly [id: ArchiveId, content: Content | undefined];

/**
 * Pages between which archives come and go: each page has what is there when it is asked for. Answers those that were
 * there all the time.
 */
export async function walkThroughChanges(
  { storage, known }: Door,
  after: ArchiveId | undefined,
  limit: number,
  changes: readonly Change[],
): Promise<ArchiveId[]> {
  const ids: ArchiveId[] = [];
  const other = { storage: known.handles[0] as ArchiveStorage, known };
  const left = [...changes];
  const changeSome = async (most: number): Promise<void> => {
    for (const [changed, content] of left.splice(0, most)) {
      if (content === undefined) await other.storage.delete(changed);
      else await put(other, changed, content, true);
    }
  };
  for (let pages = 0; pages < ENDLESS; pages += 1) {
    const last = ids.at(-1) ?? after;
    const page = await storage.list(last, limit);
    const there = await walk(other, last);
    expect(page, 'a page').to.deep.equal(there.slice(0, page.length));
    expect(page.length > 0, 'that a walk goes on').to.equal(there.length > 0);
    if (page.length === 0) break;
    ids.push(...page);
    await changeSome(2);
  }
  // However many pages there were, the same is left.
  await changeSome(left.length);
  return ids.filter((id) => changes.every(([changed]) => changed !== id));
}

/** Where a walk begins, and how many a page has. */
export type Path = readonly [after: ArchiveId | undefined, limit: number];

/** Several walks at once on one handle. */
export function walks(door: Door, paths: readonly Path[]): Promise<(ArchiveId[] | string)[]> {
  return Promise.all(paths.map(([after, limit]) => walk(door, after, limit)));
}

/** What is done to one archive while other things are done to others. */
export type Deed =
  | readonly ['put', ArchiveId, Content]
  | readonly ['read', ArchiveId, Range]
  | readonly ['delete', ArchiveId]
  | readonly ['delete twice', ArchiveId]
  | readonly ['check', ArchiveId]
  | readonly ['put in vain', ArchiveId, Content]
  | readonly ['aborted', ArchiveId, number];

/** Deeds on one handle after the other at once, amid walks, of which is told what no deed puts or deletes. */
export async function atOnce({ known, storage }: Door, deeds: readonly Deed[]): Promise<unknown> {
  const all = await stagedFirst(known, deeds);
  const changed = deeds.filter(([what]) => /put|delete/.test(what)).map(([, id]) => id);
  const walkAll = async (): Promise<string[]> =>
    [...(await walk({ storage, known }))].filter((id) => !(changed as string[]).includes(id));
  const before = walkAll();
  const done = deeds.map((deed, n) =>
    act({ storage: known.handles[n % known.handles.length] as ArchiveStorage, known: all }, deed),
  );
  return await Promise.all([before, walkAll(), ...done]);
}

/** What is to be put is staged before, so that the calls themselves are made at once. */
async function stagedFirst(known: Known, deeds: readonly Deed[]): Promise<Known> {
  const due = deeds.flatMap(([what, id, how]) =>
    (what === 'put' || what === 'put in vain') && !known.contents.has(id) ? [bytesOf(how)] : [],
  );
  const staged = await Promise.all(due.map((bytes) => known.stage(bytes)));
  return { ...known, stage: async () => staged.shift() as StagedArchive };
}

async function act(door: Door, [what, id, how]: Deed): Promise<unknown> {
  switch (what) {
    case 'put':
      return meanwhile(door, id, put(door, id, how, true));
    case 'read':
      return Promise.all([
        read(door, id, how, true),
        read(door, id, how, false),
        read(door, id, [-END, WHOLE], true),
        read(door, id, [0, END], true),
        door.storage.size(id),
      ]);
    case 'delete':
      return meanwhile(door, id, door.storage.delete(id));
    case 'delete twice':
      return meanwhile(door, id, Promise.all([door.storage.delete(id), door.storage.delete(id)]));
    case 'check':
      return Promise.all([door.storage.check(), door.storage.check()]);
    case 'put in vain':
      return putInVain(door, id, how, 1);
    case 'aborted':
      return abortAll(door.storage, id, how);
    default:
      return what satisfies never;
  }
}

/** Questions that are aborted before, and others after so many turns. */
async function abortAll(storage: ArchiveStorage, id: ArchiveId, turns: number): Promise<void> {
  const questions: readonly ((signal: AbortSignal) => Promise<unknown>)[] = [
    (signal) => storage.read(id, 0, 0, signal),
    (signal) => storage.size(id, signal),
    (signal) => storage.list(undefined, 3, signal),
    (signal) => storage.check(signal),
  ];
  const aborted = Promise.all(questions.map((ask) => rejectionOf(ask(AbortSignal.abort('gone')))));
  const onTheWay = Promise.all(questions.map((ask) => abortedAfter(turns, ask)));
  const [reasons] = await Promise.all([aborted, onTheWay]);
  expect(reasons).to.deep.equal(questions.map(() => 'gone'));
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
      await Promise.all([
        door.storage.delete(NOBODYS),
        door.storage.list(undefined, 1),
        door.storage.check(),
      ]);
      isSound &&= [undefined, content?.[0]].includes(size) && ['nothing', ...right].includes(said);
      await nextTurn();
    }
  };
  await Promise.all([change.finally(() => isOver.abort()), watch()]);
  return isSound;
}
