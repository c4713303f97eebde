/** Changes some bytes, anywhere or where a ZIP is sensitive. */
type Mutation = (bytes: Buffer, random: Random, other: Buffer) => Buffer;

const SIGNATURES = ['PK\x03\x04', 'PK\x01\x02', 'PK\x05\x06', 'PK\x06\x06', 'PK\x06\x07', 'PK\x07\x08'];
const MAX_RECORD = 56;

const flip: Mutation = (bytes, random) => {
  const at = random.below(bytes.length);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
  return bytes;
};

const overwrite: Mutation = (bytes, random) => {
  bytes[random.below(bytes.length)] = random.below(256);
  return bytes;
};

const remove: Mutation = (bytes, random) => {
  const at = random.below(bytes.length);
  return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random.below(40))]);
};

const insert: Mutation = (bytes, random) => {
  const at = random.below(bytes.length + 1);
  const inserted = Buffer.alloc(1 + random.below(40), random.below(256));
  return Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at)]);
};

const repeat: Mutation = (bytes, random) => {
  const from = random.below(bytes.length);
  const slice = bytes.subarray(from, from + 1 + random.below(120));
  const at = random.below(bytes.length + 1);
  return Buffer.concat([bytes.subarray(0, at), slice, bytes.subarray(at)]);
};

const cut: Mutation = (bytes, random) => bytes.subarray(0, 1 + random.below(bytes.length));

const splice: Mutation = (bytes, random, other) => {
  const [here, there] = [random.below(bytes.length), random.below(other.length)];
  return Buffer.concat([bytes.subarray(0, here), other.subarray(there)]);
};

/** Sets a field of a record to a value that readers are likely to misread. */
const setField: Mutation = (bytes, random) => {
  const records = recordsIn(bytes);
  if (records.length === 0) return bytes;
  const at = random.pick(records) + random.below(MAX_RECORD);
  const width = random.pick([1, 2, 4]);
  if (at + width > bytes.length) return bytes;
  const now = bytes.readUIntLE(at, width);
  const near = [now + 1, now - 1, now * 2, now ^ 8, now ^ 1, now ^ 0x800];
  const far = [0, 1, 8, 22, 46, 0xff, 0xffff, 0xffff_ffff, bytes.length, random.pick(records)];
  const value = random.pick([...near, ...far]);
  bytes.writeUIntLE(Number(BigInt.asUintN(width * 8, BigInt(value))), at, width);
  return bytes;
};

/** The fields of both headers of an entry: offset in the directory's, offset in the local one, length. */
const SHARED = [
  [6, 4, 2],
  [8, 6, 2],
  [10, 8, 2],
  [12, 10, 4],
  [16, 14, 4],
  [20, 18, 4],
  [24, 22, 4],
  [28, 26, 2],
] as const;

/** Sets a field to the same value in both headers of an entry, so that they still agree. */
const setBoth: Mutation = (bytes, random) => {
  const headers = recordsIn(bytes, ['PK\x01\x02']).filter((at) => at + 46 <= bytes.length);
  if (headers.length === 0) return bytes;
  const central = random.pick(headers);
  const local = bytes.readUInt32LE(central + 42);
  const [there, here, width] = random.pick(SHARED);
  if (local + 30 > bytes.length) return bytes;
  const now = bytes.readUIntLE(central + there, width);
  const value = random.pick([0, now ^ (1 << random.below(16)), now + 1, now - 1, 0xffff]);
  for (const at of [central + there, local + here]) {
    bytes.writeUIntLE(Number(BigInt.asUintN(width * 8, BigInt(value))), at, width);
  }
  return bytes;
};

/** Copies a record, or a part of one, over another. */
const copyRecord: Mutation = (bytes, random) => {
  const records = recordsIn(bytes);
  if (records.length === 0) return bytes;
  const from = random.pick(records);
  bytes.copyWithin(random.pick(records) + random.below(4), from, from + 4 + random.below(MAX_RECORD));
  return bytes;
};

const MUTATIONS: readonly Mutation[] = [
  flip,
  overwrite,
  remove,
  insert,
  repeat,
  cut,
  splice,
  setField,
  setField,
  setField,
  setBoth,
  setBoth,
  copyRecord,
];

/** Returns an archive with one to four changes; never empty. */
export function mutate(valid: Uint8Array, other: Uint8Array, random: Random): Buffer {
  let bytes = Buffer.from(valid);
  for (let times = 1 + random.below(4); times > 0; times -= 1) {
    const changed = random.pick(MUTATIONS)(bytes, random, Buffer.from(other));
    if (changed.length > 0) bytes = Buffer.from(changed);
  }
  return bytes;
}

function recordsIn(bytes: Buffer, signatures: readonly string[] = SIGNATURES): number[] {
  const found: number[] = [];
  for (const signature of signatures) {
    for (
      let at = bytes.indexOf(signature, 0, 'latin1');
      at !== -1;
      at = bytes.indexOf(signature, at + 1, 'latin1')
    ) {
      found.push(at);
    }
  }
  return found;
}

/** A sequence of numbers that is the same for the same seed (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 to `limit - 1`. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000) * limit);
  }

  /** One of several items. */
  pick<Thing>(things: readonly Thing[]): Thing {
    return things[this.below(things.length)] as Thing;
  }
}
