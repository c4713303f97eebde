import { isFault } from '@pinfold/core';

export type Call = (...inputs: unknown[]) => unknown;

/** Wraps a call of a method, which it may make with other inputs, or leave out. */
export type Around = (method: string, call: Call, inputs: readonly unknown[]) => unknown;

/** Wraps each call of a port, or of the ports that it consists of: `roles.save` is a method of two words. */
export function wrapped<Port extends object>(port: Port, around: Around, path = ''): Port {
  return new Proxy(port, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof name === 'symbol' || member === null) return member;
      const method = `${path}${name}`;
      if (typeof member === 'object') return wrapped(member, around, `${method}.`);
      if (typeof member !== 'function') return member;
      const call: Call = (...inputs) => Reflect.apply(member, target, inputs);
      return (...inputs: unknown[]) => around(method, call, inputs);
    },
  });
}

/** The methods of a port, of its class and its superclasses. */
export function methodsOf(port: object): readonly string[] {
  const names = Object.entries(Object.getOwnPropertyDescriptors(port)).flatMap(([name, { value }]) =>
    typeof value === 'function' && name !== 'constructor' ? [name] : [],
  );
  const prototype: object | null = Object.getPrototypeOf(port);
  return prototype === null || prototype === Object.prototype ? names : [...names, ...methodsOf(prototype)];
}

/** A value in an input or an answer, or a list. The items of a list have the path of the list. */
export interface Field {
  readonly path: readonly string[];
  readonly kind: 'list' | 'string' | 'number' | 'boolean';
}

/** The calls of one method that a clause makes of a sound implementation. */
export interface RecordedCalls {
  /** Whether it answers with a promise. */
  isAsync: boolean;
  takesSignal: boolean;
  /** Whether a call rejected with a fault. */
  hasFault: boolean;
  /** The first answer, if there is one. */
  readonly first: unknown[];
  readonly inputFields: Map<string, Field>;
  readonly answerFields: Map<string, Field>;
}

export const isSignal = (input: unknown): input is AbortSignal => input instanceof AbortSignal;

/** Adds each call to the record, by the name of its method. */
export function recording(record: Map<string, RecordedCalls>): Around {
  return (method, call, inputs) => {
    const calls: RecordedCalls = record.get(method) ?? {
      isAsync: false,
      takesSignal: false,
      hasFault: false,
      first: [],
      inputFields: new Map(),
      answerFields: new Map(),
    };
    record.set(method, calls);
    calls.takesSignal ||= inputs.some(isSignal);
    addFields(calls.inputFields, { ...inputs });
    const answered = (answer: unknown): unknown => {
      if (calls.first.length === 0) calls.first.push(answer);
      addFields(calls.answerFields, answer);
      return answer;
    };
    const answer = call(...inputs);
    if (!(answer instanceof Promise)) return answered(answer);
    calls.isAsync = true;
    return answer.then(answered, (error: unknown) => {
      calls.hasFault ||= isFault(error);
      throw error;
    });
  };
}

function addFields(fields: Map<string, Field>, value: unknown): void {
  for (const field of fieldsOf(value, [])) fields.set([...field.path, field.kind].join('.'), field);
}

function fieldsOf(value: unknown, path: readonly string[]): readonly Field[] {
  const kind = Array.isArray(value) ? 'list' : typeof value;
  if (kind === 'string' || kind === 'number' || kind === 'boolean') return [{ path, kind }];
  if (Array.isArray(value)) {
    return [{ path, kind: 'list' }, ...value.flatMap((item) => fieldsOf(item, path))];
  }
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([member, held]) => fieldsOf(held, [...path, member]));
}

/** Whether it has only members: an archive, a signal or bytes are passed on as they are. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  return Object.getPrototypeOf(value) === Object.prototype;
}
