import { type Call, type Field, isRecord } from './recorded-calls.ts';

type Distort = (value: never) => unknown;

/** The ways to distort a value of each kind. */
const WAYS: Readonly<Record<Field['kind'], Readonly<Record<string, Distort>>>> = {
  string: {
    lost: () => null,
    cut: (text: string) => text.slice(0, -1),
    raised: (text: string) => text.toUpperCase(),
    lowered: (text: string) => text.toLowerCase(),
  },
  number: {
    lost: () => null,
    wrapped: (number: number) => number | 0,
    more: (number: number) => number + 1,
    fewer: (number: number) => number - 1,
  },
  boolean: { negated: (flag: boolean) => !flag },
  list: {
    emptied: () => [],
    shortened: (items: readonly unknown[]) => items.slice(0, -1),
    reversed: (items: readonly unknown[]) => [...items].reverse(),
  },
};

/** Distortions that a clause must notice in every field of an answer. */
export const CERTAIN_DISTORTION = /^answer\..*(?:lost|negated|string\.stuck)$/;

/** A fault of a method with one field that is distorted: a name, and the method that it makes of a sound one. */
export interface Distortion {
  readonly name: string;
  readonly fault: (call: Call) => Call;
}

/** The distortions of the fields of inputs, whose paths begin with the position of the input. */
export function ofInputs(fields: Iterable<Field>): readonly Distortion[] {
  return distortionsOf('input', fields, (change) => (call) => (...inputs) => {
    const distorted = change({ ...inputs }) as Readonly<Record<string, unknown>>;
    return call(...Object.values(distorted));
  });
}

export function ofAnswers(fields: Iterable<Field>): readonly Distortion[] {
  return distortionsOf('answer', fields, (change) => (call) => (...inputs) => {
    const answer = call(...inputs);
    return answer instanceof Promise ? answer.then(change) : change(answer);
  });
}

function distortionsOf(
  side: string,
  fields: Iterable<Field>,
  into: (change: (value: unknown) => unknown) => (call: Call) => Call,
): readonly Distortion[] {
  return [...fields].flatMap((field) => {
    const ways = Object.entries(WAYS[field.kind]).map(([way, distort]) => [way, () => distort] as const);
    return [...ways, ['stuck', sticking] as const].map(([way, create]) => ({
      name: [side, ...field.path, field.kind, way].join('.'),
      fault: (call: Call) => {
        const distort = create();
        return into((value) => changed(value, field, distort))(call);
      },
    }));
  });
}

/** The first value stands for all later ones. */
function sticking(): Distort {
  let first: unknown;
  return (value) => {
    first ??= value;
    return first;
  };
}

/** Changes one field of a value, if it has that field. */
function changed(value: unknown, { path, kind }: Field, distort: Distort): unknown {
  if (kind === 'list' && path.length === 0) return Array.isArray(value) ? distort(value as never) : value;
  if (Array.isArray(value)) return value.map((item) => changed(item, { path, kind }, distort));
  const [member, ...rest] = path;
  if (member === undefined) return typeof value === kind ? distort(value as never) : value;
  if (!isRecord(value) || !(member in value)) return value;
  return { ...value, [member]: changed(value[member], { path: rest, kind }, distort) };
}
