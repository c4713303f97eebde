import { uint16, uint32, uint64 } from './byte-source.ts';

/** A block of an entry's extra field (APPNOTE.TXT, section 4.5). */
export interface ExtraField {
  readonly id: number;
  readonly data: Uint8Array;
  /** False if the declared length exceeds the field. */
  readonly whole: boolean;
}

/** The Zip64 extended information (APPNOTE.TXT, section 4.5.3). */
export const ZIP64 = 0x0001;

/** Info-ZIP's Unicode Path (APPNOTE.TXT, section 4.6.9). */
export const UNICODE_PATH = 0x7075;

const OVERFLOW_32 = 0xffff_ffff;
const OVERFLOW_16 = 0xffff;

const NO_FIELDS: readonly ExtraField[] = [];

/**
 * Copies the extra field between two positions of a header and splits it into blocks. Up to three bytes at the end are
 * padding, as zipalign writes it.
 */
export function extraFields(header: Uint8Array, begin: number, fieldEnd: number): readonly ExtraField[] {
  if (fieldEnd - begin < 4) return NO_FIELDS;
  const extra = new Uint8Array(header.subarray(begin, fieldEnd));
  const fields: ExtraField[] = [];
  for (let at = 0; at + 4 <= extra.length; ) {
    const end = at + 4 + uint16(extra, at + 2);
    fields.push({
      id: uint16(extra, at),
      data: extra.subarray(at + 4, end),
      whole: end <= extra.length,
    });
    at = end;
  }
  return fields;
}

/** The values of a header that overflow into its Zip64 field, in the order of that field. */
export interface Zip64Fields {
  readonly size: number;
  readonly compressedSize: number;
  readonly localOffset?: number;
  readonly disk?: number;
}

/** The one or two values that a header has for each of these fields. */
export interface StatedSizes extends Readonly<Record<Zip64FieldName, readonly number[]>> {
  /** False if the Zip64 field is repeated, truncated, or of an impossible length. */
  readonly readable: boolean;
}

/** Stands for an absent Zip64 field. */
const NONE: ExtraField = { id: ZIP64, data: new Uint8Array(), whole: true };

type Zip64FieldName = keyof Zip64Fields;

const ORDER: readonly { readonly name: Zip64FieldName; readonly bytes: 4 | 8; readonly overflow: number }[] =
  [
    { name: 'size', bytes: 8, overflow: OVERFLOW_32 },
    { name: 'compressedSize', bytes: 8, overflow: OVERFLOW_32 },
    { name: 'localOffset', bytes: 8, overflow: OVERFLOW_32 },
    { name: 'disk', bytes: 4, overflow: OVERFLOW_16 },
  ];

/** Reads the values of a header and its Zip64 field, in which some writers put all values: returns both readings. */
export function statedSizes(fixed: Zip64Fields, fields: readonly ExtraField[]): StatedSizes {
  const [field = NONE, second] = fields.filter(({ id }) => id === ZIP64);
  const overflowing = ORDER.filter(({ name, overflow }) => field !== NONE && fixed[name] === overflow);
  const needed = read(field.data, overflowing);
  const all = needed.rest === 0 ? undefined : read(field.data, ORDER);
  const stated = (name: Zip64FieldName): readonly number[] => {
    const short = needed.values.get(name) ?? fixed[name];
    const long = all?.values.get(name);
    return [short, long].filter((value) => value !== undefined);
  };
  return {
    size: stated('size'),
    compressedSize: stated('compressedSize'),
    localOffset: stated('localOffset'),
    disk: stated('disk'),
    readable:
      second === undefined &&
      field.whole &&
      needed.values.size === overflowing.length &&
      (all?.rest ?? 0) === 0,
  };
}

function read(
  data: Uint8Array,
  order: typeof ORDER,
): { values: ReadonlyMap<Zip64FieldName, number>; rest: number } {
  const values = new Map<Zip64FieldName, number>();
  let at = 0;
  for (const { name, bytes } of order) {
    if (at + bytes > data.length) break;
    values.set(name, bytes === 8 ? uint64(data, at) : uint32(data, at));
    at += bytes;
  }
  return { values, rest: data.length - at };
}
