// `instanceof` fails across realms: under Jest, errors and promises of Node are instances of other classes.

export function isPromise<Value>(value: PromiseLike<Value> | unknown): value is Promise<Value> {
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === 'function';
}

export function isError(thrown: unknown): thrown is Error {
  const { name, message } = Object(thrown) as Partial<Error>;
  return typeof name === 'string' && typeof message === 'string';
}

/** Yields an error and its causes, outermost first. Each once, since an error may be among its own causes. */
export function* causesOf(error: unknown): Generator<Error, void> {
  const seen = new Set<unknown>();
  for (let cause = error; isError(cause) && !seen.has(cause); cause = cause.cause) {
    yield cause;
    seen.add(cause);
  }
}

/** The `code` of a thrown value, such as `ENOENT` or `SQLITE_FULL`. */
export function codeOf(error: unknown): string | undefined {
  const { code } = Object(error) as { readonly code?: unknown };
  return typeof code === 'string' ? code : undefined;
}

/** The code of a system call's error; `undefined` for others, such as Node's for an invalid argument. */
export function systemCodeOf(error: unknown): string | undefined {
  return 'syscall' in Object(error) ? codeOf(error) : undefined;
}

/** The name of a thrown value, such as `TypeError`. */
export function nameOf(error: unknown): string | undefined {
  const { name } = Object(error) as { readonly name?: unknown };
  return typeof name === 'string' ? name : undefined;
}

/** A text without its percent-encoding; `undefined` if that is invalid, or not of UTF-8. */
export function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Whether a value is a `Uint8Array`, such as a `Buffer`. */
export function isBytes(value: unknown): value is Uint8Array {
  return ArrayBuffer.isView(value) && (value as Uint8Array)[Symbol.toStringTag] === 'Uint8Array';
}
