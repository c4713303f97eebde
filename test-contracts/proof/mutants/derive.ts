import { isDeepStrictEqual } from 'node:util';
import type { FaultCode } from '@pinfold/core';
import { isFault } from '@pinfold/core';
import { changed, type Distort, distortionsOf, type Field, fieldsIn } from './distortions.ts';
import {
  type Call,
  FAULTS_OF_FAULTS,
  GENERIC_FAULTS,
  type GenericFault,
  SIGNAL_FAULTS,
} from './generic-faults.ts';
import type { Mutant, Mutate, Spoiling } from './mutant.ts';

/** The methods that every implementation has. */
type MethodOf<Port> = {
  [Name in keyof Port]-?: Port[Name] extends (...inputs: never[]) => unknown ? Name : never;
}[keyof Port] &
  string;

/** The mutants of a port that follow from how a suite calls a sound implementation. */
export interface Derived<S> {
  /** Opens sound subjects whose calls are watched. */
  readonly watched: () => () => Promise<S>;
  /** The mutants of the calls that were seen until now. */
  readonly mutants: () => readonly Mutant<S>[];
}

/** Derives mutants of every method. `clauses` has, for each, the clauses one of which has to notice a mutant of it. */
export function derived<Port extends object, S>(
  mutant: Mutate<Port, S>,
  clauses: Readonly<Record<MethodOf<Port>, string>>,
): Derived<S> {
  const methods = Object.entries<string>(clauses).map(
    ([name, noticing]) => ({ name, noticing: noticing.split(' '), seen: new SeenCalls() }) as const,
  );
  const watching: Spoiling<Port> = () => (port) =>
    Object.fromEntries(
      methods.map(({ name, seen }) => [name, seen.watch(bounded(port, name))]),
    ) as Partial<Port>;
  return {
    watched: mutant([], 'is watched', watching).open,
    mutants: () =>
      methods.flatMap(({ name, noticing, seen }) =>
        Object.entries(seen.breakings()).map(([how, open]) =>
          mutant(noticing, `${name}: ${how}`, around<Port>(name, open)),
        ),
      ),
  };
}

/** Breaks a method. It is called once for each subject. */
type Breaking = () => (call: Call) => Call;

/** What one method was seen to take and to answer. */
class SeenCalls {
  readonly #fields = new Map<string, SeenField>();
  #early: { readonly answer: unknown } | undefined;
  #isPromise = false;
  #takesSignal = false;
  #fault: { readonly code: FaultCode } | undefined;

  watch(call: Call): Call {
    return (...inputs) => {
      this.#takesSignal ||= inputs.some((input) => input instanceof AbortSignal);
      for (const [at, input] of inputs.entries()) this.#note(`takes.${at}`, input);
      const answer = call(...inputs);
      if (!(answer instanceof Promise)) return this.#answered(answer);
      this.#isPromise = true;
      return answer.then(
        (value) => this.#answered(value),
        (error: unknown) => {
          if (isFault(error)) this.#fault = error;
          throw error;
        },
      );
    };
  }

  #answered(answer: unknown): unknown {
    this.#early ??= { answer };
    this.#note('answers', answer);
    return answer;
  }

  #note(start: string, value: unknown): void {
    for (const [field, held] of fieldsIn(value)) {
      const name = [start, ...field.path, field.kind].join('.');
      const known = this.#fields.get(name) ?? new SeenField(field);
      this.#fields.set(name, known);
      known.note(held);
    }
  }

  breakings(): Readonly<Record<string, Breaking>> {
    const broken = { early: this.#early?.answer, code: this.#fault?.code ?? 'store_unavailable' };
    const faults: Readonly<Record<string, GenericFault>> = {
      ...(this.#isPromise ? GENERIC_FAULTS : {}),
      ...(this.#fault === undefined ? {} : FAULTS_OF_FAULTS),
      ...(this.#takesSignal ? SIGNAL_FAULTS : {}),
    };
    const generic = Object.entries(faults).map(([name, fault]): [string, Breaking] => [
      name,
      () => (call) => fault(call, broken),
    ]);
    const distorted = [...this.#fields].flatMap(([name, { field, ways }]) =>
      Object.entries(ways).map(([way, open]): [string, Breaking] => [
        `${name}.${way}`,
        () => distorting(name, field, open()),
      ]),
    );
    return Object.fromEntries([...generic, ...distorted]);
  }
}

/** A field that was seen, and the ways that change a value that it was seen with: others are no faults. */
class SeenField {
  readonly field: Field;
  readonly ways: Record<string, () => Distort> = {};
  readonly #others: Map<string, { readonly open: () => Distort; readonly distort: Distort }>;

  constructor(field: Field) {
    this.field = field;
    const ways = Object.entries(distortionsOf(field.kind));
    this.#others = new Map(ways.map(([way, open]) => [way, { open, distort: open() }]));
  }

  note(value: unknown): void {
    for (const [way, { open, distort }] of this.#others) {
      if (isDeepStrictEqual(distort(value as never), value)) continue;
      this.ways[way] = open;
      this.#others.delete(way);
    }
  }
}

function distorting(name: string, field: Field, distort: Distort): (call: Call) => Call {
  const change = (value: unknown): unknown => changed(value, field, distort);
  const [side, at] = name.split('.');
  if (side === 'takes') {
    return (call) =>
      (...inputs) =>
        call(...inputs.map((input, n) => (n === Number(at) ? change(input) : input)));
  }
  return (call) =>
    (...inputs) => {
      const answer = call(...inputs);
      return answer instanceof Promise ? answer.then(change) : change(answer);
    };
}

/** More calls of one method than any clause makes. */
const MAX_CALLS = 10_000;

/** A sound method. It gives up where a caller never ends, as one that walks pages whose cursor does not move. */
function bounded(port: object, method: string): Call {
  const sound = Reflect.get(port, method) as Call;
  let calls = 0;
  return (...inputs) => {
    calls += 1;
    if (calls > MAX_CALLS) throw new Error(`${method} was called ${calls} times`);
    return Reflect.apply(sound, port, inputs);
  };
}

function around<Port extends object>(method: string, open: Breaking): Spoiling<Port> {
  return () => {
    const breaking = open();
    return (port) => ({ [method]: breaking(bounded(port, method)) }) as Partial<Port>;
  };
}
