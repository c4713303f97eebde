/**
 * The length of a code for each symbol, by how often the symbol occurs; 0 for one that does not.
 *
 * @param limit the greatest length that the format has.
 */
export function codeLengths(counts: Int32Array, limit: number): Uint8Array {
  const lengths = new Uint8Array(counts.length);
  const symbols = rarestFirst(counts);
  if (symbols.length < 2) {
    // No tree, but the format wants a code.
    lengths[symbols[0] ?? 0] = 1;
    return lengths;
  }
  const leaves = leavesPerDepth(symbols, counts, limit);
  let at = symbols.length;
  for (let length = 1; length <= limit; length += 1) {
    for (let left = leaves[length] as number; left > 0; left -= 1) {
      at -= 1;
      lengths[symbols[at] as number] = length;
    }
  }
  return lengths;
}

function rarestFirst(counts: Int32Array): Int32Array {
  const pairs = new Float64Array(counts.length);
  let size = 0;
  for (let symbol = 0; symbol < counts.length; symbol += 1) {
    if (counts[symbol] === 0) continue;
    pairs[size] = (counts[symbol] as number) * counts.length + symbol;
    size += 1;
  }
  const symbols = new Int32Array(size);
  const sorted = pairs.subarray(0, size).sort();
  for (let at = 0; at < size; at += 1) symbols[at] = (sorted[at] as number) % counts.length;
  return symbols;
}

/** How many leaves of Huffman's tree lie at each depth, none below the limit. */
function leavesPerDepth(symbols: Int32Array, counts: Int32Array, limit: number): Int32Array {
  const size = symbols.length;
  const root = 2 * size - 2;
  const weights = new Int32Array(root + 1);
  const parents = new Int32Array(root + 1);
  for (let at = 0; at < size; at += 1) weights[at] = counts[symbols[at] as number] as number;
  // Leaves are sorted, and inner nodes come into being in the order of their weights.
  let leaf = 0;
  let inner = size;
  for (let node = size; node <= root; node += 1) {
    for (let child = 0; child < 2; child += 1) {
      const isLeaf =
        leaf < size && (inner === node || (weights[leaf] as number) <= (weights[inner] as number));
      const lightest = isLeaf ? leaf++ : inner++;
      parents[lightest] = node;
      weights[node] = (weights[node] as number) + (weights[lightest] as number);
    }
  }
  const depths = weights;
  const leaves = new Int32Array(limit + 1);
  depths[root] = 0;
  for (let node = root - 1; node >= 0; node -= 1) {
    const depth = (depths[parents[node] as number] as number) + 1;
    depths[node] = depth;
    if (node < size) leaves[Math.min(depth, limit)] = (leaves[Math.min(depth, limit)] as number) + 1;
  }
  shorten(leaves, limit);
  return leaves;
}

/** Leaves that were lifted to the limit take more room than there is: others move down, until all fit. */
function shorten(leaves: Int32Array, limit: number): void {
  let room = 1 << limit;
  for (let depth = 1; depth <= limit; depth += 1) room -= (leaves[depth] as number) << (limit - depth);
  for (; room < 0; room += 1) {
    let depth = limit - 1;
    while (leaves[depth] === 0) depth -= 1;
    // One at this depth becomes an inner node, with itself and one of the lowest as its leaves.
    leaves[depth] = (leaves[depth] as number) - 1;
    leaves[depth + 1] = (leaves[depth + 1] as number) + 2;
    leaves[limit] = (leaves[limit] as number) - 1;
  }
}

/** The code of each symbol by their lengths (RFC 1951, section 3.2.2), its first bit lowest, as it is written. */
export function codesOf(lengths: Uint8Array): Uint16Array {
  const next = new Uint16Array(17);
  for (let symbol = 0; symbol < lengths.length; symbol += 1) {
    const length = lengths[symbol] as number;
    if (length > 0) next[length + 1] = (next[length + 1] as number) + 1;
  }
  for (let length = 2; length < next.length; length += 1) {
    next[length] = ((next[length] as number) + (next[length - 1] as number)) << 1;
  }
  const codes = new Uint16Array(lengths.length);
  for (let symbol = 0; symbol < lengths.length; symbol += 1) {
    const length = lengths[symbol] as number;
    if (length === 0) continue;
    codes[symbol] = reversed(next[length] as number, length);
    next[length] = (next[length] as number) + 1;
  }
  return codes;
}

function reversed(code: number, length: number): number {
  let left = code;
  let result = 0;
  for (let bit = 0; bit < length; bit += 1) {
    result = (result << 1) | (left & 1);
    left >>>= 1;
  }
  return result;
}
